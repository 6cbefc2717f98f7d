/** Counts are summed in blocks of 2^8 ranks. */
const blockBits = 8

/**
 * Counts values between bounds, to find the number below each bound. Adding is far more frequent
 * than reading.
 */
export class RankedCounts {
  /** Ascending, distinct. */
  readonly #bounds: Float64Array
  /** By list, then rank; and sums over blocks of ranks. */
  readonly #counts: readonly Float64Array[]
  readonly #blocks: readonly Float64Array[]

  /** @param lists number of separate counts with the same bounds */
  constructor(bounds: Float64Array, lists: number) {
    this.#bounds = Float64Array.from(new Set(bounds.filter((bound) => !Number.isNaN(bound)))).sort()
    const ranks = this.#bounds.length + 1
    this.#counts = Array.from({ length: lists }, () => new Float64Array(ranks))
    this.#blocks = Array.from({ length: lists }, () => new Float64Array((ranks >> blockBits) + 1))
  }

  clear(): void {
    for (const counts of [...this.#counts, ...this.#blocks]) counts.fill(0)
  }

  /** Returns the number of bounds up to a value. */
  rank(value: number): number {
    // Most coins cost less than all of some days' prices.
    if (value < this.#bounds[0]!) return 0
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#bounds[middle]! <= value) low = middle + 1
      else high = middle
    }
    return low
  }

  add(list: number, rank: number, amount: number): void {
    this.#counts[list]![rank]! += amount
    this.#blocks[list]![rank >> blockBits]! += amount
  }

  below(list: number, bound: number): number {
    const rank = this.rank(bound)
    const block = rank >> blockBits
    return sum(this.#blocks[list]!, 0, block) + sum(this.#counts[list]!, block << blockBits, rank)
  }

  atLeast(list: number, bound: number): number {
    const blocks = this.#blocks[list]!
    return sum(blocks, 0, blocks.length) - this.below(list, bound)
  }
}

function sum(values: Float64Array, from: number, end: number): number {
  let total = 0
  for (let i = from; i < end; i++) total += values[i]!
  return total
}
