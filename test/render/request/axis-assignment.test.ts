import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceDimension } from '#contract/metric-kinds.ts'
import { drawChart } from '#render/draw/chart.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { shareStacks } from '#render/request/normalize.ts'
import type { ChartRequest, RequestedAxis, RequestedSeries } from '#render/request/request.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { trials } from '#test/support/trials.ts'
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

/** Undefined if the request needs too many axes. */
function specify(request: ChartRequest): ChartSpecification | undefined {
  try {
    return buildSpecification(request)
  } catch (error) {
    if (error instanceof ChartRequestError) return undefined
    throw error
  }
}

describe('axes by dimension', () => {
  const price = (id: string, greatest: number, more: Partial<RequestedSeries> = {}) =>
    part(id, greatest, { dimension: priceDimension, ...more })

  test('one dimension has one axis, whatever the size of its values, and amounts have another than prices', () => {
    expect(groups([price('price', 8e4), part('market_cap', 1.6e12)])).toEqual([
      ['right', 'price'],
      ['left', 'market_cap'],
    ])
    const losses = price('f1', 0, { values: Float64Array.of(-2e9, 1e-9, 0) })
    expect(groups([price('price', 8e4), losses, price('x', 1)])).toEqual([['right', 'price', 'f1', 'x']])
  })

  test('a side that one of them requests is that of all, but where two request different ones', () => {
    const [low, high] = [price('low', 1), price('high', 5)]
    expect(groups([{ ...low, axis: 'right' }, high])).toEqual([['right', 'low', 'high']])
    expect(groups([low, { ...high, axis: 'right' }])).toEqual([['right', 'low', 'high']])
    expect(
      groups([
        { ...low, axis: 'left' },
        { ...high, axis: 'right' },
      ]),
    ).toEqual([
      ['left', 'low'],
      ['right', 'high'],
    ])
  })

  test('the overlay is on the axis of other prices, else on its own, which y_axes can describe', () => {
    const priceOverlay = upTo(8e4)
    expect(groups([price('realized_price', 3e4)], { priceOverlay })).toEqual([['right', 'realized_price', 'price']])
    const named = price('realized_price', 3e4, { y_axis_id: 'y' })
    expect(groups([named], { priceOverlay, axes: [{ id: 'y' }] })).toEqual([['right', 'realized_price', 'price']])
    const { axes } = compose([part('mvrv', 3, { unit: 'ratio' })], {
      priceOverlay,
      axes: [{ id: 'price_overlay', scale: 'log', title: 'Close' }],
    })
    expect(axes.map(({ side, scale, title }) => [side, scale, title])).toEqual([
      ['left', 'linear', 'mvrv'],
      ['right', 'log', 'Close'],
    ])
    const bySide = compose([part('mvrv', 3, { unit: 'ratio' })], {
      priceOverlay,
      axes: [{ id: 'right', title: 'Close' }],
    })
    expect(bySide.axes[1]!.title).toBe('Close')
    const apart = { priceOverlay, axes: [{ id: 'price_overlay' }] }
    expect(groups([price('realized_price', 3e4)], apart)).toEqual([
      ['left', 'realized_price'],
      ['right', 'price'],
    ])
  })

  test('four dimensions have an axis each, a fifth is refused with the way out', () => {
    const units = ['USD', 'BTC', 'ratio', 'days', 'percent']
    const parts = units.map((unit) => part(unit, 1, { unit }))
    expect(groups(parts.slice(0, 4)).map(([side]) => side)).toEqual(['left', 'right', 'left', 'right'])
    expect(() => groups(parts)).toThrow(/USD \(USD\), BTC .*, percent \(percent\); .*y_axis_id.*axes=left,right/)
    expect(groups(parts.map((one, i) => (i > 2 ? { ...one, y_axis_id: 'left' } : one)))).toHaveLength(4)
  })

  test('options of a side are of its first axis: another dimension keeps its own', () => {
    const parts = ['ratio', 'USD', 'BTC'].map((unit) => part(unit, 1, { unit }))
    expect(groups(parts, { axes: [{ id: 'left', scale: 'log' }] })).toEqual([
      ['left', 'ratio'],
      ['right', 'USD'],
      ['left', 'BTC'],
    ])
  })

  test('of two values of one dimension on a day the larger is drawn higher, unless two axes are requested', () => {
    const value = fc.oneof(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom(0, 1e-6, 1, 5e4, 2e12))
    const place = fc.constantFrom<Partial<RequestedSeries>>(
      {},
      {},
      {},
      {},
      { y_axis_id: 'y' },
      { y_axis_id: 'left' },
      { axis: 'left' },
      { axis: 'right' },
    )
    const one = fc
      .record({
        values: fc.array(value, { minLength: 3, maxLength: 3 }).map((values) => Float64Array.from(values)),
        unit: fc.constantFrom('USD', 'BTC', 'ratio'),
        dimension: fc.constantFrom('USD', priceDimension),
        style: fc.constantFrom('line', 'area', 'bar'),
        place,
      })
      .map(({ place, ...part }) => ({ ...part, ...place }))
    const options = fc.record(
      {
        scale: fc.constantFrom('linear', 'log'),
        priceOverlay: fc.constantFrom(upTo(5e4), upTo(2e-3)),
        axes: fc.subarray<RequestedAxis>([
          { id: 'left' },
          { id: 'right', scale: 'log' },
          { id: 'first', scale: 'log' },
        ]),
      },
      { requiredKeys: ['axes'] },
    )
    let compared = 0
    const requireOrder = (request: ChartRequest): void => {
      const parts = request.series.map((each, i) => ({ ...each, i }))
      const overlay = { dimension: priceDimension, i: parts.length, y_axis_id: undefined, axis: undefined }
      const chart = specify(request)
      if (!chart) return
      const { series } = drawChart(chart, nodePlatform).frame
      const automatic = [...parts, ...(request.priceOverlay ? [overlay] : [])].filter(
        ({ y_axis_id }) => y_axis_id === undefined,
      )
      for (const members of Map.groupBy(automatic, ({ dimension }) => dimension).values()) {
        if (new Set(members.flatMap(({ axis = [] }) => axis)).size > 1) continue
        const drawn = members.map(({ i }) => series[i]!)
        expect(new Set(drawn.map(({ scale }) => scale.axis.id)).size).toBe(1)
        for (const entry of [0, 1, 2]) {
          // What a log axis cannot show is counted as left out.
          const shown = drawn.filter((each) => each.scale.axis.scale === 'linear' || each.series.values[entry]! > 0)
          const ascending = shown.sort((low, high) => low.series.values[entry]! - high.series.values[entry]!)
          const pixels = ascending.map(({ position }) => position(entry))
          expect(pixels).toEqual(pixels.toSorted((low, high) => high - low))
          compared += Math.max(0, pixels.length - 1)
        }
      }
    }
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 4 }), options, (drawn, more) => {
        const series = drawn.map((each, i) => ({ ...each, id: `s${i}`, label: `S${i}` }))
        const axes = [...more.axes, { id: 'y' }]
        requireOrder({ title: '', source: '', x: { kind: 'date', days: dayRange(19000, 3) }, ...more, series, axes })
      }),
      { numRuns: trials(80, 400) },
    )
    expect(compared).toBeGreaterThan(50)
  })
})

describe('remarks', () => {
  test('name the line that is flat beside another, and what gives it an axis of its own', () => {
    const parts = [part('large', 5e4), part('small', 2e3)]
    const remarks = compose(parts).remarks
    expect(remarks).toEqual(['small: flat beside large on one axis; y_axis_id (GET: axes) gives it an axis of its own'])
    const own = parts.map((one, i) => ({ ...one, y_axis_id: i === 1 ? 'right' : 'left' }))
    for (const chart of [compose(own), compose(parts, { scale: 'log' }), compose([part('a', 5e4), part('b', 3e3)])]) {
      expect(chart.remarks).toEqual([])
    }
    const outlier = part('spiky', 0, { values: new Float64Array(100).fill(2).with(7, 1e6) })
    expect(compose([outlier, part('flat', 0, { values: new Float64Array(100).fill(1) })]).remarks).toEqual([])
  })

  test('a series without a drawable value is refused, and single ones are counted', () => {
    const huge = part('f1', 0, { values: Float64Array.of(1e300, Number.POSITIVE_INFINITY, Number.NaN) })
    expect(() => compose([part('price', 5), huge])).toThrow(/^no value of f1 can be drawn: all are beyond 1e100/)
    const some = part('f1', 0, { values: Float64Array.of(1e300, 1, 0) })
    expect(compose([some]).remarks).toEqual([
      '1 values of f1 are left out: they are beyond 1e100 or closer to zero than 1e-100',
    ])
  })
})

describe('axes by side', () => {
  test('left and right need no description', () => {
    const parts = [part('a', 5, { y_axis_id: 'right' }), part('b', 5, { y_axis_id: 'left' })]
    expect(groups(parts)).toEqual([
      ['right', 'a'],
      ['left', 'b'],
    ])
  })

  test('a reference on a side stands on the axis that is there', () => {
    const { axes, referenceLines } = compose([part('a', 5), part('price', 5e6)], {
      referenceLines: [
        { y: 1, y_axis_id: 'right' },
        { y: 1, y_axis_id: 'left' },
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
