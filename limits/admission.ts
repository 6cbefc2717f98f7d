import { ownTurn } from '#base/own-turn.ts'
import { type Budget, type BudgetLeft, createBudget, type LimitedCaller } from './budget.ts'
import type { Counters } from './counters.ts'
import { FairOrder } from './fair-order.ts'
import { FairQueue, type Refusal, Tally } from './fair-queue.ts'
import { LimitError } from './limiter.ts'

interface AdmissionLimits {
  readonly CELLS_PER_MINUTE: number
  readonly RENDER_SECONDS_PER_MINUTE: number
  readonly MEGABYTES_IN_FLIGHT: number
}

export interface CallerWork {
  /** Throws `budget_exceeded`. */
  readonly beforeReading: () => void
  /** Counts values read or computed as cells. */
  readonly spend: (values: number) => void
  /** Waits for the caller's turn. */
  readonly inThread: <T>(expectedMs: number, job: () => Promise<T>) => Promise<T>
}

/** Counts for nobody. */
export const ownWork: CallerWork = { beforeReading: () => {}, spend: () => {}, inThread: (_, job) => job() }

export const maxWaitMs = 20_000
/** About 5,000 cells; begins at once. */
const maxSmallMs = 3
/** Longer work has long answers: above 50,000 cells. */
const longAnswerMs = 30
/** For large work; DuckDB has as many connections. */
const places = { concurrency: 4, perCaller: 2 }
/** A timer's longest delay. */
const noMaxWait = 2 ** 31 - 1
/** Time for arrivals per turn of the event loop. */
const arrivalMs = 2

/**
 * Decides when work begins. Small work begins at once; large work waits for one of a few places,
 * callers who received least first. Handlers of large work call `ownTurn` between pieces of some
 * milliseconds.
 */
export class Admission {
  readonly cells: Budget
  readonly renders: Budget
  readonly #arrivals = new FairOrder()
  /** Undefined if no request began in this turn. */
  #arrivalsEnd: number | undefined
  readonly #large: FairQueue
  readonly #threads: FairQueue
  /** Bytes that callers have not read yet. */
  readonly #unread = new Tally()
  readonly #maxUnread: number

  /** `threads` encode and compute answers. */
  constructor(
    { CELLS_PER_MINUTE, RENDER_SECONDS_PER_MINUTE, MEGABYTES_IN_FLIGHT }: AdmissionLimits,
    counters: Counters,
    threads = 1,
  ) {
    this.cells = createBudget('cells', 'cells read', CELLS_PER_MINUTE, counters)
    this.renders = createBudget('renders', 'seconds of drawing', RENDER_SECONDS_PER_MINUTE, counters)
    this.#maxUnread = MEGABYTES_IN_FLIGHT * 2 ** 20
    const mayBegin = (caller: string, expectedMs: number): boolean =>
      !this.#readsTooLittle(caller) && (expectedMs <= longAnswerMs || this.#unread.total < this.#maxUnread)
    this.#large = new FairQueue({ ...places, maxWaitMs, mayBegin }, this.#refuse)
    this.#threads = new FairQueue({ concurrency: threads, maxWaitMs: noMaxWait }, this.#refuse)
  }

  /**
   * Begins a request now, or in a later turn if this one has no time left, so that hundreds of
   * requests of one caller do not delay others.
   */
  arrive(caller: string, begin: () => void): void {
    if (this.#arrivals.callers === 0 && this.#hasTime()) begin()
    else this.#arrivals.add(caller, begin)
  }

  /**
   * Throws `overloaded` if the caller's own work would take too long, `budget_exceeded` if its
   * answers stay unread.
   */
  async run<T>({ name }: LimitedCaller, expectedMs: number, job: () => T | Promise<T>): Promise<T> {
    if (expectedMs <= maxSmallMs && !this.#readsTooLittle(name)) return job()
    return this.#large.run(name, expectedMs, async () => {
      // Jobs that end at once would otherwise all run in one turn.
      await ownTurn()
      return job()
    })
  }

  workFor(caller: LimitedCaller): CallerWork {
    return {
      beforeReading: () => this.cells.require(caller),
      spend: (values) => this.cells.spend(caller, values),
      inThread: (expectedMs, job) => this.#threads.run(caller.name, expectedMs, job),
    }
  }

  /** Counts bytes as unread until the returned function is called. */
  send({ name }: LimitedCaller, bytes: number): () => void {
    this.#unread.add(name, bytes)
    return () => {
      this.#unread.add(name, -bytes)
      this.#large.beginMore()
    }
  }

  /** Empty for unlimited callers. */
  left(caller: LimitedCaller): BudgetLeft[] {
    return caller.isUnlimited ? [] : [this.cells.left(caller), this.renders.left(caller)]
  }

  get bytesInFlight(): number {
    return this.#unread.total
  }

  #hasTime(): boolean {
    if (this.#arrivalsEnd !== undefined) return performance.now() < this.#arrivalsEnd
    this.#arrivalsEnd = performance.now() + arrivalMs
    setImmediate(() => {
      this.#arrivalsEnd = undefined
      if (this.#arrivals.callers > 0 && this.#hasTime()) this.#beginArrivals()
    })
    return true
  }

  #beginArrivals(): void {
    this.#arrivals.beginNext()
    // After this request's promise callbacks, whose time counts.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#arrivals.callers > 0 && this.#hasTime()) this.#beginArrivals()
      }),
    )
  }

  #readsTooLittle(caller: string): boolean {
    return this.#unread.of(caller) >= this.#maxUnread / 4
  }

  readonly #refuse: Refusal = (seconds, caller) => {
    if (!this.#readsTooLittle(caller)) {
      const isOwn = seconds > maxWaitMs / 1000
      const why = isOwn ? 'your large requests would wait too long for their turn' : 'too much other work is waiting'
      const message = `${why}; try again in ${seconds} seconds, or ask for less`
      return new LimitError('overloaded', message, seconds)
    }
    const message = `you have not read earlier answers yet, and they are too long to start another one: read them, or close their connections; try again in ${seconds} seconds`
    return new LimitError('budget_exceeded', message, seconds, { budget: 'bytes_in_flight' })
  }
}
