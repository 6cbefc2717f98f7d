import os from 'node:os'
import { Budget, type BudgetLeft, type LimitedCaller } from './budget.ts'
import type { Counters } from './counters.ts'
import { FairQueue, type Refusal, Tally } from './fair-queue.ts'
import { LimitError } from './limiter.ts'
import { Turns } from './turns.ts'

export interface WorkLimits {
  readonly CELLS_PER_MINUTE: number
  readonly RENDER_SECONDS_PER_MINUTE: number
  readonly MEGABYTES_IN_FLIGHT: number
}

/** Yields to other callers between pieces of work of some milliseconds. */
export interface Pauses {
  /** Call it before data are read. */
  readonly beforeReading?: () => void
  readonly pause: () => Promise<void>
  /** After a piece of a formula; also spends its values as cells. */
  readonly pauseComputing: () => Promise<void>
  /** Runs a job of a thread that computes so many values, and spends them as cells. */
  readonly compute?: <T>(values: number, job: () => Promise<T>) => Promise<T>
}

export const maxWaitMs = 20_000
/** Requests that are expected to take no longer begin before all others: about 5,000 cells. */
const maxSmallMs = 3
/**
 * Requests that are expected to take no longer do not queue behind large ones: about 50,000 cells.
 */
const maxMediumMs = 30
const answerBytesPerMs = 20_000

/**
 * Shares the work of answering fairly between callers: the event loop; concurrent medium and large
 * jobs, at most half of the large ones for one caller; threads; budgets per minute; and bytes that
 * clients have not read yet.
 */
export class Work {
  readonly cells: Budget
  readonly renders: Budget
  readonly turns = new Turns()
  /** Bytes in flight. */
  readonly #unread = new Tally()
  readonly #maxUnread: number
  readonly #medium: FairQueue
  readonly #heavy: FairQueue
  readonly #threads: FairQueue

  /**
   * Budgets apply to all processes that share the counters; `threads` is the number of threads that
   * encode and compute answers.
   */
  constructor(
    { CELLS_PER_MINUTE, RENDER_SECONDS_PER_MINUTE, MEGABYTES_IN_FLIGHT }: WorkLimits,
    counters: Counters,
    threads = 1,
  ) {
    this.cells = new Budget('cells', 'cells read', CELLS_PER_MINUTE, counters)
    this.renders = new Budget('renders', 'seconds of drawing', RENDER_SECONDS_PER_MINUTE, counters)
    const concurrency = Math.min(4, Math.max(2, os.availableParallelism()))
    this.#maxUnread = MEGABYTES_IN_FLIGHT * 2 ** 20
    this.#medium = new FairQueue({ concurrency, maxWaitMs }, this.#refuse)
    this.#heavy = new FairQueue(
      {
        concurrency,
        perCaller: concurrency / 2,
        maxWaitMs,
        mayBegin: (caller) => this.#unread.total < this.#maxUnread && !this.#readsTooLittle(caller),
      },
      this.#refuse,
    )
    this.#threads = new FairQueue({ concurrency: threads, maxWaitMs: Number.POSITIVE_INFINITY })
  }

  /**
   * Runs a job when it is the caller's turn. Throws `overloaded` if the caller's own work would
   * take too long, or `budget_exceeded` for too many bytes in flight.
   */
  async make<T>(caller: LimitedCaller, expectedMs: number, job: () => T | Promise<T>): Promise<T> {
    const { name } = caller
    if (expectedMs <= maxMediumMs && !this.#readsTooLittle(name)) {
      // Counted now: of requests sent at once, all would begin before one of their answers is in
      // flight.
      const release = this.send(caller, Math.round(expectedMs) * answerBytesPerMs)
      try {
        const begin = async () => {
          await this.#turn(name, expectedMs)
          return job()
        }
        return await (expectedMs <= maxSmallMs ? begin() : this.#medium.run(name, expectedMs, begin))
      } finally {
        release()
      }
    }
    return this.#heavy.run(name, expectedMs, async () => {
      await this.#turn(name, expectedMs)
      return job()
    })
  }

  /** Runs a job of a thread when it is the caller's turn. */
  inThread<T>({ name }: LimitedCaller, expectedMs: number, job: () => Promise<T>): Promise<T> {
    return this.#threads.run(name, expectedMs, job)
  }

  /** Resolves when the caller's unread bytes are below its limit. */
  room(caller: LimitedCaller): Promise<void> {
    return this.make(caller, 0, () => {})
  }

  /** Counts bytes as in flight to a caller until the returned function is called. */
  send({ name }: LimitedCaller, bytes: number): () => void {
    this.#unread.add(name, bytes)
    let isSent = false
    return () => {
      if (isSent) return
      isSent = true
      this.#unread.add(name, -bytes)
      this.#heavy.beginMore()
    }
  }

  /** Remaining budgets of a caller; empty without limits. */
  left(caller: LimitedCaller): BudgetLeft[] {
    return caller.isUnlimited ? [] : [this.cells.left(caller), this.renders.left(caller)]
  }

  get bytesInFlight(): number {
    return this.#unread.total
  }

  /**
   * `cellsPerPiece` is the cost of a piece of a formula, a millisecond of work; a request that
   * takes `expectedMs` continues with others of its size.
   */
  pausesFor(caller: LimitedCaller, cellsPerPiece: number, expectedMs = Number.POSITIVE_INFINITY): Pauses {
    const pause = () => this.#turn(caller.name, expectedMs)
    return {
      beforeReading: () => this.cells.require(caller),
      pause,
      pauseComputing: () => {
        this.cells.spend(caller, cellsPerPiece)
        return pause()
      },
      compute: (values, job) => {
        this.cells.spend(caller, values)
        return this.inThread(caller, values / cellsPerPiece, job)
      },
    }
  }

  /**
   * With equal turns, whoever has small requests would wait for those of up to 30 ms of all others.
   */
  #turn(caller: string, expectedMs: number): Promise<void> {
    return expectedMs <= maxSmallMs ? this.turns.quick(caller) : this.turns.heavy(caller)
  }

  #readsTooLittle(caller: string): boolean {
    return this.#unread.of(caller) >= this.#maxUnread / 4
  }

  readonly #refuse: Refusal = (seconds, caller) =>
    this.#readsTooLittle(caller)
      ? new LimitError(
          'budget_exceeded',
          `you have not read earlier answers yet, and they are too long to start another one: read them, or close their connections; try again in ${seconds} seconds`,
          seconds,
          { budget: 'bytes_in_flight' },
        )
      : new LimitError(
          'overloaded',
          `your large requests would wait too long for their turn; try again in ${seconds} seconds, or ask for less`,
          seconds,
        )
}
