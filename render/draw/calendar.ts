import { pairs } from 'd3-array'
import { type TimeInterval, unixDay, utcHour, utcMonday, utcMonth, utcYear } from 'd3-time'
import { utcFormat } from 'd3-time-format'
import { hoursPerDay, msPerDay } from '#base/days.ts'
import type { Days } from './specification.ts'
import type { Tick } from './value-scale.ts'

export const toDate = (day: number): Date => new Date(Math.round(day * msPerDay))

const formatFullDate = utcFormat('%-d %b %Y')
const formatTime = utcFormat('%-d %b %Y %H:%M')

/** `5 Mar 2024`, or with a time of day `5 Mar 2024 14:00`. */
export const formatDay = (day: number): string => (Number.isInteger(day) ? formatFullDate : formatTime)(toDate(day))

/** Formatted month names: `%b` gives Jan, Feb, … */
export const listMonths = (format: string): string[] =>
  utcMonth.range(toDate(0), toDate(365)).map((date) => utcFormat(format)(date))

/** Dates to label, about `days` apart. */
interface Division {
  readonly days: number
  readonly dates: TimeInterval
  readonly format: (date: Date) => string
}

const formatClock = utcFormat('%H:%M')
const formatDate = utcFormat('%-d %b')
const formatMonth = utcFormat('%b ’%y')

/**
 * From fine to coarse; the finest that fits is used. D3's ticks ignore label widths, and count
 * every second day from the first of a month.
 */
const divisions: readonly Division[] = [
  ...[3, 6, 12].map((count) => ({
    days: count / hoursPerDay,
    dates: utcHour.every(count)!,
    format: (date: Date) => (unixDay.floor(date) < date ? formatClock : formatDate)(date),
  })),
  ...[1, 2].map((count) => ({ days: count, dates: unixDay.every(count)!, format: formatDate })),
  ...[1, 2].map((count) => ({ days: 7 * count, dates: utcMonday.every(count)!, format: formatDate })),
  ...[1, 2, 3, 6].map((count) => ({ days: 30 * count, dates: utcMonth.every(count)!, format: formatMonth })),
  ...[1, 2, 4, 5, 10].map((count) => ({ days: 365 * count, dates: utcYear.every(count)!, format: utcFormat('%Y') })),
]

/**
 * Date labels between two unix days. `place` maps a day to pixels, `width` measures a label, `gap`
 * is the minimum distance. With `alwaysMonths` (cycle overlays), labels have month and two-digit
 * year.
 */
export function calendarTicks(
  [first, last]: readonly [number, number],
  place: (day: number) => number,
  width: (label: string) => number,
  gap: number,
  alwaysMonths: boolean,
  hasTimes = false,
): Tick[] {
  for (const { days, dates, format } of divisions) {
    if (alwaysMonths && days < 28 && last - first > 62) continue
    // Without times, hours would name nothing.
    if (days < 1 && (!hasTimes || last - first > maxDaysOfHours)) continue
    // Skips far too fine divisions before formatting labels.
    if (place(first + days) - place(first) < gap) continue
    const write = alwaysMonths && days >= 365 ? formatMonth : format
    const ticks = dates
      .range(toDate(first), new Date(last * msPerDay + 1))
      .map((date) => ({ position: place(date.getTime() / msPerDay), label: write(date) }))
    if (fits(ticks, width, gap)) return ticks
  }
  return []
}

/**
 * Date labels at weeks, months or years; empty if there are so many weeks that months label them better.
 */
export function periodTicks(
  days: Days,
  unit: 'week' | 'month' | 'year',
  place: (day: number) => number,
  width: (label: string) => number,
  gap: number,
): Tick[] {
  const select = (isShown: (day: number, i: number) => boolean, format: Division['format']): Tick[] =>
    [...days].filter(isShown).map((day) => ({ position: place(day), label: format(toDate(day)) }))
  const [periods, minDays] = unit === 'year' ? [utcYear, 365] : [utcMonth, 28]
  const isFirstOf = (dates: TimeInterval) => (day: number) =>
    Number(dates.floor(toDate(day))) === Number(periods.floor(toDate(day)))
  const choices =
    unit !== 'week'
      ? divisions.filter((one) => one.days >= minDays).map(({ dates, format }) => select(isFirstOf(dates), format))
      : (days.length <= maxAlternateWeeks ? [1, 2] : [1]).map((every) =>
          select((_, i) => (days.length - 1 - i) % every === 0, formatDate),
        )
  return choices.find((ticks) => fits(ticks, width, gap)) ?? []
}

/** About two months; month labels would mislead. */
const maxAlternateWeeks = 9

/** Longer ranges have no room for hours. */
const maxDaysOfHours = 8

const fits = (ticks: readonly Tick[], width: (label: string) => number, gap: number): boolean =>
  pairs(ticks).every(
    ([left, right]) => right.position - left.position - (width(left.label) + width(right.label)) / 2 >= gap,
  )
