/** Of a turn of the event loop, in milliseconds. */
const sliceMs = 2

/**
 * Requests that arrive together are begun some milliseconds' worth in a turn of the event loop, those of each caller in
 * turn: who sends hundreds at once, to be refused or to be given what is kept, delays nobody but itself.
 */
export class Arrivals {
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Until when requests are begun in this turn of the event loop; undefined where none has been. */
  #until: number | undefined

  /** Begins a request at once where nobody waits and there is time for it, else when it is the caller's turn. */
  enter(caller: string, begin: () => void): void {
    if (this.#waiting.size === 0 && this.#hasTime()) {
      begin()
      return
    }
    const own = this.#waiting.get(caller)
    if (own) own.push(begin)
    else this.#waiting.set(caller, [begin])
  }

  /** Resolves when it is the caller's turn. */
  turn(caller: string): Promise<void> {
    return new Promise((resolve) => this.enter(caller, resolve))
  }

  #hasTime(): boolean {
    if (this.#until !== undefined) return performance.now() < this.#until
    this.#until = performance.now() + sliceMs
    setImmediate(this.#endTurn)
    return true
  }

  /** The next turn begins; what waits is begun first. */
  readonly #endTurn = (): void => {
    this.#until = undefined
    if (this.#waiting.size === 0) return
    this.#until = performance.now() + sliceMs
    setImmediate(this.#endTurn)
    this.#beginNext()
  }

  readonly #beginNext = (): void => {
    for (const [caller, own] of this.#waiting) {
      const first = own.shift()
      // Who has had a turn stands behind all others.
      this.#waiting.delete(caller)
      if (own.length > 0) this.#waiting.set(caller, own)
      first?.()
      break
    }
    if (this.#waiting.size === 0 || performance.now() >= (this.#until ?? 0)) return
    // After what follows from it by promises, which counts as well.
    queueMicrotask(() => process.nextTick(this.#beginNext))
  }
}
