import { expect, test } from 'vitest'
import { countShownRows } from '#mcp/answers/rows.ts'

test('a few rows are shown unless it is said how many: fewer where there are many fields', () => {
  expect([1, 6, 7, 14, 25, 100].map((fields) => countShownRows(undefined, fields))).toEqual([7, 7, 6, 3, 1, 1])
  expect(countShownRows('none', 1)).toBe(0)
  expect(countShownRows('all', 1)).toBe(Number.POSITIVE_INFINITY)
  expect(countShownRows(30, 25)).toBe(30)
})
