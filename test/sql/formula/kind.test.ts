import { expect, test } from 'vitest'
import type { MetricKind } from '#contract/metric-kinds.ts'
import { inferKind } from '#sql/formula/kind.ts'
import { parseFormula } from '#sql/formula/parse.ts'

const kinds: Readonly<Record<string, MetricKind>> = {
  price: 'level',
  supply: 'level',
  fees: 'flow',
  issued: 'flow',
  sopr: 'rate',
}

test.each<[MetricKind, readonly string[]]>([
  [
    'flow',
    [
      'fees + issued',
      '-fees',
      'fees * price',
      'fees / 100000000',
      '2 * fees',
      'fees * (1 - sopr)',
      'if(price > 100, fees, 0)',
      'coalesce(fees, 0)',
      'abs(fees - issued)',
      'shift(fees, 7)',
      'sum(fees, 1)',
      'diff(supply, 1)',
    ],
  ],
  [
    'rate',
    [
      'fees / issued',
      'fees / supply',
      'price / fees',
      '86400 / fees',
      'sqrt(fees)',
      'fees ^ 2',
      'fees * issued',
      'sopr * price',
      'sopr - 1',
      'sopr + fees',
      'fees > 5',
      'if(sopr > 1, 1, 0)',
      'zscore(sopr, 30)',
      'diff(fees, 7)',
      'percent_change(price, 1)',
    ],
  ],
  [
    'level',
    [
      '3',
      'price * supply',
      'price / supply',
      'log(price)',
      'price > 100',
      'supply + issued',
      'cumsum(fees)',
      'cummax(sopr)',
      'sum(fees, 30)',
      'sma(sopr, 7)',
      'diff(supply, 30)',
      'percent_change(price, 30)',
      'zscore(price, 30)',
      'rsi(price, 14)',
      'days_since(price > 100)',
      'sum(fees, 30) / sum(issued, 30)',
    ],
  ],
])('%s', (kind, formulas) => {
  const found = formulas.map((text) => [text, inferKind(parseFormula(text), (id) => kinds[id]!)])
  expect(found).toEqual(formulas.map((text) => [text, kind]))
})
