import os from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { Arrivals } from './arrivals.ts'
import { Budget, type BudgetLeft, type LimitedCaller } from './budget.ts'
import type { Counters } from './counters.ts'
import { FairQueue, type Refusal } from './fair-queue.ts'
import { LimitError } from './limiter.ts'

export interface WorkLimits {
  readonly CELLS_PER_MINUTE: number
  readonly RENDER_SECONDS_PER_MINUTE: number
  readonly MEGABYTES_IN_FLIGHT: number
}

/** Yields to other callers between pieces of work of some milliseconds. */
export interface Pauses {
  readonly pause: () => Promise<void>
  /** After a piece of a formula; also spends its values as cells. */
  readonly pauseComputing: () => Promise<void>
}

export const maxWaitMs = 20_000
const initialJobMs = 20

/**
 * Shares the work of answering fairly between callers: concurrent jobs, at most half of them for one caller; slices of the
 * event loop; budgets per minute; and bytes that clients have not read yet.
 */
export class Work {
  readonly cells: Budget
  readonly renders: Budget
  /** Starts requests and queued jobs. */
  readonly arrivals = new Arrivals()
  readonly #making: FairQueue
  readonly #slices = new FairQueue({ concurrency: 1, maxWaitMs: Number.POSITIVE_INFINITY, initialJobMs: 1 })

  /** With `counters`, budgets apply to all processes that share them. */
  constructor({ CELLS_PER_MINUTE, RENDER_SECONDS_PER_MINUTE, MEGABYTES_IN_FLIGHT }: WorkLimits, counters?: Counters) {
    this.cells = new Budget('cells', 'cells read', CELLS_PER_MINUTE, counters)
    this.renders = new Budget('renders', 'seconds of drawing', RENDER_SECONDS_PER_MINUTE, counters)
    const concurrency = Math.min(4, Math.max(2, os.availableParallelism()))
    const total = MEGABYTES_IN_FLIGHT * 2 ** 20
    this.#making = new FairQueue(
      {
        concurrency: concurrency,
        perCaller: concurrency / 2,
        maxWaitMs: maxWaitMs,
        initialJobMs: initialJobMs,
        held: { total: total, perCaller: total / 4 },
      },
      overloaded,
    )
  }

  /** Runs a job when it is the caller's turn. Throws `overloaded`, or `budget_exceeded` for too many bytes in flight. */
  make<T>({ name }: LimitedCaller, work: () => T | Promise<T>): Promise<T> {
    return this.#making.run(name, async () => {
      // Hundreds of waiting jobs might be refused one after the other.
      await this.arrivals.turn(name)
      return work()
    })
  }

  /** Resolves when the caller's unread bytes are below its limit. */
  room(caller: LimitedCaller): Promise<void> {
    return this.make(caller, () => {})
  }

  /** Counts bytes as in flight to a caller until the returned function is called. */
  send({ name }: LimitedCaller, bytes: number): () => void {
    return this.#making.hold(name, bytes)
  }

  /** Remaining budgets of a caller; empty without limits. */
  left(caller: LimitedCaller): BudgetLeft[] {
    return caller.isUnlimited ? [] : [this.cells.left(caller), this.renders.left(caller)]
  }

  get bytesInFlight(): number {
    return this.#making.held
  }

  /** Yields between pieces of work of some milliseconds: one piece runs per turn of the event loop, quick requests in between. */
  pause({ name }: LimitedCaller): Promise<void> {
    return this.#slices.run(name, () => setImmediate())
  }

  /** `cellsPerPiece` is the cost of a piece of a formula. */
  pausesFor(caller: LimitedCaller, cellsPerPiece: number): Pauses {
    return {
      pause: () => this.pause(caller),
      pauseComputing: () => {
        this.cells.spend(caller, cellsPerPiece)
        return this.pause(caller)
      },
    }
  }
}

const overloaded: Refusal = (seconds, isOwn) =>
  isOwn
    ? new LimitError(
        'budget_exceeded',
        `you have not read earlier answers yet, and they are too long to start another one: read them, or close their connections; try again in ${seconds} seconds`,
        seconds,
        { budget: 'bytes_in_flight' },
      )
    : new LimitError(
        'overloaded',
        `too many answers are waiting to be computed; try again in ${seconds} seconds`,
        seconds,
      )
