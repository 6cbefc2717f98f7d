import type { IntervalName } from '#contract/chart-options.ts'
import { aggregatePeriods, type Interval, type Period, splitIntoPeriods, startOfPeriod } from '#contract/intervals.ts'
import type { Candles } from '../draw/specification.ts'

const intervalCodes: Record<IntervalName, Interval> = { day: '1d', week: '1w', month: '1m' }

/** Weeks end on Sundays and months on their last day; the newest period may be unfinished. `days` are unix days, ascending. */
export const toPeriods = (interval: IntervalName, days: Int32Array): Period[] =>
  splitIntoPeriods(days, intervalCodes[interval])

/** The first unix day of the week or month of a day. */
export const periodStart = (interval: IntervalName, day: number): number => startOfPeriod(day, intervalCodes[interval])

/** The last value of each period that is known. */
export const lastPerPeriod = (values: Float64Array, periods: readonly Period[]): Float64Array =>
  aggregatePeriods(values, periods, 'last')

/** Open of the first day of each period, highest high, lowest low; `cut` takes the days of the chart out of a column. */
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
