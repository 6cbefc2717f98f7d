import { describe, expect, test } from 'vitest'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import type { Values } from './naive.ts'
import * as naive from './naive.ts'

/** A fixed sequence that looks random, in [0, 1). */
const noise = (row: number): number => Math.abs(Math.sin(row * 12.9898) * 43_758.5453) % 1

const length = 800
const rows = Array.from({ length }, (_, row) => row)
const columns: Record<string, Values> = {
  'noise around 0': rows.map((row) => noise(row) - 0.3),
  'noise with spikes of 1e15': rows.map((row) => (row % 400 === 211 ? 1e15 : noise(row))),
  'noise with spikes of both signs': rows.map((row) =>
    row % 300 === 7 ? -1e15 : row % 300 === 107 ? 1e15 : noise(row),
  ),
  'a large number that grows a little': rows.map((row) => 19_800_000 + 3.125 * row + noise(row)),
  'a very large number with a little noise': rows.map((row) => 1e12 + noise(row)),
  'noise with nulls': rows.map((row) => (row % 250 === 30 ? null : noise(row))),
  'a constant after a spike': rows.map((row) => (row === 3 ? 1e15 : 0.1)),
}

function evaluated(text: string, values: Values): Values {
  const column = Float64Array.from(values, (value) => value ?? Number.NaN)
  return Array.from(
    evaluateFormula(parseFormula(text), values.length, () => column),
    (value) => (Number.isNaN(value) ? null : value),
  )
}

/** `scale`: error is measured relative to the result, or to this where that is larger. */
function expectClose(actual: Values, expected: Values, scale: (row: number) => number): void {
  expect(actual.map((value) => value === null)).toEqual(expected.map((value) => value === null))
  const worst = expected.map((value, row) => {
    const error = Math.abs((actual[row] ?? 0) - (value ?? 0))
    return error === 0 ? 0 : error / Math.max(Math.abs(value ?? 0), scale(row))
  })
  expect(Math.max(...worst)).toBeLessThanOrEqual(1e-12)
}

describe.each(Object.entries(columns))('%s', (_, values) => {
  /** Sums of both signs lose digits by cancelling, whoever adds them up. */
  const absoluteSums = (n: number): Values => naive.windows(values, n, (window) => naive.sum(window.map(Math.abs)))

  test.each([2, 7, 30, 365, 799, 800])('windows of %d', (n) => {
    const sizes = absoluteSums(n)
    expectClose(evaluated(`sum(x, ${n})`, values), naive.windows(values, n, naive.sum), (row) => sizes[row] ?? 1)
    expectClose(evaluated(`sma(x, ${n})`, values), naive.windows(values, n, naive.mean), (row) => (sizes[row] ?? 1) / n)
    expectClose(evaluated(`std(x, ${n})`, values), naive.windows(values, n, naive.std), () => 0)
    expectClose(evaluated(`zscore(x, ${n})`, values), naive.windows(values, n, naive.zscore), () => 1)
    expect(evaluated(`median(x, ${n})`, values)).toEqual(naive.windows(values, n, naive.median))
    expect(evaluated(`percentile(x, ${n})`, values)).toEqual(naive.windows(values, n, naive.percentile))
    for (const share of [0, 0.1, 0.9, 1]) {
      const expected = naive.windows(values, n, (window) => naive.quantile(window, share))
      expect(evaluated(`quantile(x, ${n}, ${share})`, values)).toEqual(expected)
    }
    const pairs = naive.windows(
      values.map((value, row) => (value === null || values[row - 1] == null ? null : row)),
      n,
      (rows) =>
        naive.correlation(
          rows.map((row) => values[row]!),
          rows.map((row) => values[row - 1]!),
        ),
    )
    if (n > 2) expectClose(evaluated(`corr(x, shift(x, 1), ${n})`, values), pairs, () => 1)
    expect(evaluated(`min(x, ${n})`, values)).toEqual(naive.windows(values, n, (window) => Math.min(...window)))
    expect(evaluated(`max(x, ${n})`, values)).toEqual(naive.windows(values, n, (window) => Math.max(...window)))
  })

  test('all values so far', () => {
    const sizes = naive.soFar(values, (all) => naive.sum(all.map(Math.abs)))
    expectClose(evaluated('cumsum(x)', values), naive.soFar(values, naive.sum), (row) => sizes[row] ?? 1)
    expectClose(
      evaluated('cummean(x)', values),
      naive.soFar(values, naive.mean),
      (row) => (sizes[row] ?? 1) / (row + 1),
    )
    expectClose(evaluated('cumstd(x)', values), naive.soFar(values, naive.std), () => 0)
    expectClose(evaluated('zscore(x)', values), naive.soFar(values, naive.zscore), () => 1)
    expect(evaluated('cummedian(x)', values)).toEqual(naive.soFar(values, naive.median))
  })
})

test('sums of whole numbers are exact, also beside cancelling large ones', () => {
  const values = [2 ** 53, 1, -(2 ** 53), 1, 3]
  expect(evaluated('sum(x, 4)', values)).toEqual([null, null, null, 2, 5 - 2 ** 53])
  expect(evaluated('cumsum(x)', values)).toEqual([2 ** 53, 2 ** 53, 1, 2, 5])
})

test('a constant has no deviation, whatever stood before it', () => {
  expect(evaluated('std(x, 5)', [1e15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]).slice(5)).toEqual([0, 0])
  expect(evaluated('zscore(x, 5)', [1e15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]).slice(5)).toEqual([null, null])
})

test('a number too large for a double makes only its own windows null', () => {
  const values = [1e308, 1e308, 1, 2, 3, 4]
  expect(evaluated('sum(x, 2)', values)).toEqual([null, null, 1e308, 3, 5, 7])
  expect(evaluated('std(x, 2)', values).slice(3)).toEqual([Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2])
})
