import { type Interval, periodOf, usualInterval } from '#contract/intervals.ts'
import type { Range } from '#contract/parameters.ts'
import { isoDate } from '#root/days.ts'
import type { View } from '../published/view.ts'
import type { Column, Told } from '../table/columns.ts'
import { type Answer, type AnswerMeta, noData } from './answer.ts'

/** A daily series from the caller's first visible day to the last published one. */
export interface DailySeries {
  readonly name: string
  readonly told?: Told | undefined
  readonly values: Float64Array
}

/** What is asked of a daily table. */
export interface DaysRequest {
  readonly range: Range
  readonly interval?: Interval
  /** Columns before those of the series, from the unix days of the rows. */
  readonly before: (days: Float64Array) => Column[]
}

/**
 * The rows of daily series that are asked for, newest first. Days before the first and after the last at which
 * anything is known have no row.
 */
export function daysAnswer(view: View, series: readonly DailySeries[], request: DaysRequest): Answer {
  const { range, before, interval = usualInterval } = request
  const origin = view.firstDay
  const [firstKnown, lastKnown] = knownRows(series)
  if (firstKnown > lastKnown) return noData

  const { first, last, rows: wanted } = view.within(range)
  const newest = Math.min(last, origin + lastKnown)
  const oldest = Math.max(first, origin + firstKnown)
  const picked: number[] = []
  for (let day = newest; day >= oldest && picked.length < wanted; day--) {
    if (day === newest || periodOf(day, interval) !== periodOf(day + 1, interval)) picked.push(day - origin)
  }
  const days = Float64Array.from(picked, (row) => origin + row)
  const columns: Column[] = [
    ...before(days),
    ...series.map(({ name, told, values }) => ({
      name,
      told,
      kind: 'number' as const,
      values: Float64Array.from(picked, (row) => values[row]!),
    })),
  ]
  return { table: { columns, rows: days.length }, meta: historyMeta(view, range, days.length) }
}

/** Says so where a request reached further back than the tier's history; `rows` are those of the answer. */
export function historyMeta(
  { firstDay, isCut }: View,
  { start_date, end_date, limit }: Range,
  rows: number,
): AnswerMeta {
  const reachesFurther = start_date === undefined ? rows < limit : start_date < firstDay
  return isCut && (reachesFurther || (end_date ?? firstDay) < firstDay) ? { history_limited_to: isoDate(firstDay) } : {}
}

/** First and last row at which any of the series has a value; the first is the greater one where none has. */
function knownRows(series: readonly DailySeries[]): [first: number, last: number] {
  let first = series[0]?.values.length ?? 0
  let last = -1
  for (const { values } of series) {
    for (let row = 0; row < first; row++) if (!Number.isNaN(values[row]!)) first = row
    for (let row = values.length - 1; row > last; row--) if (!Number.isNaN(values[row]!)) last = row
  }
  return [first, last]
}
