/** Time per turn of the event loop in which requests are started. */
const sliceMs = 2

/**
 * Starts requests for 2 ms per turn of the event loop, callers in turn, so that a caller who sends hundreds of quick requests at
 * once delays nobody else.
 */
export class Arrivals {
  /** Queues by caller, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** End of the current slice; undefined if no request started in this turn of the event loop. */
  #until: number | undefined

  /** Starts a request at once if the queue is empty and the slice has time left. */
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
      // Move this caller to the back of the queue.
      this.#waiting.delete(caller)
      if (own.length > 0) this.#waiting.set(caller, own)
      first?.()
      break
    }
    if (this.#waiting.size === 0 || performance.now() >= (this.#until ?? 0)) return
    // After the promise callbacks of this request, which count as well.
    queueMicrotask(() => process.nextTick(this.#beginNext))
  }
}
