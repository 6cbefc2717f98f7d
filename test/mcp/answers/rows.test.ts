import { expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { countShownRows, type Range, rowsIn } from '#mcp/answers/rows.ts'

/** From 2024-01-01, a Monday, to 2024-03-10, but without 2024-01-05. */
const days = Int32Array.from({ length: 70 }, (_, i) => parseDay('2024-01-01') + i).filter((_, i) => i !== 4)

const datesIn = (range: Range): string[] => {
  const { from, to } = rowsIn(days, range)
  return Array.from(days.subarray(from, to), isoDate)
}

test('without a start date the newest days count, up to the end date', () => {
  expect(datesIn({ days: 2 })).toEqual(['2024-03-09', '2024-03-10'])
  expect(datesIn({ days: 2, end_date: '2024-01-06' })).toEqual(['2024-01-04', '2024-01-06'])
  expect(datesIn({ days: 10_000 })).toHaveLength(69)
})

test('a start date makes the number of days meaningless', () => {
  expect(datesIn({ days: 1, start_date: '2024-01-04', end_date: '2024-01-07' })).toEqual([
    '2024-01-04',
    '2024-01-06',
    '2024-01-07',
  ])
  expect(datesIn({ days: 1, start_date: '2024-03-10' })).toEqual(['2024-03-10'])
})

test('ranges beside the data are empty', () => {
  expect(datesIn({ days: 5, start_date: '2024-03-11' })).toEqual([])
  expect(datesIn({ days: 5, end_date: '2023-12-31' })).toEqual([])
  expect(datesIn({ days: 5, start_date: '2024-02-02', end_date: '2024-02-01' })).toEqual([])
})

test('a few rows are shown by default, none if there are many fields', () => {
  expect([1, 3, 4, 100].map((fields) => countShownRows(undefined, fields))).toEqual([3, 3, 0, 0])
  expect(countShownRows('none', 1)).toBe(0)
  expect(countShownRows('all', 1)).toBe(Number.POSITIVE_INFINITY)
  expect(countShownRows(30, 25)).toBe(30)
})
