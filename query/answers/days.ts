import { hoursPerDay, isoDate } from '#base/days.ts'
import { pacedTurns } from '#base/own-turn.ts'
import {
  aggregatePeriods,
  defaultInterval,
  type Interval,
  type SeriesInterval,
  splitIntoPeriods,
  startOfPeriod,
} from '#contract/intervals.ts'
import type { MetricAggregate } from '#contract/metric-kinds.ts'
import { type DailyRange, isAscending, type Range } from '#contract/parameters.ts'
import type { Column, ColumnDescription } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, type AnswerMeta, noData } from './answer.ts'

/** From the first visible day to the last published one. */
export interface DailySeries {
  readonly name: string
  readonly columnNotes?: ColumnDescription | undefined
  readonly values: Float64Array
  /** How several days become one value; if recomputed, values are those of the period so far. */
  readonly aggregate: MetricAggregate
}

interface DaysRequest {
  readonly range: DailyRange
  /** From unix days. */
  readonly before: (days: Float64Array) => Column[]
  /** Significant digits, if values are rounded. */
  readonly digits?: number | undefined
}

/** Interval of which recomputed metrics need values; days if the request chooses the aggregate. */
export const recomputedInterval = ({ interval, aggregate }: DailyRange): Interval | undefined =>
  aggregate === undefined ? interval : undefined

/** Days before the first known value and after the last have no row. */
export async function daysAnswer(view: View, series: readonly DailySeries[], request: DaysRequest): Promise<Answer> {
  const { range, before, digits } = request
  const origin = view.firstDay
  const [firstKnown, lastKnown] = findKnownRows(series)
  if (firstKnown > lastKnown) return noData

  const newest = Math.min(range.end_date ?? Number.POSITIVE_INFINITY, origin + lastKnown)
  const { first, last, rows, enough, ascending } = periodDays(view, { ...range, end_date: newest })
  const from = Math.max(first, origin + firstKnown)
  const [oldest, latest] = ascending
    ? [from, Math.min(last, from + enough - 1)]
    : [Math.max(from, last - enough + 1), last]
  const shown = Float64Array.from({ length: Math.max(0, latest - oldest + 1) }, (_, i) => oldest + i)
  const isReversed = (range.interval ?? defaultInterval) === '1d'
  const { days, column } = isReversed
    ? { days: shown, column: (all: Float64Array) => all }
    : periodRows(view, shown, range, rows)
  const columns: Column[] = before(days)
  const turn = pacedTurns()
  for (const { name, columnNotes, values: all, aggregate } of series) {
    const shownValues = column(all.subarray(oldest - origin, latest - origin + 1), aggregate)
    columns.push({ name, columnNotes, kind: 'number', values: rounded(shownValues, digits) })
    await turn()
  }
  return { table: { columns, rows: days.length, isReversed }, meta: historyMeta(view, range, days.length) }
}

export const rounded = (values: Float64Array, digits: number | undefined): Float64Array =>
  digits === undefined ? values : values.map((value) => Number(value.toPrecision(digits)))

type HistoryRange = Range & { readonly interval?: SeriesInterval; readonly aggregate?: DailyRange['aggregate'] }

/**
 * Sets `history_limited_to` if the request reaches before the caller's history: by its dates, or
 * without a start date because fewer `rows` than `limit` were found.
 */
export function historyMeta(
  { firstDay, isCut }: View,
  { start_date, end_date, limit, cursor, interval = defaultInterval, aggregate }: HistoryRange,
  rows: number,
): AnswerMeta {
  const reachesFurther = start_date === undefined ? rows < limit + (cursor?.skip ?? 0) : start_date < firstDay
  return {
    ...(aggregate !== undefined && maxDays[interval] > 1 && { aggregate }),
    ...(isCut && (reachesFurther || (end_date ?? firstDay) < firstDay) && { history_limited_to: isoDate(firstDay) }),
  }
}

/** First and last row at which any series has a value; first > last if none. */
function findKnownRows(series: readonly DailySeries[]): [first: number, last: number] {
  let first = series[0]?.values.length ?? 0
  let last = -1
  for (const { values } of series) {
    for (let row = 0; row < first; row++) if (!Number.isNaN(values[row]!)) first = row
    for (let row = values.length - 1; row > last; row--) if (!Number.isNaN(values[row]!)) last = row
  }
  return [first, last]
}

/** Expected. */
const blocksPerDay = 144

export const maxDays: Readonly<Record<SeriesInterval, number>> = {
  block: 1 / blocksPerDay,
  '1h': 1 / hoursPerDay,
  '1d': 1,
  '1w': 7,
  '1m': 31,
  '1y': 366,
}

/**
 * Unix days of the requested page of periods, and how many suffice: from the newest, or if
 * `ascending` from the oldest. The first period is complete as far as visible.
 */
export function periodDays(view: View, range: DailyRange) {
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
 * At most `rows` periods, newest first: newest day of each, and its index in `days`. `column`
 * aggregates daily values, by the default unless the request names a way; for a period that began
 * before the caller's history, all but `last` are NaN.
 */
export function periodRows(view: View, days: Float64Array, range: DailyRange, rows: number) {
  const { interval = defaultInterval, aggregate } = range
  const all = splitIntoPeriods(days, interval)
  const periods = isAscending(range) ? all.slice(0, rows) : all.slice(-rows)
  const [from] = periods[0] ?? []
  const isCut = from !== undefined && view.isCut && startOfPeriod(days[from]!, interval) < view.firstDay
  const newest = periods.map(([, to]) => to - 1).reverse()
  return {
    days: Float64Array.from(newest, (row) => days[row]!),
    column: (values: Float64Array, defaultAggregate: MetricAggregate): Float64Array => {
      const how = aggregate ?? defaultAggregate
      const aggregated = aggregatePeriods(values, periods, how).toReversed()
      if (isCut && how !== 'last') aggregated[aggregated.length - 1] = Number.NaN
      return aggregated
    },
    newest,
  }
}
