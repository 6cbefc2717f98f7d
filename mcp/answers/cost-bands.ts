import type { z } from 'zod'
import type { rows } from '#contract/rows.ts'

export type Bin = z.output<typeof rows.costBasis>

/** Coins that last moved at prices from `from` to below `to`, in USD. */
export interface Band {
  readonly from: number
  readonly to: number
  readonly sats: number
}

/** Merges ascending bins into at most `maxBands` bands of equal price ratio. */
export function mergeBins(bins: readonly Bin[], maxBands: number): { bands: Band[]; binsPerBand: number } {
  for (let binsPerBand = 1; ; binsPerBand++) {
    const groups = [...Map.groupBy(bins, ({ bin }) => Math.floor(bin / binsPerBand)).values()]
    if (groups.length > maxBands) continue
    const bands = groups.map((members) => ({
      from: members[0]!.lower_price,
      to: members.at(-1)!.upper_price,
      sats: sumSats(members),
    }))
    return { bands, binsPerBand }
  }
}

export const sumSats = (bins: readonly Bin[]): number => bins.reduce((sum, { supply_sats }) => sum + supply_sats, 0)

/** Returns the cost in USD that `percent` of the supply does not exceed: the upper end of its bin. */
export function costAtPercentile(bins: readonly Bin[], percent: number): number | null {
  const wanted = (sumSats(bins) * percent) / 100
  let below = 0
  for (const { supply_sats, upper_price } of bins) {
    below += supply_sats
    if (below >= wanted) return upper_price
  }
  return null
}

/** Satoshis that cost between two prices in USD. Bins that contain one of the prices count in part. */
export function satsBetween(bins: readonly Bin[], from: number, to: number): number {
  return bins.reduce((sum, { lower_price, upper_price, supply_sats }) => {
    const shared = Math.min(to, upper_price) - Math.max(from, lower_price)
    // Coins that last moved before the first price cost 0, in a bin of no width.
    if (upper_price === lower_price) return lower_price >= from && lower_price < to ? sum + supply_sats : sum
    return shared <= 0 ? sum : sum + supply_sats * (shared / (upper_price - lower_price))
  }, 0)
}

/** Percent of the supply that cost less than a price. The bin that contains it counts in part, as if spread evenly. */
export function percentBelow(bins: readonly Bin[], price: number): number | null {
  const all = sumSats(bins)
  if (all === 0) return null
  return (100 * satsBetween(bins, 0, price)) / all
}
