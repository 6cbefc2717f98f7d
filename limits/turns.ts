import { FairOrder } from './fair-order.ts'

/** Time for quick work per turn of the event loop. */
const quickMs = 2

/**
 * Shares the event loop. Each turn begins requests and other quick work for 2 ms and continues one
 * piece of heavy work, callers in turns, so that whoever sends hundreds of requests, or large ones,
 * delays nobody else.
 */
export class Turns {
  readonly #quick = new FairOrder()
  readonly #heavy = new FairOrder()
  /** End of the time for quick work; undefined if none began in this turn of the event loop. */
  #until: number | undefined

  /** Begins quick work at once if none waits and this turn has time left. */
  enter(caller: string, begin: () => void): void {
    if (this.#quick.callers === 0 && this.#hasTime()) begin()
    else this.#quick.add(caller, begin)
  }

  /** Resolves when it is the caller's turn for quick work. */
  quick(caller: string): Promise<void> {
    return this.#wait(this.#quick, caller)
  }

  /** Resolves when it is the caller's turn for a piece of heavy work of some milliseconds. */
  heavy(caller: string): Promise<void> {
    return this.#wait(this.#heavy, caller)
  }

  #wait(order: FairOrder, caller: string): Promise<void> {
    return new Promise((resolve) => {
      order.add(caller, resolve)
      this.#hasTime()
    })
  }

  #hasTime(): boolean {
    if (this.#until !== undefined) return performance.now() < this.#until
    this.#until = performance.now() + quickMs
    setImmediate(this.#nextTurn)
    return true
  }

  readonly #nextTurn = (): void => {
    this.#until = undefined
    if (this.#quick.callers === 0 && this.#heavy.callers === 0) return
    this.#hasTime()
    this.#beginNext()
  }

  readonly #beginNext = (): void => {
    this.#quick.beginNext()
    if (this.#quick.callers > 0 && performance.now() < (this.#until ?? 0)) {
      // After the promise callbacks of this request, which count as well.
      queueMicrotask(() => process.nextTick(this.#beginNext))
    } else this.#heavy.beginNext()
  }
}
