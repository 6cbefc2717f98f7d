import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'

/**
 * Metrics that must not be null between their first value and the last price, so that averages,
 * windows and ratios of them are not either.
 */
export const gaplessMetrics: ReadonlySet<string> = new Set([
  'price',
  'open',
  'high',
  'low',
  'market_age_days',
  'supply_sats',
])

/** Fails at the first null between the first value and the last priced day. */
export function requireNoGap(id: string, column: Float64Array, firstDay: number, lastPricedDay: number): void {
  const first = column.findIndex((value) => !Number.isNaN(value))
  if (first < 0) return
  const gap = column.findIndex((value, day) => day > first && day <= lastPricedDay && Number.isNaN(value))
  if (gap < 0) return
  const message = `${id} has no value on ${isoDate(firstDay + gap)}, but before and after`
  throw new CoinstrataError('metric_incomplete', message, {
    cure: 'run "coinstrata fetch" and "coinstrata update" again; if that does not help, please report it with this message',
  })
}
