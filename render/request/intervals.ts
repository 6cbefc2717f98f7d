import { msPerDay } from '#base/days.ts'
import { aggregatePeriods, type Period } from '#contract/intervals.ts'
import type { Candles } from '../draw/specification.ts'

/** Candles per period; `cut` selects the chart's days from a column. */
export function aggregateCandles(
  periods: readonly Period[],
  { open, high, low }: Candles,
  cut: (values: Float64Array) => Float64Array,
): Candles {
  return {
    open: aggregatePeriods(cut(open), periods, 'first'),
    high: aggregatePeriods(cut(high), periods, 'max'),
    low: aggregatePeriods(cut(low), periods, 'min'),
  }
}

/** First unix day of the year of `day`, or an earlier year. */
export const yearStart = (day: number, yearsBefore = 0): number =>
  Date.UTC(new Date(day * msPerDay).getUTCFullYear() - yearsBefore, 0) / msPerDay
