import type { DailyPrices } from '#ingest/market/prices.ts'

/** What a day's coins cost and what coins are worth on it, in USD, by days counted from the first block. */
export interface CostBasis {
  /** Close of the day; NaN where there is none. */
  readonly price: Float64Array
  /**
   * Cost of the coins created on the day: its close, 0 before the first price. A day that lacks its close takes the one
   * before it, so that a hole in the prices does not make the cost of coins unknown for ever.
   */
  readonly cost: Float64Array
}

export function costBasisOf(prices: DailyPrices | undefined, firstDay: number, days: number): CostBasis {
  const price = new Float64Array(days).fill(Number.NaN)
  const cost = new Float64Array(days)
  let last = 0
  for (let day = 0; day < days; day++) {
    const close = prices?.close[firstDay + day - prices.firstDay] ?? Number.NaN
    price[day] = close
    if (!Number.isNaN(close)) last = close
    cost[day] = last
  }
  return { price, cost }
}
