import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { type Columns, columns, exact, ids, largest, rounding, windowSize } from './expressions.ts'
import type { Values } from './naive.ts'
import * as naive from './naive.ts'

function evaluated(text: string, given: Columns, nothing?: string): Values {
  const length = (given[ids[0]!] ?? []).length
  const lookup = (id: string): Float64Array | undefined =>
    id === nothing ? undefined : Float64Array.from(given[id] ?? [], (value) => value ?? Number.NaN)
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

test('a column left out because it has no value gives what nulls give', () => {
  const inner = fc.oneof(
    exact.map(({ text }) => text),
    rounding.map(({ expression }) => expression.text),
  )
  const names = ['abs', 'cumsum', 'cummedian', 'days_since', 'rsi', 'median', 'percentile', 'corr', 'shift', 'ema']
  const wrapped = fc.tuple(inner, inner, fc.constantFrom('', ...names)).map(([one, other, name]) => {
    if (name === '') return `if(${one}, ${other}, coalesce(${other}, ${one}))`
    if (name === 'corr') return `corr(${one}, ${other}, 3)`
    return `${name}(${one}${['abs', 'cumsum', 'cummedian', 'days_since'].includes(name) ? '' : ', 3'}) + ${other}`
  })
  let known = 0
  fc.assert(
    fc.property(fc.oneof(inner, wrapped), columns, fc.constantFrom(...ids), (text, given, nothing) => {
      const nulls = { ...given, [nothing]: (given[nothing] ?? []).map(() => null) }
      const values = evaluated(text, nulls, nothing)
      expect(values).toEqual(evaluated(text, nulls))
      if (text.includes(nothing) && values.some((value) => value !== null)) known++
    }),
    { numRuns: 3000 },
  )
  // A choice can have a value all the same.
  expect(known).toBeGreaterThan(20)
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
