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

/** How the work for a caller lets others have a turn between two pieces of some milliseconds. */
export interface Pauses {
  readonly pause: () => Promise<void>
  /** The same after a piece of a formula, whose values count as cells. */
  readonly pauseComputing: () => Promise<void>
}

/** In milliseconds; who would wait longer for a turn is told when to come again. */
export const maxWaitMs = 20_000
/** Until it is known. */
const initialJobMs = 20

/**
 * The work that answers make, shared fairly between callers: reading and making, a few at a time and half of them of one
 * caller; the event loop, in slices; and how much may be spent in a minute, or lie here unread.
 */
export class Work {
  /** Cells that were read or computed. */
  readonly cells: Budget
  /** Seconds of drawing. */
  readonly renders: Budget
  /** Requests that begin, and works whose turn has come. */
  readonly arrivals = new Arrivals()
  readonly #making: FairQueue
  readonly #slices = new FairQueue({ concurrency: 1, maxWaitMs: Number.POSITIVE_INFINITY, initialJobMs: 1 })

  /** With `counters` budgets are those of all processes that share them. */
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

  /** Makes an answer when it is the caller's turn. Throws `overloaded`, and `budget_exceeded` of bytes in flight. */
  make<T>({ name }: LimitedCaller, work: () => T | Promise<T>): Promise<T> {
    return this.#making.run(name, async () => {
      // Of hundreds that waited, as many might be refused one after the other.
      await this.arrivals.turn(name)
      return work()
    })
  }

  /** Resolves when so little is on its way to a caller that more may follow. Throws what `make` throws. */
  room(caller: LimitedCaller): Promise<void> {
    return this.make(caller, () => {})
  }

  /** Counts bytes on their way to a caller, until the function that it returns is called. */
  send({ name }: LimitedCaller, bytes: number): () => void {
    return this.#making.hold(name, bytes)
  }

  /** What is left to a caller of what may be spent in a minute; nothing is to tell where there are no limits. */
  left(caller: LimitedCaller): BudgetLeft[] {
    return caller.isUnlimited ? [] : [this.cells.left(caller), this.renders.left(caller)]
  }

  /** Bytes on their way to all callers. */
  get bytesInFlight(): number {
    return this.#making.held
  }

  /**
   * Lets others have a turn between two pieces of work of some milliseconds: one goes on in each turn of the event loop,
   * so that what is quick is answered in between.
   */
  pause({ name }: LimitedCaller): Promise<void> {
    return this.#slices.run(name, () => setImmediate())
  }

  /** `cellsPerPiece` is what a piece of a formula costs. */
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
        `earlier answers to you are still being sent and are too long to start another one: read them, or close their connections; try again in ${seconds} seconds`,
        seconds,
        { budget: 'bytes_in_flight' },
      )
    : new LimitError(
        'overloaded',
        `too many answers are waiting to be computed; try again in ${seconds} seconds`,
        seconds,
      )
