import { expect, test } from 'vitest'
import { aggregateCandles } from '#render/request/intervals.ts'
import { normalize } from '#render/request/normalize.ts'

const values = Float64Array.of(Number.NaN, 2, 4, 6, Number.NaN, 4)
const series = { id: 'a', label: 'A', unit: 'BTC', values }

test.each([
  ['index', 'first day = 100', [Number.NaN, 100, 200, 300, Number.NaN, 200]],
  // Mean 4, squares 4, 0, 4, 0: the sample deviation is the root of 8/3.
  ['zscore', 'standard deviations', [Number.NaN, -2, 0, 2, Number.NaN, 0].map((value) => value / Math.sqrt(8 / 3))],
  // One of four values is at most 2, three are at most 4, all are at most 6.
  ['percentile', 'percentile', [Number.NaN, 25, 75, 100, Number.NaN, 75]],
] as const)('%s over the days shown', (how, unit, expected) => {
  const found = normalize(series, how)
  expect(found.unit).toBe(unit)
  expect([...found.values].map((value) => Math.round(value * 1e12) / 1e12)).toEqual(
    expected.map((value) => Math.round(value * 1e12) / 1e12),
  )
})

test('a series that begins at zero has no index, and one that never moves no z-score', () => {
  const zero = { ...series, values: Float64Array.of(0, 5) }
  expect([...normalize(zero, 'index').values]).toEqual([Number.NaN, Number.NaN])
  const flat = { ...series, values: Float64Array.of(5, 5) }
  expect([...normalize(flat, 'zscore').values]).toEqual([Number.NaN, Number.NaN])
})

test('the candle of a period opens with its first day and spans all of them', () => {
  const candles = {
    open: Float64Array.of(Number.NaN, 5, 6, 7),
    high: Float64Array.of(9, 12, Number.NaN, 8),
    low: Float64Array.of(4, 3, 6, Number.NaN),
  }
  const found = aggregateCandles(
    [
      [0, 3],
      [3, 4],
    ],
    candles,
    (column) => column,
  )
  expect([found.open, found.high, found.low].map((column) => [...column!])).toEqual([
    [5, 7],
    [12, 8],
    [3, Number.NaN],
  ])
})
