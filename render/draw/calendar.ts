import { millisecondsPerDay } from '#base/days.ts'
import type { Tick } from './value-scale.ts'

export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type Interval = { unit: 'day' | 'month' | 'year'; every: number }

/** From fine to coarse; the finest whose labels fit is taken. */
const intervals: Interval[] = [
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

/** `5 Mar 2024` for a unix day. */
export function formatDay(day: number): string {
  const date = new Date(day * millisecondsPerDay)
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/**
 * Date labels between two unix days. `place` gives a day's pixel, `width` a label's width, `gap` the least room between
 * labels. `alwaysMonths` writes month and two-digit year also where years would do, as cycle overlays do.
 */
export function calendarTicks(
  [first, last]: [number, number],
  place: (day: number) => number,
  width: (label: string) => number,
  gap: number,
  alwaysMonths: boolean,
): Tick[] {
  for (const interval of intervals) {
    if (alwaysMonths && interval.unit === 'day' && last - first > 62) continue
    const days = intervalDays(interval, first, last)
    // Most intervals are far too fine, which shows before anything is written.
    const [start = 0, end = 0] = [days[0], days.at(-1)]
    if (place(end) - place(start) < gap * (days.length - 1)) continue
    const ticks = days.map((day) => ({ position: place(day), label: formatTick(day, interval, alwaysMonths) }))
    if (ticks.every((tick, i) => i === 0 || gapBetween(ticks[i - 1]!, tick, width) >= gap)) return ticks
  }
  return []
}

/**
 * The same at the points of weeks or months, which stand at the ends of these: weeks by their last day, months by name.
 * Nothing where weeks are so many that months tell them better.
 */
export function periodTicks(
  days: Int32Array,
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
    const shown = [...days].filter(
      (day) => new Date(day * millisecondsPerDay).getUTCMonth() % Math.min(every, 12) === 0,
    )
    const years = shown.filter(
      (day) => new Date(day * millisecondsPerDay).getUTCFullYear() % Math.ceil(every / 12) === 0,
    )
    const ticks = years.map(toTick({ unit: every < 12 ? 'month' : 'year', every }))
    if (fits(ticks)) return ticks
  }
  return []
}

/** About two months, whose names would stand below none of their ends. */
const maxAlternateWeeks = 9

function gapBetween(left: Tick, right: Tick, width: (label: string) => number): number {
  return right.position - left.position - (width(left.label) + width(right.label)) / 2
}

function intervalDays({ unit, every }: Interval, first: number, last: number): number[] {
  const days: number[] = []
  if (unit === 'day') {
    // Day 4 was a Monday, so whole weeks begin on Mondays.
    for (let day = Math.ceil((first - 4) / every) * every + 4; day <= last; day += every) days.push(day)
    return days
  }
  const months = unit === 'month' ? every : 12 * every
  const start = new Date(first * millisecondsPerDay)
  const startMonth = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months
  for (let month = startMonth; ; month += months) {
    const day = Date.UTC(Math.floor(month / 12), month % 12) / millisecondsPerDay
    if (day > last) return days
    if (day >= first) days.push(day)
  }
}

function formatTick(day: number, { unit }: Interval, alwaysMonths: boolean): string {
  const date = new Date(day * millisecondsPerDay)
  const year = String(date.getUTCFullYear())
  if (unit === 'year' && !alwaysMonths) return year
  const month = monthNames[date.getUTCMonth()]
  return unit === 'day' ? `${date.getUTCDate()} ${month}` : `${month} ’${year.slice(2)}`
}
