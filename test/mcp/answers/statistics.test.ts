import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { describeSeries, type SeriesRange } from '#mcp/answers/statistics.ts'

const first = parseDay('2024-01-01')
/** A range of a series with one value a day from 2024-01-01 on. */
const series = (values: readonly number[], from = 0, to = values.length): SeriesRange => ({
  days: Int32Array.from(values, (_, i) => first + i),
  values: Float64Array.from(values),
  from,
  to,
  kind: 'level',
  isAmount: true,
})

test('first, last, extremes, mean and change are of the range; missing values are passed over', () => {
  expect(describeSeries(series([99, Number.NaN, 5, 3, 8, 3, Number.NaN], 1, 7))).toEqual({
    first: 5,
    last: 3,
    last_date: '2024-01-06',
    min: { value: 3, date: '2024-01-04' },
    max: { value: 8, date: '2024-01-05' },
    mean: 4.75,
    change: -2,
    change_percent: -40,
    // Of 99, 5, 3, 8, 3 none is below 3, and two are equal to it.
    percentile: { value: 20, since: '2024-01-01' },
  })
})

test('flows have a sum in place of a change, levels and rates have none', () => {
  const flow = describeSeries({ ...series([1, 2, 3.5]), kind: 'flow' })
  expect(flow.sum).toBe(6.5)
  expect(Object.keys(flow).filter((name) => name.startsWith('change'))).toEqual([])
  expect(describeSeries(series([1, 2])).sum).toBeUndefined()
  expect(describeSeries({ ...series([1, 2]), kind: 'rate' }).sum).toBeUndefined()
})

test('the percentile counts the days of all history up to the last value that are below it, and half of the equal ones', () => {
  // Of 1, 2, 3, 4, 2 up to the last value of the range, which is 2, one is below it and two are
  // equal; 0 comes later.
  const { percentile } = describeSeries(series([Number.NaN, 1, 2, 3, 4, 2, 0], 4, 6))
  expect(percentile).toEqual({ value: 40, since: '2024-01-02' })
})

test('where history is cut there is the rank of the newest value among all days, or none', () => {
  const cut = { ...series([1, 2, 3], 1, 3), cutAt: '2024-01-01' }
  expect(describeSeries(cut).percentile).toBeNull()
  const rank = { percentile: 12.34, since: '2010-07-18', date: '2024-01-03' }
  expect(describeSeries({ ...cut, rank }).percentile).toEqual({ value: 12.3, since: '2010-07-18' })
  expect(describeSeries({ ...cut, rank, to: 2 }).percentile).toBeNull()
})

test('extremes of a range that is cut say so themselves', () => {
  const cut = { ...series([1, 2, 3]), cutAt: '2024-01-01' }
  expect(describeSeries(cut).max).toEqual({ value: 3, date: '2024-01-03' })
  expect(describeSeries({ ...cut, isRangeCut: true })).toMatchObject({
    min: { value: 1, only_since: '2024-01-01' },
    max: { value: 3, only_since: '2024-01-01' },
  })
})

test.each([
  ['an amount, however small it was', [0.01, 100], true, 'level', 999_900],
  ['a ratio', [2, 3], false, 'level', 50],
  ['a ratio that was near zero', [0.01, 3, 4], false, 'level', undefined],
  ['a rate that was near zero', [1, 100], true, 'rate', undefined],
  ['what can be negative', [2, -1, 3], true, 'level', undefined],
  ['what was zero', [0, 3], true, 'level', undefined],
] as const)('a change in percent of %s', (_, values, isAmount, kind, percent) => {
  expect(describeSeries({ ...series(values), isAmount, kind }).change_percent).toBe(percent)
})

test('numbers have six digits, but whole ones below a billion stay as they are', () => {
  const { mean, last, change } = describeSeries(series([1.23456789, 12_345_678]))
  expect({ mean, last, change }).toEqual({ mean: 6_172_840, last: 12_345_678, change: 12_345_700 })
  expect(describeSeries(series([1_234_567_890_123])).last).toBe(1_234_570_000_000)
})

test('a range without values says on which days there are some', () => {
  const nothing = { first: null, last: null }
  expect(describeSeries(series([1, 2, Number.NaN], 2, 3))).toEqual({
    ...nothing,
    known: 'from 2024-01-01 to 2024-01-02',
  })
  expect(describeSeries(series([Number.NaN]))).toEqual({ ...nothing, known: 'no value on any day' })
})
