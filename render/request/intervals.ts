import { msPerDay } from '#base/days.ts'
import type { ChartInterval } from '#contract/chart-options.ts'
import {
  aggregatePeriods,
  type Period,
  seriesIntervalCodes,
  splitIntoPeriods,
  startOfPeriod,
} from '#contract/intervals.ts'
import type { Candles } from '../draw/specification.ts'

/** Weeks end on Sundays; the newest period may be incomplete. `days` are ascending unix days. */
export const toPeriods = (interval: ChartInterval, days: Int32Array): Period[] =>
  splitIntoPeriods(days, seriesIntervalCodes[interval])

export const periodStart = (interval: ChartInterval, day: number): number =>
  startOfPeriod(day, seriesIntervalCodes[interval])

export const lastPerPeriod = (values: Float64Array, periods: readonly Period[]): Float64Array =>
  aggregatePeriods(values, periods, 'last')

/** Candles per period; `cut` selects the days of the chart from a column. */
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

/** The first unix day of the year of `day`, or of an earlier year. */
export const yearStart = (day: number, yearsBefore = 0): number =>
  Date.UTC(new Date(day * msPerDay).getUTCFullYear() - yearsBefore, 0) / msPerDay
