import { dayOf } from '#base/days.ts'

export interface Range {
  readonly days: number
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
}

/** The rows of a range as the API would choose them: the whole range from a start date, else the newest ones. */
export function rowsIn(days: Int32Array, { days: most, start_date, end_date }: Range): { from: number; to: number } {
  const to = end_date === undefined ? days.length : countDaysUpTo(days, dayOf(end_date))
  const from = start_date === undefined ? to - most : countDaysUpTo(days, dayOf(start_date) - 1)
  return { from: Math.max(0, Math.min(from, to)), to }
}

/** How many of ascending days are not later than a day. */
function countDaysUpTo(days: Int32Array, day: number): number {
  const later = days.findIndex((one) => one > day)
  return later < 0 ? days.length : later
}
