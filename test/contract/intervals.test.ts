import { expect, test } from 'vitest'
import { periodOf } from '#contract/intervals.ts'
import { dayOf, isoDate } from '#root/days.ts'

const firstOf = (date: string, interval: '1d' | '1w' | '1m'): string => isoDate(periodOf(dayOf(date), interval))

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
