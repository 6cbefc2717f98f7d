import { expect } from 'vitest'
import type { Values } from '#test/sql/formula/naive.ts'

/**
 * Null on the same days, and equal within 1e-9 everywhere else. Where a value is a small difference
 * of large ones it may be off by 1e-12 of the largest value of the series, since no order of
 * addition gives more digits.
 */
export function expectSeries(id: string, published: Values | undefined, expected: Values, tolerance = 1e-9): void {
  if (!published) throw new Error(`${id} is not published`)
  expect(published.length, id).toBe(expected.length)
  const largest = expected.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0)
  for (const [row, value] of expected.entries()) {
    const found: number | null = published[row] ?? null
    const equal =
      value === null || found === null
        ? value === found
        : Math.abs(found - value) <= tolerance * Math.abs(value) + 1e-12 * largest
    if (!equal) expect.fail(`${id} on day ${row}: ${found}, expected ${value}`)
  }
}
