import { expect, test } from 'vitest'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { thinRows } from '#web/chart/thinning.ts'

const chartOf = (columns: readonly (readonly number[])[], options: { stacked?: boolean; scale?: 'log' } = {}) =>
  buildSpecification({
    title: '',
    source: '',
    x: { kind: 'date', days: Int32Array.from(columns[0]!, (_, i) => 100 + i) },
    ...(options.scale && { scale: options.scale }),
    series: columns.map((values, i) => ({
      id: `s${i}`,
      label: '',
      unit: 'BTC',
      values: Float64Array.from(values),
      ...(options.stacked && { style: 'area', stacked: true }),
    })),
  })

const valuesOf = (chart: ReturnType<typeof chartOf>) => chart.series.map(({ values }) => [...values])

test('pairs of rows keep the minimum and the maximum of the rows that they replace, in their order', () => {
  const chart = chartOf([
    [9, 1, 2, 8, 3, 4, 5, 6, 7],
    [0, 5, 1, 4, 9, 8, 7, 6, 5],
  ])
  const thinned = thinRows(chart, 2)
  expect([...thinned.x.days]).toEqual([100, 102, 104, 106, 108])
  expect(valuesOf(thinned)).toEqual([
    [9, 1, 3, 6, 7],
    [0, 5, 9, 6, 5],
  ])
  expect(valuesOf(thinRows(chart, 1))).toEqual(valuesOf(chart))
})

test('the newest row is exact, rows count from there, and the oldest are not lost', () => {
  const thinned = thinRows(chartOf([[7, 0, 1, 2, 3, 4, 5, 9]]), 3)
  expect([[...thinned.x.days], valuesOf(thinned)]).toEqual([[100, 104, 107], [[7, 0, 9]]])
})

test('values that a chart does not draw are skipped, and gaps stay', () => {
  const gaps = [Number.NaN, 1, Number.NaN, 3, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 2]
  expect(valuesOf(thinRows(chartOf([gaps]), 2))).toEqual([[1, 3, Number.NaN, Number.NaN, 2]])
  expect(valuesOf(thinRows(chartOf([gaps]), 1))).toEqual([gaps])
  expect(valuesOf(thinRows(chartOf([[0, 1, 2, -3, 1]], { scale: 'log' }), 2))).toEqual([[1, 2, 1]])
  expect(valuesOf(thinRows(chartOf([[0, 1, 2, -3, 1]]), 2))).toEqual([[2, -3, 1]])
})

test('stacked series keep the values of one day, so that their sums are right', () => {
  const chart = chartOf(
    [
      [1, 9, 3, 4, 5],
      [9, 1, 7, 6, 5],
    ],
    { stacked: true },
  )
  expect(valuesOf(thinRows(chart, 2))).toEqual([
    [1, 3, 5],
    [9, 7, 5],
  ])
})
