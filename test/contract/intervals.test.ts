import { expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { aggregatePeriods, splitIntoPeriods, startOfPeriod } from '#contract/intervals.ts'
import { aggregates } from '#contract/metric-kinds.ts'

const firstOf = (date: string, interval: '1d' | '1w' | '1m'): string => isoDate(startOfPeriod(parseDay(date), interval))

test('weeks begin on Monday, months with their first day', () => {
  // 2024-02-29 was a Thursday, 2009-01-04 a Sunday, 1970-01-01 a Thursday.
  expect(firstOf('2024-02-29', '1w')).toBe('2024-02-26')
  expect(firstOf('2024-02-26', '1w')).toBe('2024-02-26')
  expect(firstOf('2009-01-04', '1w')).toBe('2008-12-29')
  expect(firstOf('1970-01-01', '1w')).toBe('1969-12-29')
  expect(firstOf('2024-02-29', '1m')).toBe('2024-02-01')
  expect(firstOf('2023-12-31', '1m')).toBe('2023-12-01')
  expect(firstOf('2024-02-29', '1d')).toBe('2024-02-29')
})

test('weeks end on Sundays, months on their last day, and the newest may be unfinished', () => {
  // 2024-01-01 was a Monday, and day 75 is Friday, 15 March.
  const days = Int32Array.from({ length: 75 }, (_, i) => parseDay('2024-01-01') + i)
  const ends = (interval: '1d' | '1w' | '1m') =>
    splitIntoPeriods(days, interval).map(([from, to]) => `${isoDate(days[from]!)} ${isoDate(days[to - 1]!)}`)
  expect(ends('1w').slice(0, 2)).toEqual(['2024-01-01 2024-01-07', '2024-01-08 2024-01-14'])
  expect(ends('1w').at(-1)).toBe('2024-03-11 2024-03-15')
  expect(ends('1m')).toEqual(['2024-01-01 2024-01-31', '2024-02-01 2024-02-29', '2024-03-01 2024-03-15'])
  expect(ends('1d')).toHaveLength(75)
  expect(splitIntoPeriods([], '1w')).toEqual([])
  // Days without a row leave no period behind.
  expect(splitIntoPeriods([parseDay('2024-01-05'), parseDay('2024-01-22')], '1w')).toHaveLength(2)
})

test('days become one by what is known of them, and nothing where nothing is', () => {
  const values = Float64Array.of(5, 2, Number.NaN, Number.NaN, 4, Number.NaN)
  const periods = [
    [0, 3],
    [3, 5],
    [5, 6],
  ] as const
  const found = Object.fromEntries(aggregates.map((how) => [how, [...aggregatePeriods(values, periods, how)]]))
  expect(found).toEqual({
    last: [2, 4, Number.NaN],
    sum: [7, 4, Number.NaN],
    mean: [3.5, 4, Number.NaN],
    min: [2, 4, Number.NaN],
    max: [5, 4, Number.NaN],
    first: [5, 4, Number.NaN],
  })
})
