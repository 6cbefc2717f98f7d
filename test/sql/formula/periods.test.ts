import { describe, expect, test } from 'vitest'
import { trailingStarts } from '#contract/intervals.ts'
import type { MetricAggregate, MetricKind } from '#contract/metric-kinds.ts'
import { inferAggregate } from '#sql/formula/aggregate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { evaluateToDate } from '#sql/formula/periods.ts'

const unknown = Number.NaN

const input = (kind: MetricKind, aggregate: MetricAggregate, values: readonly number[], toDate = values) => ({
  kind,
  aggregate,
  values: Float64Array.from(values),
  toDate: Float64Array.from(toDate),
})

/** Two periods of three days each. */
const starts = Int32Array.of(0, 0, 0, 3, 3, 3)
const inputs = {
  profit: input('flow', 'sum', [10, 0, 20, 1, 1, 4]),
  loss: input('flow', 'sum', [1, 0, 2, 10, 0, 2]),
  late: input('flow', 'sum', [unknown, 4, 6, 1, unknown, 1]),
  price: input('level', 'last', [1, 2, 4, 5, 5, unknown]),
  high: input('level', 'max', [3, 2, 5, 9, 5, 6]),
  low: input('level', 'min', [1, 2, 2, 4, 5, 3]),
  rate: input('rate', 'mean', [1, 2, 6, unknown, 5, 7]),
  ratio: input('rate', 'formula', [unknown, 7, 7, 7, 7, 7], [2, 3, 4, 5, 6, 8]),
}
const find = (id: string) => Object.entries(inputs).find(([name]) => name === id)![1]

/** Values at the ends of both periods, and of the days up to the middle of the first. */
function evaluate(text: string): (number | null)[] {
  const column = evaluateToDate(parseFormula(text), { find, starts })
  return [1, 2, 5].map((row) => (Number.isNaN(column[row]!) ? null : column[row]!))
}

describe('a period of a formula', () => {
  test.each([
    // 10 / 1, 30 / 3 and 6 / 12; the days are 10, null, 10, 0.1, null and 2.
    ['profit / loss', [10, 10, 0.5]],
    ['(profit - loss) / (profit + loss)', [9 / 11, 27 / 33, -6 / 18]],
    // Only days on which both are known: 2 and 3, then 4 and 6 of the second period.
    ['profit / late', [0, 20 / 10, 5 / 2]],
    // What is per day stays so: 3 days of 30 in all.
    ['60 / profit', [12, 6, 30]],
    // The last known level over the mean of the flow.
    ['price / profit', [2 / 5, 4 / 10, 5 / 2]],
    // A product of a flow is a flow: 10 + 0 + 80, over 3.
    ['profit * price / loss', [10, 90 / 3, 10 / 10]],
    ['ratio / profit', [3 / 5, 4 / 10, 8 / 2]],
    ['high - low', [2, 4, 6]],
    ['ratio', [3, 4, 8]],
    ['loss / (loss - loss)', [null, null, null]],
  ])('%s', (text, expected) => {
    const values = evaluate(text)
    expected.forEach((value, i) => {
      if (value === null) expect(values[i]).toBeNull()
      else expect(values[i]).toBeCloseTo(value, 12)
    })
  })
})

test('the aggregate of a formula follows from its parts', () => {
  const aggregates = {
    'profit - loss': 'sum',
    'profit * price': 'sum',
    'diff(price, 1)': 'sum',
    'price / shift(price, 7) - 1': 'last',
    'sum(profit, 7) / sum(loss, 7)': 'last',
    'price + profit': 'last',
    'cumsum(profit)': 'last',
    high: 'max',
    'high / low': 'formula',
    'profit / loss': 'formula',
    '1 - loss / profit': 'formula',
    'price / profit': 'formula',
    'profit / price': 'mean',
    'rate * price': 'mean',
    'ratio * 100': 'formula',
    'coalesce(ratio, 1)': 'mean',
    'zscore(profit, 30)': 'mean',
    'percent_change(profit, 1)': 'mean',
    '2 * 3': 'last',
  }
  const inferred = Object.keys(aggregates).map((text) => [text, inferAggregate(parseFormula(text), find)])
  expect(Object.fromEntries(inferred)).toEqual(aggregates)
})

test('a formula over the three days up to each', () => {
  const column = evaluateToDate(parseFormula('profit / loss'), { find, starts: trailingStarts(6, 3) })
  // (20 + 1 + 1) / (2 + 10 + 0), for example, on the fifth day.
  const expected = [10 / 1, 10 / 1, 30 / 3, 21 / 12, 22 / 12, 6 / 12]
  for (const [row, value] of expected.entries()) expect(column[row]).toBeCloseTo(value, 12)
})
