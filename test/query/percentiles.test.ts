import { expect, test } from 'vitest'
import { rankChange } from '#query/answers/change-ranks.ts'
import { rankNewest } from '#query/answers/percentiles.ts'

const unknown = Number.NaN

test('a percentile is the percent of known days that are below and half of the equal ones, and that of a week before is of the same days', () => {
  const values = Float64Array.of(unknown, 4, 1, 9, 2, unknown, 7, 7, 3, 8, 5, unknown)
  // The newest value is 5, on row 10; that of row 3 is 9. Of the nine known values 4, 1, 2 and 3
  // are below 5.
  expect(rankNewest(values)).toEqual({
    first: 1,
    last: 10,
    value: 5,
    percentile: (100 * 4.5) / 9,
    valueBefore: 9,
    percentileBefore: (100 * 8.5) / 9,
  })
})

test('of a history that is cut the percentile is of all days, and no value from before the cut is told', () => {
  const values = Float64Array.of(1, 2, 3, 4, 9, 8, 7, 6, 5, unknown)
  expect(rankNewest(values, 4)).toMatchObject({ first: 0, last: 8, value: 5, percentile: (100 * 4.5) / 9 })
  expect(rankNewest(values, 4)).toMatchObject({ valueBefore: unknown, percentileBefore: unknown })
  expect(rankNewest(values, 1)).toMatchObject({ valueBefore: 2 })
  expect(rankNewest(values, 9)).toBeUndefined()
})

test('where nothing is known a week before there is no percentile of it', () => {
  expect(rankNewest(Float64Array.of(3, 2))).toMatchObject({
    value: 2,
    percentile: 25,
    valueBefore: unknown,
    percentileBefore: unknown,
  })
  expect(rankNewest(Float64Array.of(unknown, unknown))).toBeUndefined()
})

test('no flow on a day is not high among days that mostly have none, and a constant is usual', () => {
  expect(rankNewest(Float64Array.of(0, 0, 0, 5, 0, 0, -1, 0))?.percentile).toBe((100 * (1 + 6 / 2)) / 8)
  expect(rankNewest(Float64Array.of(100, 100, 100))?.percentile).toBe(50)
})

test('a change is in percent, and half of the changes equal to it count as smaller', () => {
  // Changes over a day: 100, -50, 100, 50, -50 percent. Half of the two lowest are a fifth of all.
  const rank = rankChange(Float64Array.of(unknown, 2, 4, 2, 4, 6, 3), 1, false)
  expect(rank).toMatchObject({ change: -50, isPercent: true, percentile: 20, firstRow: 5 })
  expect(rankChange(Float64Array.of(2, 4, 2, 4, 6), 1, false).percentile).toBe(37.5)
})

test('a metric with negative values changes by differences, one that begins at 0 by an unknown part', () => {
  const signed = rankChange(Float64Array.of(1, -1, 4, 3), 1, false)
  expect(signed).toMatchObject({ change: -1, isPercent: false, percentile: 50 })
  expect(rankChange(Float64Array.of(3, 2, 0, 5), 1, false)).toMatchObject({ change: unknown, percentile: unknown })
})

test('of flows the mean of the period is compared with that of the days before, of known days alone', () => {
  const flow = Float64Array.of(1, 3, 5, unknown, 7, 9)
  // Means of two days: 1, 2, 4, unknown, 7, 8; of the last two days 8, of the two before 5 on the
  // one that is known.
  const { changes, ...rank } = rankChange(flow, 2, true)
  expect(changes).toEqual(Float64Array.of(unknown, unknown, 300, unknown, 75, unknown))
  expect(rank).toMatchObject({ change: unknown, firstRow: 2 })
  expect(rankChange(flow.subarray(0, 5), 2, true)).toMatchObject({ change: 75, firstRow: 1 })
})

test('what nearly always rises has no percentile, however often it rests', () => {
  const rising = Float64Array.from({ length: 40 }, (_, i) => 100 + Math.floor(i / 4))
  expect(rankChange(rising, 1, false).percentile).toBeNaN()
  expect(
    rankChange(
      rising.map((value, i) => (i === 20 || i === 30 ? 90 : value)),
      1,
      false,
    ).percentile,
  ).toBeGreaterThan(0)
})
