import { msPerDay } from '#base/days.ts'
import type { ChartInterval, IntervalName } from './chart-options.ts'
import type { MetricAggregate } from './metric-kinds.ts'

export const intervals = ['1d', '1w', '1m', '1y'] as const
export type Interval = (typeof intervals)[number]

/** Only some metrics have blocks and hours. */
export const seriesIntervals = ['block', '1h', ...intervals] as const
export type SeriesInterval = (typeof seriesIntervals)[number]

export const defaultInterval: Interval = '1d'
/** Charts use names, other answers codes; parameters accept both. */
export const intervalCodes: Record<IntervalName, Interval> = { day: '1d', week: '1w', month: '1m', year: '1y' }
export const seriesIntervalCodes: Record<ChartInterval, SeriesInterval> = {
  block: 'block',
  hour: '1h',
  ...intervalCodes,
}

export const intervalDescription =
  'Days, weeks (from Monday), months or years. Of each period there is one row, dated by its newest day. `aggregate` of /v1/metrics says how it follows from its days: levels such as a price are the last value, flows such as fees the sum, ratios such as SOPR their formula over the period'

export const fineDescription =
  'Hours (1h) and blocks (block), of the metrics whose intervals at /v1/metrics/{metric_id} have them. Hours follow from blocks and prices alone, or are the state after the last block of the hour. Blocks are the day so far, after each block since the node is followed. Rows then have a time, and a formula uses no function over several rows.'

export const aggregateDescription =
  'How the days of a week, month or year become one, for all columns, instead of by `aggregate` of /v1/metrics for each'

export function startOfPeriod(day: number, interval: SeriesInterval): number {
  switch (interval) {
    case 'block':
    case '1h':
    case '1d':
      return day
    case '1w':
      // 1970-01-01 was a Thursday.
      return day - ((day + 3) % 7)
    case '1m':
      return day - new Date(day * msPerDay).getUTCDate() + 1
    case '1y':
      return Date.UTC(new Date(day * msPerDay).getUTCFullYear(), 0) / msPerDay
  }
}

const minDays: Readonly<Record<SeriesInterval, number>> = { block: 1, '1h': 1, '1d': 1, '1w': 7, '1m': 28, '1y': 365 }

/** First row of the period of each of `count` days; negative if it is before `firstDay`. */
export function periodStarts(firstDay: number, count: number, interval: SeriesInterval): Int32Array {
  const starts = new Int32Array(count)
  let start = Number.NEGATIVE_INFINITY
  for (let row = 0; row < count; row++) {
    // A date is costly, and this is done for each metric.
    if (row - start >= minDays[interval]) start = startOfPeriod(firstDay + row, interval) - firstDay
    starts[row] = start
  }
  return starts
}

/** As `periodStarts`: each row's period is that of the `days` up to it. */
export const trailingStarts = (count: number, days: number): Int32Array =>
  new Int32Array(count).map((_, row) => row - days + 1)

/** Rows of consecutive days; `to` is exclusive. */
export type Period = readonly [from: number, to: number]

/** The first and last period may be incomplete. */
export function splitIntoPeriods(days: ArrayLike<number>, interval: SeriesInterval): Period[] {
  const periods: Period[] = []
  let from = 0
  for (let row = 1; row <= days.length; row++) {
    if (row < days.length && startOfPeriod(days[row]!, interval) === startOfPeriod(days[from]!, interval)) continue
    periods.push([from, row])
    from = row
  }
  return periods
}

/** From known days; NaN if none. Recomputed values are those of the period so far. */
export function aggregatePeriods(values: Float64Array, periods: readonly Period[], how: MetricAggregate): Float64Array {
  // Periods of one day each.
  if (periods.length === values.length) return values
  return Float64Array.from(periods, ([from, to]) => aggregateValues(values.subarray(from, to), how))
}

function aggregateValues(values: Float64Array, how: MetricAggregate): number {
  const isKnown = (value: number): boolean => !Number.isNaN(value)
  switch (how) {
    case 'last':
    case 'formula':
    case 'counts':
      return values.findLast(isKnown) ?? Number.NaN
    case 'first':
      return values.find(isKnown) ?? Number.NaN
  }
  const known = values.filter(isKnown)
  if (known.length === 0) return Number.NaN
  switch (how) {
    case 'min':
      return Math.min(...known)
    case 'max':
      return Math.max(...known)
    case 'sum':
    case 'mean': {
      const sum = known.reduce((total, value) => total + value, 0)
      return how === 'sum' ? sum : sum / known.length
    }
  }
}
