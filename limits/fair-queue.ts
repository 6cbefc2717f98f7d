import { FairOrder } from './fair-order.ts'
import { LimitError } from './limiter.ts'

export interface QueueLimits {
  /** Concurrent jobs, in total and per caller (default: total). */
  readonly concurrency: number
  readonly perCaller?: number
  readonly maxWaitMs: number
  /** Whether jobs of a caller may begin at the moment; call `beginMore` when that changes. */
  readonly mayBegin?: (caller: string) => boolean
}

/** Creates the error of a refused job. */
export type Refusal = (seconds: number, caller: string) => LimitError

/** Runs jobs with limited concurrency, in the order of `FairOrder` by their expected duration. */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #refusal: Refusal
  readonly #order = new FairOrder()
  readonly #running = new Tally()

  constructor(limits: QueueLimits, refusal: Refusal = renderOverloaded) {
    this.#limits = limits
    this.#refusal = refusal
  }

  get waiting(): number {
    return this.#order.size
  }

  /**
   * Refuses a job if the caller's own work, this job included, would take longer than `maxWaitMs`
   * at the caller's share of the queue; or if it has waited that long.
   */
  async run<T>(caller: string, expectedMs: number, job: () => T | Promise<T>): Promise<T> {
    if (this.#canBegin(caller)) this.#running.add(caller, 1)
    else await this.#waitForTurn(caller, expectedMs)
    try {
      return await job()
    } finally {
      this.#running.add(caller, -1)
      this.beginMore()
    }
  }

  beginMore(): void {
    while (this.#order.beginNext((caller) => this.#canBegin(caller)));
  }

  #canBegin(caller: string): boolean {
    const { concurrency, perCaller = concurrency, mayBegin } = this.#limits
    if (this.#running.total >= concurrency || this.#running.of(caller) >= perCaller) return false
    return mayBegin?.(caller) ?? true
  }

  #waitForTurn(caller: string, expectedMs: number): Promise<void> {
    const { maxWaitMs } = this.#limits
    const wait = this.#expectedWait(caller, expectedMs)
    if (wait > maxWaitMs) throw this.#refuse(caller, wait)
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        this.#running.add(caller, 1)
        resolve()
      }
      const refuse = (): void => {
        this.#order.remove(caller, begin)
        reject(this.#refuse(caller, this.#expectedWait(caller, expectedMs)))
      }
      const timer = maxWaitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(refuse, maxWaitMs)
      this.#order.add(caller, begin, expectedMs)
    })
  }

  #expectedWait(caller: string, expectedMs: number): number {
    const { concurrency, perCaller = concurrency } = this.#limits
    const own = this.#order.costOf(caller) + expectedMs
    const callers = this.#order.callers + (this.#order.waits(caller) ? 0 : 1)
    return own * Math.max(callers / concurrency, 1 / perCaller)
  }

  #refuse(caller: string, milliseconds: number): LimitError {
    return this.#refusal(Math.max(1, Math.ceil(milliseconds / 1000)), caller)
  }
}

/** Amounts by caller, and in total. */
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

const renderOverloaded: Refusal = (seconds) =>
  new LimitError(
    'render_overloaded',
    `too many charts are waiting to be drawn; try again in ${seconds} seconds`,
    seconds,
  )
