import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { type Columns, columns, exact, ids, largest, rounding, windowSize } from './expressions.ts'
import type { Values } from './naive.ts'
import * as naive from './naive.ts'

function evaluated(text: string, given: Columns): Values {
  const length = (given[ids[0]!] ?? []).length
  const lookup = (id: string): Float64Array => Float64Array.from(given[id] ?? [], (value) => value ?? Number.NaN)
  return Array.from(evaluateFormula(parseFormula(text), length, lookup), (value) =>
    Number.isNaN(value) ? null : value,
  )
}

function expectClose(actual: Values, expected: Values, scale: number): void {
  expect(actual.map((value) => value === null)).toEqual(expected.map((value) => value === null))
  expected.forEach((value, row) => {
    const allowed = 1e-12 * Math.max(Math.abs(value ?? 0), scale)
    expect(Math.abs((actual[row] ?? 0) - (value ?? 0))).toBeLessThanOrEqual(allowed)
  })
}

test('exact operations in any nesting equal the naive evaluator to the last bit', () => {
  fc.assert(
    fc.property(exact, columns, ({ text, values }, given) => {
      // Adding 0 turns −0 into 0.
      expect(evaluated(text, given).map((value) => (value === null ? null : value + 0))).toEqual(
        values(given).map((value) => (value === null ? null : value + 0)),
      )
    }),
    { numRuns: 3000 },
  )
})

test('operations that round are within 1e-12 of the naive evaluator', () => {
  fc.assert(
    fc.property(rounding, columns, ({ expression, scale }, given) => {
      expectClose(evaluated(expression.text, given), expression.values(given), scale(given))
    }),
    { numRuns: 3000 },
  )
})

test('windows over operations that round are within 1e-12 of the largest value', () => {
  const windows: Record<string, (window: number[]) => number> = {
    sma: naive.mean,
    sum: naive.sum,
    median: naive.median,
    min: (window) => Math.min(...window),
    max: (window) => Math.max(...window),
  }
  fc.assert(
    fc.property(rounding, fc.constantFrom(...Object.keys(windows)), windowSize, columns, (inner, name, n, given) => {
      const { expression, scale } = inner
      const values = expression.values(given)
      const expected = naive.windows(values, n, windows[name]!)
      expectClose(
        evaluated(`${name}(${expression.text}, ${n})`, given),
        expected,
        n * Math.max(largest(values), scale(given)),
      )
    }),
    { numRuns: 1500 },
  )
})
