import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { calendarTicks, formatDay, periodTicks } from '#render/draw/calendar.ts'

/** Labels over `pixels` pixels, each 40 wide and 20 apart. */
function labels(first: string, last: string, pixels: number, alwaysMonths = false): string[] {
  const [from, to] = [parseDay(first), parseDay(last)]
  const place = (day: number) => ((day - from) / (to - from)) * pixels
  return calendarTicks([from, to], place, () => 40, 20, alwaysMonths).map(({ label }) => label)
}

test('a day is written with its year', () => {
  expect(formatDay(parseDay('2024-02-29'))).toBe('29 Feb 2024')
})

test('long ranges are labelled by years', () => {
  expect(labels('2010-07-17', '2014-06-01', 400)).toEqual(['2011', '2012', '2013', '2014'])
})

test('decades have a label every fourth year, before every fifth would do', () => {
  expect(labels('2010-07-17', '2026-11-21', 300)).toEqual(['2012', '2016', '2020', '2024'])
})

test('a year is labelled by months, fewer where there is less room', () => {
  expect(labels('2023-12-15', '2024-12-15', 1200)).toHaveLength(12)
  expect(labels('2023-12-15', '2024-12-15', 300)).toEqual(['Jan ’24', 'Apr ’24', 'Jul ’24', 'Oct ’24'])
})

test('some weeks are labelled by Mondays', () => {
  expect(labels('2024-03-01', '2024-03-31', 300)).toEqual(['4 Mar', '11 Mar', '18 Mar', '25 Mar'])
})

test('weeks and months are labelled where their points stand, at their ends', () => {
  const ends = (unit: 'week' | 'month', dates: readonly string[], apart: number) => {
    const days = Int32Array.from(dates, parseDay)
    return periodTicks(
      days,
      unit,
      (day) => days.indexOf(day) * apart,
      () => 40,
      20,
    )
  }
  const weeks = ['2024-03-03', '2024-03-10', '2024-03-13']
  expect(ends('week', weeks, 60)).toEqual([
    { position: 0, label: '3 Mar' },
    { position: 60, label: '10 Mar' },
    { position: 120, label: '13 Mar' },
  ])
  expect(ends('week', weeks, 50).map(({ label }) => label)).toEqual(['3 Mar', '13 Mar'])
  const months = Array.from({ length: 26 }, (_, i) => new Date(Date.UTC(2023, i + 1, 0)).toISOString().slice(0, 10))
  expect(ends('month', months.slice(0, 3), 60).map(({ label }) => label)).toEqual(['Jan ’23', 'Feb ’23', 'Mar ’23'])
  expect(ends('month', months, 20).map(({ label }) => label)).toEqual(
    ['Jan', 'Apr', 'Jul', 'Oct']
      .flatMap((name) => [`${name} ’23`, `${name} ’24`])
      .sort((a, b) => a.slice(-2).localeCompare(b.slice(-2)))
      .concat('Jan ’25'),
  )
  // January is at its own bar, not at the beginning of February.
  expect(ends('month', months, 5)).toEqual([
    { position: 0, label: '2023' },
    { position: 60, label: '2024' },
    { position: 120, label: '2025' },
  ])
})

test('cycle overlays say month and two-digit year also over many years', () => {
  expect(labels('2012-11-28', '2016-07-09', 250, true)).toEqual(['Jan ’13', 'Jan ’14', 'Jan ’15', 'Jan ’16'])
})

test('few weeks are named by their own last days, every second one where all have no room, and many by months', () => {
  const ends = (weeks: number) => Int32Array.from({ length: weeks }, (_, i) => parseDay('2026-10-25') + 7 * i)
  const named = (weeks: number, apart: number) => {
    const days = ends(weeks)
    const place = (day: number) => ((day - days[0]!) / 7) * apart
    return periodTicks(days, 'week', place, () => 40, 20).map(({ label }) => label)
  }
  expect(named(5, 60)).toEqual(['25 Oct', '1 Nov', '8 Nov', '15 Nov', '22 Nov'])
  expect(named(5, 35)).toEqual(['25 Oct', '8 Nov', '22 Nov'])
  expect(named(5, 25)).toEqual([])
  expect(named(52, 35)).toEqual([])
})
