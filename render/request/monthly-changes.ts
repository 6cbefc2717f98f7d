import { msPerDay } from '#base/days.ts'
import type { MonthGrid } from '../draw/specification.ts'
import { lastPerPeriod, toPeriods } from './intervals.ts'

/** Change over each month and year, in percent of the last value before it; the newest ones may be incomplete. */
export function monthlyChanges(days: Int32Array, values: Float64Array): MonthGrid {
  const ends = new Map<number, number>()
  const periods = toPeriods('month', days)
  const lasts = lastPerPeriod(values, periods)
  periods.forEach(([, to], i) => {
    if (!Number.isNaN(lasts[i]!)) ends.set(monthNumber(days[to - 1]!), lasts[i]!)
  })
  const known = [...ends.keys()]
  const [first, last] = [Math.min(...known), Math.max(...known)]
  // The first month has no change and does not count for the first year.
  const firstYear = Math.floor(Math.min(first + 1, last) / 12)
  const years = Array.from({ length: Math.floor(last / 12) - firstYear + 1 }, (_, i) => firstYear + i)
  const change = (now: number | undefined, before: number | undefined): number =>
    now === undefined || before === undefined || before <= 0 ? Number.NaN : 100 * (now / before - 1)
  const months = Float64Array.from({ length: years.length * 12 }, (_, i) => {
    const month = firstYear * 12 + i
    return change(ends.get(month), ends.get(month - 1))
  })
  const totals = Float64Array.from(years, (year) => {
    const end = ends.get(Math.min(year * 12 + 11, last))
    return change(end, ends.get(year * 12 - 1))
  })
  return { years, months, totals }
}

function monthNumber(day: number): number {
  const date = new Date(day * msPerDay)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The first unix day of the year of `day`, or of an earlier year. */
export const yearStart = (day: number, yearsBefore = 0): number =>
  Date.UTC(new Date(day * msPerDay).getUTCFullYear() - yearsBefore, 0) / msPerDay
