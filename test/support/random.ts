/** Repeatable random numbers (mulberry32): the same seed, the same sequence. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** As a seed, it continues the sequence. */
  get state(): number {
    return this.#state
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0]
  }

  /** Removes a random item from the list and returns it; undefined if it is empty. */
  take<T>(items: T[]): T | undefined {
    return items.splice(this.between(0, items.length - 1), 1)[0]
  }
}
