import {
  aggregatePeriods,
  defaultInterval,
  type Interval,
  splitIntoPeriods,
  startOfPeriod,
} from '#contract/intervals.ts'
import type { Aggregate } from '#contract/metric-kinds.ts'
import { type DailyRange, isAscending } from '#contract/parameters.ts'
import type { View } from '../view.ts'

const maxDays: Readonly<Record<Interval, number>> = { '1d': 1, '1w': 7, '1m': 31 }

/** Rows of periods, newest first. */
export interface PeriodRows {
  /** The newest unix day of each period. */
  readonly days: Float64Array
  /** Aggregates daily values to a column of the rows; `defaultAggregate` applies unless the request names another. */
  readonly column: (values: Float64Array, defaultAggregate: Aggregate) => Float64Array
  /** Indices of the newest day of each period. */
  readonly newest: readonly number[]
}

/**
 * The unix days that the requested page of periods covers, and how many rows suffice: from the newest, or from the
 * oldest if `ascending`. The first period is complete as far as it is visible.
 */
export function periodDays(
  view: View,
  range: DailyRange,
): { first: number; last: number; rows: number; enough: number; ascending: boolean } {
  const { interval = defaultInterval } = range
  const { first, last, rows, ascending } = view.page(range)
  return {
    first: Math.max(startOfPeriod(first, interval), view.firstDay),
    last,
    rows,
    enough: rows * maxDays[interval],
    ascending,
  }
}

/**
 * At most `rows` periods of ascending unix days. Sums and means of a period that began before the caller's history are
 * null.
 */
export function periodRows(view: View, days: Float64Array, range: DailyRange, rows: number): PeriodRows {
  const { interval = defaultInterval, aggregate } = range
  const all = splitIntoPeriods(days, interval)
  const periods = isAscending(range) ? all.slice(0, rows) : all.slice(-rows)
  const [from] = periods[0] ?? []
  const isCut = from !== undefined && view.isCut && startOfPeriod(days[from]!, interval) < view.firstDay
  const newest = periods.map(([, to]) => to - 1).reverse()
  return {
    days: Float64Array.from(newest, (row) => days[row]!),
    column: (values, usual) => {
      const how = aggregate ?? usual
      const made = aggregatePeriods(values, periods, how).toReversed()
      if (isCut && how !== 'last') made[made.length - 1] = Number.NaN
      return made
    },
    newest,
  }
}
