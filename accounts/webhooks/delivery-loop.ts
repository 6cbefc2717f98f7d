import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#base/log.ts'

export interface DeliveryTimes {
  readonly pollMs: number
  readonly attemptMs: number
  /** Wait before the second attempt; doubles with each further one. */
  readonly firstRetryMs: number
  readonly claimMs?: number
}
export const defaultTimes: DeliveryTimes = { pollMs: 1_000, attemptMs: 10_000, firstRetryMs: 10_000 }
/**
 * Longer than an attempt. If its process ends meanwhile, another one repeats it after this time.
 */
export const claimMs = 60_000
/** Sending ends after failing for this long. */
const maxFailingMs = 86_400_000
const maxRetryMs = 3_600_000
const maxAttempts = 8

export interface Outcome {
  readonly isDelivered: boolean
  readonly problem: string | null
  /** The receiver answered 410 Gone. */
  readonly isGone: boolean
}
export const delivered: Outcome = { isDelivered: true, problem: null, isGone: false }
export const failed = (problem: string, isGone = false): Outcome => ({ isDelivered: false, problem, isGone })

export interface Job {
  readonly attempts: number
  /** Beginning of the failures, in ms since 1970. */
  readonly since: number | null
}

/** Stored jobs, shared by several processes. */
export interface Queue<Work extends Job> {
  /** Takes up to `max` due jobs, which other processes leave alone for `claimedMs`. */
  claim(max: number, claimedMs?: number): Promise<readonly Work[]>
  /** Gives up a claim because the process ends; no attempt is counted. */
  release(job: Work): Promise<void>
  markDelivered(job: Work): Promise<void>
  /** Null `retryAt` ends sending. */
  markFailed(job: Work, problem: string, retryAt: number | null): Promise<void>
}

interface LoopParts<Work extends Job> {
  readonly queue: Queue<Work>
  readonly times: DeliveryTimes
  readonly log: Logger
  /** Plural, for messages. */
  readonly what: string
}

/** Sends queued jobs, some at a time, until closed. Another process repeats unfinished ones. */
export abstract class DeliveryLoop<Work extends Job> {
  readonly #parts: LoopParts<Work>
  protected readonly stop = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  #isFailing = false
  #polling: Promise<void> | undefined

  constructor(parts: LoopParts<Work>) {
    this.#parts = parts
  }

  /** Queues new jobs. */
  protected abstract enqueue(): Promise<void>
  protected abstract send(job: Work): Promise<Outcome>

  start(): void {
    this.#polling ??= this.#poll()
  }

  /** Aborts current attempts; the next process repeats them. */
  async close(): Promise<void> {
    this.stop.abort()
    await this.#polling
    await Promise.all(this.#attempts)
  }

  async #poll(): Promise<void> {
    const { times, log, what } = this.#parts
    const { signal } = this.stop
    while (!signal.aborted) {
      try {
        await this.enqueue()
        await this.#deliver()
        this.#isFailing = false
      } catch (err) {
        // The disk is full, or another process locks the database.
        if (!this.#isFailing) log.error({ err }, `${what} cannot be sent; trying again`)
        this.#isFailing = true
      }
      await sleep(times.pollMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #deliver(): Promise<void> {
    if (this.stop.signal.aborted || this.#attempts.size >= maxAttempts) return
    const { queue, times } = this.#parts
    for (const job of await queue.claim(maxAttempts - this.#attempts.size, times.claimMs)) {
      const attempt = this.#attempt(job).finally(() => this.#attempts.delete(attempt))
      this.#attempts.add(attempt)
    }
  }

  async #attempt(job: Work): Promise<void> {
    const { queue, times, log, what } = this.#parts
    try {
      const { isDelivered, problem, isGone } = await this.send(job)
      if (isDelivered) await queue.markDelivered(job)
      else if (this.stop.signal.aborted) await queue.release(job)
      else await queue.markFailed(job, problem ?? '', isGone ? null : nextAttemptAt(job, times.firstRetryMs))
    } catch (err) {
      log.error({ err }, `the result of sending ${what} cannot be saved; they will be sent again`)
    }
  }
}

/**
 * The wait doubles with each failure, up to an hour, and varies to spread what failed together.
 * Null after a day of failures.
 */
export function nextAttemptAt({ attempts, since }: Job, firstRetryMs: number, now = Date.now()): number | null {
  if (since !== null && now - since >= maxFailingMs) return null
  const wait = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts, 30))
  return now + Math.round(wait * (0.8 + 0.4 * Math.random()))
}
