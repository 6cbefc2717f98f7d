import { expect, test } from 'vitest'
import { rankNewest } from '#query/answers/percentiles.ts'

const unknown = Number.NaN

test('a percentile is the percent of known days that are not above, and that of a week before is of the same days', () => {
  const values = Float64Array.of(unknown, 4, 1, 9, 2, unknown, 7, 7, 3, 8, 5, unknown)
  // The newest value is 5, on row 10; that of row 3 is 9. Of the nine known values 4, 1, 2, 3 and 5 are not above 5.
  expect(rankNewest(values)).toEqual({
    first: 1,
    last: 10,
    value: 5,
    percentile: (100 * 5) / 9,
    valueBefore: 9,
    percentileBefore: 100,
  })
})

test('of a history that is cut the percentile is of all days, and no value from before the cut is told', () => {
  const values = Float64Array.of(1, 2, 3, 4, 9, 8, 7, 6, 5, unknown)
  expect(rankNewest(values, 4)).toMatchObject({ first: 0, last: 8, value: 5, percentile: (100 * 5) / 9 })
  expect(rankNewest(values, 4)).toMatchObject({ valueBefore: unknown, percentileBefore: unknown })
  expect(rankNewest(values, 1)).toMatchObject({ valueBefore: 2 })
  expect(rankNewest(values, 9)).toBeUndefined()
})

test('where nothing is known a week before there is no percentile of it', () => {
  expect(rankNewest(Float64Array.of(3, 2))).toMatchObject({
    value: 2,
    percentile: 50,
    valueBefore: unknown,
    percentileBefore: unknown,
  })
  expect(rankNewest(Float64Array.of(unknown, unknown))).toBeUndefined()
})
