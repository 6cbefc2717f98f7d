import { describe, expect, test } from 'vitest'
import { shareStacks } from '#render/request/normalize.ts'
import type { ChartRequest, RequestedSeries } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { dayRange } from '../samples.ts'

const upTo = (greatest: number) => Float64Array.of(0, greatest / 2, greatest)
const part = (id: string, greatest: number, more: Partial<RequestedSeries> = {}): RequestedSeries => ({
  id,
  label: id,
  unit: 'USD',
  values: upTo(greatest),
  ...more,
})
const compose = (series: readonly RequestedSeries[], more: Partial<ChartRequest> = {}) =>
  buildSpecification({ title: '', source: '', x: { kind: 'date', days: dayRange(19000, 3) }, series, ...more })
/** Ids of series by axis, with its side. */
const groups = (...request: Parameters<typeof compose>) => {
  const { axes, series } = compose(...request)
  return axes.map(({ id, side }) => [side, ...series.filter((one) => one.axisId === id).map((one) => one.id)])
}

describe('axes by magnitude', () => {
  test('price does not lie flat beside amounts of the same unit', () => {
    for (const order of [
      [part('price', 8e4), part('market_cap', 1.6e12)],
      [part('market_cap', 1.6e12), part('price', 8e4)],
    ]) {
      expect(groups(order)).toEqual(
        expect.arrayContaining([
          ['right', 'price'],
          ['left', 'market_cap'],
        ]),
      )
    }
    const losses = part('realized_pl', 0, { values: Float64Array.of(-2e9, 1e9, 0) })
    expect(groups([part('price', 8e4), losses])).toEqual([
      ['right', 'price'],
      ['left', 'realized_pl'],
    ])
  })

  test('what is of one magnitude stays together, also in a row of small steps', () => {
    expect(groups([part('price', 8e4), part('realized_price', 3e4)])).toEqual([['right', 'price', 'realized_price']])
    const ages = [1e5, 1e6, 5e6, 2e7].map((size, i) => part(`s${i}`, size, { unit: 'BTC' }))
    expect(groups(ages)).toEqual([['left', 's0', 's1', 's2', 's3']])
  })

  test('stacked series share an axis whatever their size, and a column of zeros goes with any', () => {
    const stack = [1, 1e6].map((size, i) => part(`s${i}`, size, { stacked: true, style: 'area' }))
    expect(groups(stack)).toEqual([['left', 's0', 's1']])
    expect(groups([part('a', 0), part('b', 1e9)])).toEqual([['left', 'a', 'b']])
  })
})

describe('axes by side', () => {
  test('left and right need no description', () => {
    const parts = [part('a', 5, { axisId: 'right' }), part('b', 5, { axisId: 'left' })]
    expect(groups(parts)).toEqual([
      ['right', 'a'],
      ['left', 'b'],
    ])
  })

  test('a reference on a side stands on the axis that is there', () => {
    const { axes, referenceLines } = compose([part('a', 5), part('price', 5e6)], {
      referenceLines: [
        { y: 1, axisId: 'right' },
        { y: 1, axisId: 'left' },
      ],
    })
    const sides = referenceLines.map(({ axisId }) => axes.find(({ id }) => id === axisId)?.side)
    expect([axes.length, sides]).toEqual([2, ['right', 'left']])
  })

  test('a description without an id holds for the series of its side, or the first axis', () => {
    const parts = [part('mvrv', 5, { unit: 'ratio' }), part('price', 5)]
    const sided = compose(parts, { axes: [{ id: 'left', side: 'left', scale: 'log' }] })
    expect(sided.axes.map(({ id, scale }) => [id, scale])).toEqual([
      ['left', 'log'],
      ['auto:USD', 'linear'],
    ])
    const first = compose(parts, { axes: [{ id: 'first', scale: 'log' }] })
    expect(first.axes.map(({ side, scale }) => [side, scale])).toEqual([
      ['left', 'log'],
      ['right', 'linear'],
    ])
  })
})

test('fractions that are read in percent are written so', () => {
  const [axis] = compose([part('drawdown', 0, { unit: 'ratio', values: Float64Array.of(-0.5, 0, -0.1) })]).axes
  expect([axis!.format, axis!.factor]).toEqual(['percent', 100])
  expect(compose([part('mvrv', 3, { unit: 'ratio' })]).axes[0]!.format).toBe('number')
})

test('stacks as shares of their sum: by size, without those that are not stacked', () => {
  const stack = [
    part('a', 0, { stacked: true, values: Float64Array.of(1, -1, 0, Number.NaN) }),
    part('b', 0, { stacked: true, values: Float64Array.of(3, 3, 0, 5) }),
    part('line', 9),
  ]
  const [a, b, line] = shareStacks(stack)
  expect([...a!.values]).toEqual([25, -25, Number.NaN, Number.NaN])
  expect([...b!.values]).toEqual([75, 75, Number.NaN, 100])
  expect([a!.unit, b!.unit, line]).toEqual(['%', '%', stack[2]])
})

test('an area with one bound reaches to the end of its axis', () => {
  const { referenceAreas } = compose([part('a', 5)], { referenceAreas: [{ y1: 3 }, { y2: 1 }] })
  expect(referenceAreas.map(({ y1, y2 }) => [y1, y2])).toEqual([
    [3, 1e99],
    [-1e99, 1],
  ])
})
