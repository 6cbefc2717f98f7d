import { expect, test } from 'vitest'
import { calendarTicks, writeDay } from '#render/draw/calendar.ts'
import { dayOf } from '#root/days.ts'

/** Labels over `pixels` pixels, each 40 wide and 20 apart. */
function labels(first: string, last: string, pixels: number, alwaysMonths = false): string[] {
  const [from, to] = [dayOf(first), dayOf(last)]
  const place = (day: number) => ((day - from) / (to - from)) * pixels
  return calendarTicks([from, to], place, () => 40, 20, alwaysMonths).map(({ label }) => label)
}

test('a day is written with its year', () => {
  expect(writeDay(dayOf('2024-02-29'))).toBe('29 Feb 2024')
})

test('long ranges are labelled by years', () => {
  expect(labels('2010-07-17', '2014-06-01', 400)).toEqual(['2011', '2012', '2013', '2014'])
})

test('a year is labelled by months, fewer where there is less room', () => {
  expect(labels('2023-12-15', '2024-12-15', 1200)).toHaveLength(12)
  expect(labels('2023-12-15', '2024-12-15', 300)).toEqual(['Jan ’24', 'Apr ’24', 'Jul ’24', 'Oct ’24'])
})

test('some weeks are labelled by Mondays', () => {
  expect(labels('2024-03-01', '2024-03-31', 300)).toEqual(['4 Mar', '11 Mar', '18 Mar', '25 Mar'])
})

test('cycle overlays say month and two-digit year also over many years', () => {
  expect(labels('2012-11-28', '2016-07-09', 250, true)).toEqual(['Jan ’13', 'Jan ’14', 'Jan ’15', 'Jan ’16'])
})
