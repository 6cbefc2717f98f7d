import { expect, test } from 'vitest'
import { correlation } from '#base/correlation.ts'
import { dailyChanges } from '#mcp/tools/compare.ts'

const column = (...values: number[]): Float64Array => Float64Array.from(values)

test('correlation is that of Pearson, over the rows where both have a value', () => {
  // Means 2 and 3; deviations -1 0 1 and -2 1 1: 3 / sqrt(2 · 6).
  expect(correlation(column(1, 9, 2, 3), column(1, Number.NaN, 4, 4))).toBeCloseTo(3 / Math.sqrt(12), 15)
  expect(correlation(column(1, 2, 3), column(30, 20, 10))).toBeCloseTo(-1, 15)
})

test('there is none of too few rows, or of a column that does not move', () => {
  expect(correlation(column(1, 2), column(1, 2))).toBeNull()
  expect(correlation(column(1, 2, 3), column(5, 5, 5))).toBeNull()
})

test('changes need both days', () => {
  expect(dailyChanges(column(1, 4, Number.NaN, 2, 3))).toEqual(column(Number.NaN, 3, Number.NaN, Number.NaN, 1))
})
