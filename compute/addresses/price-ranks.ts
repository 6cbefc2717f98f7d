/** Sums by cost, of which it returns those below a price of the history: a Fenwick tree over the ranks of all daily prices. */
export class PriceRanks {
  /** Ascending. */
  readonly #prices: Float64Array
  readonly #tree: Float64Array

  constructor(prices: Float64Array) {
    this.#prices = Float64Array.from(new Set(prices.filter((price) => !Number.isNaN(price)))).sort()
    this.#tree = new Float64Array(this.#prices.length + 2)
  }

  /** The number of prices up to a cost. */
  rank(cost: number): number {
    let low = 0
    let high = this.#prices.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#prices[middle]! <= cost) low = middle + 1
      else high = middle
    }
    return low
  }

  add(rank: number, amount: number): void {
    for (let at = rank + 1; at < this.#tree.length; at += at & -at) this.#tree[at]! += amount
  }

  /** The sum of what costs less than `price`, which is one of the history. */
  below(price: number): number {
    let sum = 0
    for (let at = this.rank(price); at > 0; at -= at & -at) sum += this.#tree[at]!
    return sum
  }
}
