import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#base/log.ts'

const maxAttempts = 8

interface LoopParts<Job> {
  readonly pollMs: number
  /** Queues what is new. */
  readonly enqueue: () => Promise<void>
  /** Takes at most so many jobs that are due, which other processes leave alone for a while. */
  readonly claim: (max: number) => Promise<readonly Job[]>
  /** Sends a job and stores the outcome. */
  readonly attempt: (job: Job, stop: AbortSignal) => Promise<void>
  readonly log: Logger
  /** Plural, for messages. */
  readonly what: string
}

/**
 * Sends stored jobs, some at a time, until it is closed. Another process repeats what this one does
 * not finish.
 */
export class DeliveryLoop<Job> {
  readonly #parts: LoopParts<Job>
  readonly #stop = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  #isFailing = false
  #polling: Promise<void> | undefined

  constructor(parts: LoopParts<Job>) {
    this.#parts = parts
  }

  get stopSignal(): AbortSignal {
    return this.#stop.signal
  }

  start(): void {
    this.#polling ??= this.#poll()
  }

  /** Aborts current attempts. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#polling
    await Promise.all(this.#attempts)
  }

  async #poll(): Promise<void> {
    const { enqueue, pollMs, log, what } = this.#parts
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await enqueue()
        await this.#deliver()
        this.#isFailing = false
      } catch (err) {
        // The disk is full, or another process locks the database.
        if (!this.#isFailing) log.error({ err }, `${what} cannot be sent; trying again`)
        this.#isFailing = true
      }
      await sleep(pollMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #deliver(): Promise<void> {
    if (this.#stop.signal.aborted || this.#attempts.size >= maxAttempts) return
    for (const job of await this.#parts.claim(maxAttempts - this.#attempts.size)) {
      const attempt = this.#attempt(job).finally(() => this.#attempts.delete(attempt))
      this.#attempts.add(attempt)
    }
  }

  async #attempt(job: Job): Promise<void> {
    const { attempt, log, what } = this.#parts
    try {
      await attempt(job, this.#stop.signal)
    } catch (err) {
      log.error({ err }, `the result of sending ${what} cannot be saved; they will be sent again`)
    }
  }
}
