import type { Aggregate } from '#base/kinds.ts'
import { aggregated, type Interval, periodOf, periodsIn, usualInterval } from '#contract/intervals.ts'
import { type DailyRange, isAscending } from '#contract/parameters.ts'
import type { View } from '../view.ts'

const mostDays: Readonly<Record<Interval, number>> = { '1d': 1, '1w': 7, '1m': 31 }

/** Rows of periods, newest first. */
export interface PeriodRows {
  /** The newest unix day of each. */
  readonly days: Float64Array
  /** A column of the rows from the values of the days; `usual` is how they become one where the caller does not say. */
  readonly column: (values: Float64Array, usual: Aggregate) => Float64Array
  /** Those of the days that stand for their periods. */
  readonly newest: readonly number[]
}

/**
 * The unix days that the page of rows asked for is made of, and how many are enough: of the newest ones, or of the oldest
 * where `ascending`. Periods are whole at their
 * beginning, as far as it may be seen.
 */
export function daysOfPeriods(
  view: View,
  range: DailyRange,
): { first: number; last: number; rows: number; enough: number; ascending: boolean } {
  const { interval = usualInterval } = range
  const { first, last, rows, ascending } = view.page(range)
  return {
    first: Math.max(periodOf(first, interval), view.firstDay),
    last,
    rows,
    enough: rows * mostDays[interval],
    ascending,
  }
}

/**
 * At most so many rows of periods of ascending unix days. A sum or a mean of a period that began before the caller's
 * history is not told.
 */
export function periodRows(view: View, days: Float64Array, range: DailyRange, rows: number): PeriodRows {
  const { interval = usualInterval, aggregate } = range
  const all = periodsIn(days, interval)
  const periods = isAscending(range) ? all.slice(0, rows) : all.slice(-rows)
  const [from] = periods[0] ?? []
  const isCut = from !== undefined && view.isCut && periodOf(days[from]!, interval) < view.firstDay
  const newest = periods.map(([, to]) => to - 1).reverse()
  return {
    days: Float64Array.from(newest, (row) => days[row]!),
    column: (values, usual) => {
      const how = aggregate ?? usual
      const made = aggregated(values, periods, how).toReversed()
      if (isCut && how !== 'last') made[made.length - 1] = Number.NaN
      return made
    },
    newest,
  }
}
