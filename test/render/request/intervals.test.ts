import { expect, test } from 'vitest'
import { lastOf, periodsOf, summarize } from '#render/request/intervals.ts'
import { dayOf, isoDate } from '#root/days.ts'
import { dayRange } from '../samples.ts'

const days = dayRange(dayOf('2024-01-01'), 75)
const ends = (interval: 'day' | 'week' | 'month') =>
  periodsOf(interval, days).map(([from, to]) => `${isoDate(days[from]!)} ${isoDate(days[to - 1]!)}`)

test('weeks end on Sundays, months on their last day, and the newest may be unfinished', () => {
  // 2024-01-01 was a Monday, and day 75 is Friday, 15 March.
  expect(ends('week').slice(0, 2)).toEqual(['2024-01-01 2024-01-07', '2024-01-08 2024-01-14'])
  expect(ends('week').at(-1)).toBe('2024-03-11 2024-03-15')
  expect(ends('month')).toEqual(['2024-01-01 2024-01-31', '2024-02-01 2024-02-29', '2024-03-01 2024-03-15'])
  expect(ends('day')).toHaveLength(75)
  expect(periodsOf('week', new Int32Array(0))).toEqual([])
})

test('amounts of bars are added up, rates of bars averaged, and of lines the last value stays', () => {
  const values = Float64Array.of(1, 2, Number.NaN, 4, Number.NaN, Number.NaN)
  const periods = [
    [0, 3],
    [3, 5],
    [5, 6],
  ] as const
  const one = (style: 'bar' | 'line' | 'area', unit: string, isFlow = true) => [
    ...summarize({ id: 'a', label: 'A', style, unit, values, isFlow }, periods),
  ]
  expect(one('bar', 'BTC')).toEqual([3, 4, Number.NaN])
  expect(one('bar', 'ratio')).toEqual([1.5, 4, Number.NaN])
  expect(one('line', 'BTC')).toEqual([2, 4, Number.NaN])
  expect(one('area', '%')).toEqual([2, 4, Number.NaN])
  // A price is no more at the end of a week for having been there on seven days.
  expect(one('bar', 'USD', false)).toEqual([2, 4, Number.NaN])
  expect([...lastOf(values, periods)]).toEqual([2, 4, Number.NaN])
})
