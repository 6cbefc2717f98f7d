import { hoursPerDay, msPerDay } from '#base/days.ts'
import type { Days } from './specification.ts'
import type { Tick } from './value-scale.ts'

export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type Interval = { unit: 'hour' | 'day' | 'month' | 'year'; every: number }

/** From fine to coarse; the finest whose labels fit is used. */
const intervals: Interval[] = [
  { unit: 'hour', every: 3 },
  { unit: 'hour', every: 6 },
  { unit: 'hour', every: 12 },
  { unit: 'day', every: 1 },
  { unit: 'day', every: 2 },
  { unit: 'day', every: 7 },
  { unit: 'day', every: 14 },
  { unit: 'month', every: 1 },
  { unit: 'month', every: 2 },
  { unit: 'month', every: 3 },
  { unit: 'month', every: 6 },
  { unit: 'year', every: 1 },
  { unit: 'year', every: 2 },
  { unit: 'year', every: 4 },
  { unit: 'year', every: 5 },
  { unit: 'year', every: 10 },
]

/** `5 Mar 2024` for a unix day, `5 Mar 2024 14:00` for a time of the day. */
export function formatDay(day: number): string {
  const date = new Date(Math.round(day * msPerDay))
  const time = Number.isInteger(day) ? '' : ` ${formatClock(date)}`
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}${time}`
}

/** `14:00` */
const formatClock = (date: Date): string => date.toISOString().slice(11, 16)

/**
 * Date labels between two unix days. `place` maps a day to pixels, `width` measures a label, `gap`
 * is the minimum distance of labels. With `alwaysMonths` (cycle overlays), labels always have month
 * and two-digit year.
 */
export function calendarTicks(
  [first, last]: [number, number],
  place: (day: number) => number,
  width: (label: string) => number,
  gap: number,
  alwaysMonths: boolean,
  hasTimes = false,
): Tick[] {
  for (const interval of intervals) {
    if (alwaysMonths && ['hour', 'day'].includes(interval.unit) && last - first > 62) continue
    // Hours of days without times would name nothing.
    if (interval.unit === 'hour' && (!hasTimes || last - first > maxDaysOfHours)) continue
    const days = intervalDays(interval, first, last)
    // Skips intervals that are far too fine before any label is formatted.
    const [start = 0, end = 0] = [days[0], days.at(-1)]
    if (place(end) - place(start) < gap * (days.length - 1)) continue
    const ticks = days.map((day) => ({ position: place(day), label: formatTick(day, interval, alwaysMonths) }))
    if (ticks.every((tick, i) => i === 0 || gapBetween(ticks[i - 1]!, tick, width) >= gap)) return ticks
  }
  return []
}

/**
 * Date labels at the points of weeks or months; empty if weeks are so many that calendar months
 * label them better.
 */
export function periodTicks(
  days: Days,
  unit: 'week' | 'month',
  place: (day: number) => number,
  width: (label: string) => number,
  gap: number,
): Tick[] {
  const fits = (ticks: readonly Tick[]): boolean =>
    ticks.every((tick, i) => i === 0 || gapBetween(ticks[i - 1]!, tick, width) >= gap)
  const toTick = (interval: Interval) => (day: number) => ({
    position: place(day),
    label: formatTick(day, interval, false),
  })
  if (unit === 'week') {
    const ticks = Array.from(days, toTick({ unit: 'day', every: 7 }))
    if (fits(ticks)) return ticks
    const everySecond = ticks.filter((_, i) => (ticks.length - 1 - i) % 2 === 0)
    return ticks.length <= maxAlternateWeeks && fits(everySecond) ? everySecond : []
  }
  for (const every of [1, 2, 3, 6, 12, 24, 48, 60]) {
    const shown = [...days].filter((day) => new Date(day * msPerDay).getUTCMonth() % Math.min(every, 12) === 0)
    const years = shown.filter((day) => new Date(day * msPerDay).getUTCFullYear() % Math.ceil(every / 12) === 0)
    const ticks = years.map(toTick({ unit: every < 12 ? 'month' : 'year', every }))
    if (fits(ticks)) return ticks
  }
  return []
}

/** About two months, for which month labels would be misleading. */
const maxAlternateWeeks = 9

/** Longer ranges have no room for hours. */
const maxDaysOfHours = 8

const gapBetween = (left: Tick, right: Tick, width: (label: string) => number): number =>
  right.position - left.position - (width(left.label) + width(right.label)) / 2

function intervalDays({ unit, every }: Interval, first: number, last: number): number[] {
  const days: number[] = []
  if (unit === 'hour') {
    const step = every / hoursPerDay
    for (let count = Math.ceil(first / step); count * step <= last; count++) days.push(count * step)
    return days
  }
  if (unit === 'day') {
    // Unix day 4 was a Monday; weeks begin on Mondays.
    for (let day = Math.ceil((first - 4) / every) * every + 4; day <= last; day += every) days.push(day)
    return days
  }
  const months = unit === 'month' ? every : 12 * every
  const start = new Date(first * msPerDay)
  const startMonth = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months
  for (let month = startMonth; ; month += months) {
    const day = Date.UTC(Math.floor(month / 12), month % 12) / msPerDay
    if (day > last) return days
    if (day >= first) days.push(day)
  }
}

function formatTick(day: number, { unit }: Interval, alwaysMonths: boolean): string {
  const date = new Date(day * msPerDay)
  const year = String(date.getUTCFullYear())
  if (unit === 'year' && !alwaysMonths) return year
  if (unit === 'hour' && !Number.isInteger(day)) return formatClock(date)
  const month = monthNames[date.getUTCMonth()]
  return unit === 'day' || unit === 'hour' ? `${date.getUTCDate()} ${month}` : `${month} ’${year.slice(2)}`
}
