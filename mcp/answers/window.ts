import { type Interval, periodOf } from '#contract/intervals.ts'
import { dayOf } from '#root/days.ts'

export interface Range {
  readonly days: number
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
}

/** The rows of a range as the API would choose them: the whole range from a start date, else the newest ones. */
export function rowsIn(days: Int32Array, { days: most, start_date, end_date }: Range): { from: number; to: number } {
  const to = end_date === undefined ? days.length : countUpTo(days, dayOf(end_date))
  const from = start_date === undefined ? to - most : countUpTo(days, dayOf(start_date) - 1)
  return { from: Math.max(0, Math.min(from, to)), to }
}

/** Of rows from `from` to before `to` those that are the newest of their day, week (from Monday) or month. */
export function lastOfEach(interval: Interval, days: Int32Array, from: number, to: number): number[] {
  const rows: number[] = []
  for (let row = from; row < to; row++) {
    if (row === to - 1 || periodOf(days[row]!, interval) !== periodOf(days[row + 1]!, interval)) rows.push(row)
  }
  return rows
}

/** How many of ascending days are not later than a day. */
function countUpTo(days: Int32Array, day: number): number {
  const later = days.findIndex((one) => one > day)
  return later < 0 ? days.length : later
}
