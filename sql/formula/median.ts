import { bisectLeft } from 'd3-array'

type Read = (ranked: RankedValues, row: number) => number

/** Reads the last `window` values; null (NaN) if there are fewer or one is null. */
function rolling(column: Float64Array, window: number, read: Read): Float64Array {
  const ranked = new RankedValues(column)
  return column.map((_, row) => {
    ranked.insert(row)
    if (row >= window) ranked.remove(row - window)
    return ranked.count === window ? read(ranked, row) : Number.NaN
  })
}

/** Reads all values so far; null (NaN) rows stay null and are skipped. */
function expanding(column: Float64Array, read: Read): Float64Array {
  const ranked = new RankedValues(column)
  return column.map((value, row) => {
    ranked.insert(row)
    return Number.isNaN(value) ? Number.NaN : read(ranked, row)
  })
}

const readMedian: Read = (ranked) => ranked.median()
export const rollingMedian = (column: Float64Array, window: number) => rolling(column, window, readMedian)
export const expandingMedian = (column: Float64Array) => expanding(column, readMedian)

/** Percent of the values that are at most the newest one. */
const readPercentile: Read = (ranked, row) => ranked.percentile(row)
export const rollingPercentile = (column: Float64Array, window: number) => rolling(column, window, readPercentile)
export const expandingPercentile = (column: Float64Array) => expanding(column, readPercentile)

export const rollingQuantile = (column: Float64Array, window: number, share: number) =>
  rolling(column, window, (ranked) => ranked.quantile(share))

/**
 * Multiset of a column's values, counted by rank in a Fenwick tree: a step takes log(rows) for any
 * window.
 */
class RankedValues {
  count = 0
  readonly #sorted: Float64Array
  /** Rank of each row's value, from 1; 0 for null. */
  readonly #ranks: Int32Array
  readonly #tree: Int32Array
  readonly #highestStep: number

  constructor(column: Float64Array) {
    this.#sorted = column.filter((value) => !Number.isNaN(value)).sort()
    this.#ranks = new Int32Array(column.length)
    for (let row = 0; row < column.length; row++) {
      const value = column[row]!
      if (!Number.isNaN(value)) this.#ranks[row] = bisectLeft(this.#sorted, value) + 1
    }
    this.#tree = new Int32Array(this.#sorted.length + 1)
    this.#highestStep = 2 ** Math.floor(Math.log2(this.#tree.length))
  }

  insert(row: number): void {
    this.#change(this.#ranks[row]!, 1)
  }

  remove(row: number): void {
    this.#change(this.#ranks[row]!, -1)
  }

  median(): number {
    const upper = this.#at(Math.floor(this.count / 2) + 1)
    return this.count % 2 === 1 ? upper : (this.#at(this.count / 2) + upper) / 2
  }

  /** Interpolated linearly between neighbours: the median for a `share` of 0.5. */
  quantile(share: number): number {
    const place = share * (this.count - 1)
    const lower = this.#at(Math.floor(place) + 1)
    return lower + (place % 1) * (this.#at(Math.ceil(place) + 1) - lower)
  }

  /** Percent of the values that are at most that of `row`. */
  percentile(row: number): number {
    let below = 0
    for (let node = this.#ranks[row]!; node > 0; node -= node & -node) below += this.#tree[node]!
    return (100 * below) / this.count
  }

  #change(rank: number, by: 1 | -1): void {
    if (rank === 0) return
    this.count += by
    for (let node = rank; node < this.#tree.length; node += node & -node) this.#tree[node]! += by
  }

  /** Returns the `place`-th smallest value, from 1. */
  #at(place: number): number {
    let rank = 0
    let left = place
    for (let step = this.#highestStep; step >= 1; step /= 2) {
      const inside = this.#tree[rank + step]
      if (inside === undefined || inside >= left) continue
      rank += step
      left -= inside
    }
    return this.#sorted[rank]!
  }
}
