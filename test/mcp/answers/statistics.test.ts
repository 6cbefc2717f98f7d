import { expect, test } from 'vitest'
import { describeSeries } from '#mcp/answers/statistics.ts'
import { dayOf } from '#root/days.ts'

const first = dayOf('2024-01-01')
/** One value a day from the first of January 2024 on. */
const series = (...values: number[]) => ({
  days: Int32Array.from(values, (_, i) => first + i),
  values: Float64Array.from(values),
})

test('first, last, least and greatest are of the range, with their dates; missing values are passed over', () => {
  const { days, values } = series(99, Number.NaN, 5, 3, 8, 3, Number.NaN)
  expect(describeSeries(days, values, 1, 7)).toMatchObject({
    first: { date: '2024-01-03', value: 5 },
    last: { date: '2024-01-06', value: 3 },
    min: { date: '2024-01-04', value: 3 },
    max: { date: '2024-01-05', value: 8 },
    count: 4,
  })
})

test('the percentile counts the days of all history up to the last value that are not above it', () => {
  // Of 1, 2, 3, 4, 2 up to the last value of the range, which is 2, three are not above it; 0 comes later.
  const { days, values } = series(Number.NaN, 1, 2, 3, 4, 2, 0)
  expect(describeSeries(days, values, 4, 6)).toMatchObject({
    percentile_of_last: 60,
    history_from: '2024-01-02',
    history_days: 5,
  })
})

test('changes look back from the last value, beyond the range; there are none where that day has no value', () => {
  const values = Array.from({ length: 31 }, (_, i) => 100 + i)
  values[0] = Number.NaN
  const { days, values: column } = series(...values)
  const statistics = describeSeries(days, column, 29, 31)
  expect(statistics.change_7d).toEqual({ absolute: 7, percent: 5.6911 }) // 7 / 123
  expect(statistics.change_30d).toBeNull()
  expect(statistics.change_365d).toBeNull()
})

test('a change from zero or less has no percentage', () => {
  const { days, values } = series(-2, 0, 1, 1, 1, 1, 1, 4, 3)
  expect(describeSeries(days, values, 0, 8).change_7d).toEqual({ absolute: 6, percent: null })
  expect(describeSeries(days, values, 0, 9).change_7d).toEqual({ absolute: 3, percent: null })
})

test('days that are missing do not shift what changes look back to', () => {
  const days = Int32Array.from([first, first + 1, first + 8])
  expect(describeSeries(days, Float64Array.from([10, 20, 30]), 0, 3).change_7d).toEqual({ absolute: 10, percent: 50 })
})

test('a range without values has nothing to say', () => {
  const { days, values } = series(1, Number.NaN)
  expect(describeSeries(days, values, 1, 2)).toEqual({
    ...{ first: null, last: null, min: null, max: null, count: 0 },
    ...{ percentile_of_last: null, history_from: null, history_days: 0 },
    ...{ change_7d: null, change_30d: null, change_365d: null },
  })
})
