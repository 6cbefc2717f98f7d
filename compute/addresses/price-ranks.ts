/**
 * Sums by cost, of which it returns those below one of some prices: additions are many, and prices
 * few.
 */
export class PriceRanks {
  /** Ascending. */
  readonly #prices: Float64Array
  /** By rank. */
  readonly #sums: Float64Array

  constructor(prices: Float64Array) {
    this.#prices = Float64Array.from(new Set(prices.filter((price) => !Number.isNaN(price)))).sort()
    this.#sums = new Float64Array(this.#prices.length + 1)
  }

  /** The number of prices up to a cost. */
  rank(cost: number): number {
    // Most coins cost less than all prices of some days.
    if (cost < this.#prices[0]!) return 0
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
    this.#sums[rank]! += amount
  }

  /** The sum of what costs less than `price`, which is one of the prices. */
  below(price: number): number {
    const rank = this.rank(price)
    let sum = 0
    for (let at = 0; at < rank; at++) sum += this.#sums[at]!
    return sum
  }
}
