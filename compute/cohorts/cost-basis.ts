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
  /** 1 for days on which coins had a price that is not known, because the stored history begins later; else 0. */
  readonly unpriced: Uint8Array
}

/** `marketDay` is the unix day on which the coins of the network were first traded; where it is not given, it is that of the first price. */
export function costBasisOf(
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
 * Up to this share of a supply, unpriced coins count as if they had cost nothing: shares in profit or loss are then off
 * by no more than a tenth of a percentage point, less than what the sources of a price differ by.
 */
export const negligibleShare = 0.001

/** Whether the cost of coins is known, given how many satoshis of them are unpriced. */
export const isCostKnown = (unpricedSats: number, supplySats: number): boolean =>
  unpricedSats <= negligibleShare * supplySats
