import { FairOrder } from './fair-order.ts'
import type { LimitError } from './limiter.ts'

export interface QueueLimits {
  /** Concurrent jobs, in total and per caller (default: total). */
  readonly concurrency: number
  readonly perCaller?: number
  readonly maxWaitMs: number
  /** Call `beginMore` when its result changes. */
  readonly mayBegin?: (caller: string, expectedMs: number) => boolean
}

export type Refusal = (seconds: number, caller: string) => LimitError

/** Runs a few jobs at a time in `FairOrder`, with expected duration as cost. */
export class FairQueue {
  readonly #limits: Required<QueueLimits>
  readonly #refusal: Refusal
  readonly #order = new FairOrder()
  readonly #running = new Tally()

  constructor(limits: QueueLimits, refusal: Refusal) {
    this.#limits = { perCaller: limits.concurrency, mayBegin: () => true, ...limits }
    this.#refusal = refusal
  }

  get waiting(): number {
    return this.#order.size
  }

  /**
   * Refuses a job at once if the caller's waiting work and this job would take longer than
   * `maxWaitMs` at the caller's share. Other jobs wait, and are refused if they have not begun after
   * `maxWaitMs`.
   */
  async run<T>(caller: string, expectedMs: number, job: () => T | Promise<T>): Promise<T> {
    if (!this.#mayBegin(caller, expectedMs)) await this.#waitForTurn(caller, expectedMs)
    else this.#running.add(caller, 1)
    try {
      return await job()
    } finally {
      this.#running.add(caller, -1)
      this.beginMore()
    }
  }

  beginMore(): void {
    while (this.#order.beginNext((caller, expectedMs) => this.#mayBegin(caller, expectedMs)));
  }

  #mayBegin(caller: string, expectedMs: number): boolean {
    const { concurrency, perCaller, mayBegin } = this.#limits
    if (this.#running.total >= concurrency || this.#running.of(caller) >= perCaller) return false
    return mayBegin(caller, expectedMs)
  }

  #waitForTurn(caller: string, expectedMs: number): Promise<void> {
    const { maxWaitMs } = this.#limits
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const expectedWaitMs = this.#expectedWaitMs(caller, expectedMs)
    const refuse = () => reject(this.#refusal(Math.max(1, Math.ceil(expectedWaitMs / 1000)), caller))
    if (expectedWaitMs > maxWaitMs) {
      refuse()
      return promise
    }
    const begin = (): void => {
      clearTimeout(timer)
      this.#running.add(caller, 1)
      resolve()
    }
    const timer = setTimeout(() => {
      this.#order.remove(caller, begin)
      refuse()
    }, maxWaitMs)
    this.#order.add(caller, begin, expectedMs)
    return promise
  }

  #expectedWaitMs(caller: string, expectedMs: number): number {
    const { concurrency, perCaller } = this.#limits
    const costs = this.#order.costs(caller)
    const own = (costs ?? []).reduce((sum, cost) => sum + cost, expectedMs)
    const callers = this.#order.callers + (costs ? 0 : 1)
    return own * Math.max(callers / concurrency, 1 / perCaller)
  }
}

export class Tally {
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
