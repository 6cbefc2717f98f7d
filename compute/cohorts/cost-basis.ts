import type { DailyPrices } from '#ingest/market/prices.ts'

/** Price and cost of coins in USD, by day from the first block. */
export interface CostBasis {
  /** Close; NaN without one. */
  readonly price: Float64Array
  /**
   * Cost of the coins created on the day: its close, or the last one before it, since a gap in the
   * prices would make their cost unknown for ever. 0 before the first price.
   */
  readonly cost: Float64Array
  /** 1 for days on which coins had a price before the stored price history begins, else 0. */
  readonly unpriced: Uint8Array
}

/**
 * @param marketDay unix day of the first trade of the network's coins (default: the first price)
 */
export function createCostBasis(
  prices: Pick<DailyPrices, 'firstDay' | 'close'> | undefined,
  firstDay: number,
  days: number,
  marketDay = prices?.firstDay ?? 0,
): CostBasis {
  const price = new Float64Array(days).fill(Number.NaN)
  const cost = new Float64Array(days)
  const unpriced = new Uint8Array(days)
  let last = 0
  for (let day = 0; day < days; day++) {
    const close = prices?.close[firstDay + day - prices.firstDay] ?? Number.NaN
    price[day] = close
    if (!Number.isNaN(close)) last = close
    cost[day] = last
    if (prices && firstDay + day >= marketDay && firstDay + day < prices.firstDay) unpriced[day] = 1
  }
  return { price, cost, unpriced }
}

/**
 * Unpriced coins up to this share of a supply count as free, which moves shares by at most 0.1
 * percentage points.
 */
export const negligibleShare = 0.001

export const isCostKnown = (unpricedSats: number, supplySats: number): boolean =>
  unpricedSats <= negligibleShare * supplySats
