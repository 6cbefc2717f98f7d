import { LimitError } from './limiter.ts'

export interface QueueLimits {
  /** Concurrent jobs, in total and per caller (default: total). */
  readonly concurrency: number
  readonly perCaller?: number
  readonly maxWaitMs: number
  /** Assumed duration of the first job. */
  readonly initialJobMs: number
  /** No job starts while this much of earlier results is held. */
  readonly held?: { readonly total: number; readonly perCaller: number }
}

/** Creates the error of a refused job; `isOwn` if the caller's own unread answers are the reason. */
export type Refusal = (seconds: number, isOwn: boolean) => LimitError

interface QueuedJob {
  readonly begin: () => void
  readonly refuse: () => void
}

/** Runs jobs with limited concurrency. Callers take turns, so that many jobs of one caller delay nobody else. */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #refusal: Refusal
  /** Queues by caller, in the order of their turns. */
  readonly #waiting = new Map<string, QueuedJob[]>()
  readonly #running = new Tally()
  readonly #held = new Tally()
  #averageMs: number

  constructor(limits: QueueLimits, refusal: Refusal = renderOverloaded) {
    this.#limits = limits
    this.#refusal = refusal
    this.#averageMs = limits.initialJobMs
  }

  get waiting(): number {
    let count = 0
    for (const jobs of this.#waiting.values()) count += jobs.length
    return count
  }

  async run<T>(caller: string, job: () => T | Promise<T>): Promise<T> {
    if (this.#canBegin(caller)) this.#running.add(caller, 1)
    else await this.#waitForTurn(caller)
    const begin = performance.now()
    try {
      return await job()
    } finally {
      this.#averageMs = 0.9 * this.#averageMs + 0.1 * (performance.now() - begin)
      this.#running.add(caller, -1)
      this.#beginMore()
    }
  }

  /** Counts an amount as held for a caller until the returned function is called. */
  hold(caller: string, amount: number): () => void {
    this.#held.add(caller, amount)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#held.add(caller, -amount)
      this.#beginMore()
    }
  }

  get held(): number {
    return this.#held.total
  }

  #canBegin(caller: string): boolean {
    const { concurrency, perCaller = concurrency, held } = this.#limits
    if (this.#running.total >= concurrency || this.#running.of(caller) >= perCaller) return false
    return held === undefined || (this.#held.total < held.total && !this.#holdsTooMuch(caller))
  }

  #holdsTooMuch(caller: string): boolean {
    const { held } = this.#limits
    return held !== undefined && this.#held.of(caller) >= held.perCaller
  }

  #waitForTurn(caller: string): Promise<void> {
    const own = this.#waiting.get(caller) ?? []
    const { maxWaitMs } = this.#limits
    const wait = this.#estimateWait(caller, own.length)
    if (wait > maxWaitMs) throw this.#refuse(caller, wait)
    return new Promise((resolve, reject) => {
      const waiting: QueuedJob = {
        begin: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse: () => {
          own.splice(own.indexOf(waiting), 1)
          if (own.length === 0) this.#waiting.delete(caller)
          reject(this.#refuse(caller, this.#estimateWait(caller, own.length)))
        },
      }
      const timer = maxWaitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(waiting.refuse, maxWaitMs)
      own.push(waiting)
      if (own.length === 1) this.#waiting.set(caller, own)
    })
  }

  /** Estimates the wait in ms for a caller with `own` jobs in the queue, if no other jobs arrive. */
  #estimateWait(caller: string, own: number): number {
    const { concurrency, perCaller = concurrency } = this.#limits
    let before = own
    for (const [other, jobs] of this.#waiting) if (other !== caller) before += Math.min(jobs.length, own + 1)
    return this.#averageMs * Math.max((before + 1) / concurrency, (own + 1) / perCaller)
  }

  #refuse(caller: string, milliseconds: number): LimitError {
    return this.#refusal(Math.max(1, Math.ceil(milliseconds / 1000)), this.#holdsTooMuch(caller))
  }

  #beginMore(): void {
    for (const [caller, own] of this.#waiting) {
      if (!this.#canBegin(caller)) continue
      const first = own.shift()
      // Move this caller to the back of the queue, where this loop reaches it again.
      this.#waiting.delete(caller)
      if (own.length > 0) this.#waiting.set(caller, own)
      this.#running.add(caller, 1)
      first?.begin()
    }
  }
}

class Tally {
  total = 0
  readonly #amounts = new Map<string, number>()

  of(caller: string): number {
    return this.#amounts.get(caller) ?? 0
  }

  add(caller: string, amount: number): void {
    this.total += amount
    const own = this.of(caller) + amount
    if (own === 0) this.#amounts.delete(caller)
    else this.#amounts.set(caller, own)
  }
}

const renderOverloaded: Refusal = (seconds) =>
  new LimitError(
    'render_overloaded',
    `too many charts are waiting to be drawn; try again in ${seconds} seconds`,
    seconds,
  )
