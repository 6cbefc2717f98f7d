import { describe, expect, test } from 'vitest'
import { falling, rising, themes } from '#render/draw/theme.ts'
import { ageBands } from '#render/request/age-bands.ts'
import type { ChartRequest, RequestedSeries } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { dayRange } from '../samples.ts'

function compose(series: Partial<RequestedSeries>[], more: Partial<ChartRequest> & { count?: number } = {}) {
  const { count = 100, ...rest } = more
  return buildSpecification({
    title: 'T',
    source: '',
    x: { kind: 'date', days: dayRange(19000, count) },
    series: series.map((one) => ({
      id: 'a',
      label: 'A',
      unit: 'BTC',
      values: new Float64Array(count).fill(1),
      ...one,
    })),
    ...rest,
  })
}

const price = { id: 'price', label: 'Price', unit: 'USD' }

describe('the conventions of the field', () => {
  test('a light picture of 1200×600 pixels', () => {
    expect(compose([{}])).toMatchObject({ theme: 'light', width: 1200, height: 600 })
  })

  test('price stands on the right, other metrics on the left', () => {
    expect(compose([{}, price]).axes.map(({ side }) => side)).toEqual(['left', 'right'])
    expect(compose([price]).axes.map(({ side }) => side)).toEqual(['right'])
  })

  test('price is on a log axis over two years and more, unless the request says otherwise', () => {
    expect(compose([price], { count: 700 }).axes[0]!.scale).toBe('linear')
    expect(compose([price], { count: 731 }).axes[0]!.scale).toBe('log')
    expect(compose([price], { count: 731, scale: 'linear' }).axes[0]!.scale).toBe('linear')
  })

  test('days on which a metric was still zero leave its price axis logarithmic, losses do not', () => {
    const values = Float64Array.from({ length: 731 }, (_, i) => Math.max(0, i - 5) / 100)
    expect(compose([{ unit: 'USD', values }, price], { count: 731 }).axes[0]!.scale).toBe('log')
    const losses = values.map((value) => value - 10)
    expect(compose([{ unit: 'USD', values: losses }, price], { count: 731 }).axes[0]!.scale).toBe('linear')
  })

  test('metrics of one unit share an axis, and further units get their own', () => {
    const { axes, series } = compose([{}, { unit: 'ratio' }, {}, { unit: '%' }])
    expect(series.map(({ axisId }) => axisId)).toEqual([axes[0]!.id, axes[1]!.id, axes[0]!.id, axes[2]!.id])
    expect(axes.map(({ side }) => side)).toEqual(['left', 'right', 'left'])
    expect(axes.map(({ color }) => color === undefined)).toEqual([true, false, false])
  })

  test('cycles are compared on the left, on a log axis where the values allow it', () => {
    const x = { kind: 'day_offset', days: dayRange(19833, 100), firstDay: 19833 } as const
    expect(compose([{ ...price, cycleStart: 19833 }], { x }).axes[0]).toMatchObject({ side: 'left', scale: 'log' })
    expect(compose([{ unit: '%', cycleStart: 19833 }], { x }).axes[0]).toMatchObject({ scale: 'linear' })
    const negative = new Float64Array(100).fill(-1)
    expect(compose([{ values: negative, cycleStart: 19833 }], { x }).axes[0]).toMatchObject({ scale: 'linear' })
  })

  test('the price overlay is a subtle dashed line on a right axis of its own', () => {
    const { axes, series } = compose([{ unit: 'USD', id: 'realized_cap' }], {
      priceOverlay: new Float64Array(100).fill(5),
    })
    expect(series[1]).toMatchObject({ id: 'price', dash: '4 3', color: themes.light.price, axisId: 'price_overlay' })
    expect(series[1]!.opacity).toBeLessThan(1)
    expect(axes[1]).toMatchObject({ id: 'price_overlay', side: 'right' })
  })

  test('over a stack the price overlay is a stronger line, still dashed', () => {
    const [, overlay] = compose([{ stacked: true }], { priceOverlay: new Float64Array(100).fill(5) }).series
    const [, subtle] = compose([{}], { priceOverlay: new Float64Array(100).fill(5) }).series
    expect(overlay).toMatchObject({ opacity: 1, dash: '8 3' })
    expect(overlay!.lineWidth).toBeGreaterThan(subtle!.lineWidth)
  })

  test('price is not laid over itself', () => {
    expect(compose([price], { priceOverlay: new Float64Array(100).fill(5) }).series).toHaveLength(1)
  })

  test('a scale for the whole chart holds for all axes but those that state theirs, the overlay, and stacked areas', () => {
    const parts = [{ y_axis_id: 'own' }, { stacked: true, unit: '%' }, { unit: 'ratio' }]
    const chart = compose(parts, {
      scale: 'log',
      axes: [{ id: 'own', scale: 'linear' }],
      priceOverlay: new Float64Array(100).fill(5),
    })
    expect(chart.axes.map(({ scale }) => scale)).toEqual(['linear', 'linear', 'log', 'linear'])
  })

  test('units decide the format of numbers and the title of the axis', () => {
    const { axes } = compose([{ ...price }, { unit: '%' }, { unit: 'H/s' }, { unit: 'BTC' }])
    expect(axes.map(({ format }) => format)).toEqual(['currency', 'percent', 'si', 'number'])
    expect(axes.map(({ title }) => title)).toEqual(['Price (USD)', 'A', 'A (H/s)', 'A (BTC)'])
  })

  test('plain numbers have no unit beside their name, unless the axis carries other units, too', () => {
    const title = (...units: string[]) =>
      compose(
        units.map((unit) => ({ unit, y_axis_id: 'y' })),
        { axes: [{ id: 'y' }] },
      ).axes[0]!.title
    expect([title('ratio'), title('count'), title('ratio', 'ratio')]).toEqual(['A', 'A', ''])
    expect([title('BTC', 'BTC'), title('ratio', 'USD')]).toEqual(['BTC', 'ratio, USD'])
  })

  test('series take the palette in order, price its own colour, ages and ribbons a scale, as they are ordered', () => {
    const colors = (parts: Partial<RequestedSeries>[]) => compose(parts).series.map(({ color }) => color)
    const [first, second] = themes.light.palette
    expect(colors([{}, price, {}])).toEqual([first, themes.light.price, second])
    const stacked = colors(Object.keys(ageBands).map((band) => ({ id: `supply_${band}`, stacked: true })))
    expect(colors([{ stacked: true }, { stacked: true }])).toEqual([first, second])
    expect(new Set(stacked).size).toBe(12)
    expect(stacked).not.toContain(first)
    const ribbon = colors([{ id: 'difficulty_sma_9' }, { id: 'difficulty_sma_40' }, { id: 'difficulty_sma_200' }, {}])
    expect(new Set(ribbon).size).toBe(4)
    expect(ribbon.indexOf(first!)).toBe(3)
    for (const stacked of [false, true]) {
      const bands = ['under_1m_sats', '10m_100m_sats', '1_10_btc', 'over_1k_btc'].map((band) => ({
        id: `supply_${band}`,
      }))
      expect(colors([...bands.map((one) => ({ ...one, stacked })), { stacked }]).indexOf(first!)).toBe(4)
    }
  })

  test('a single series needs no legend, unless asked for', () => {
    expect(compose([{}]).series[0]!.showInLegend).toBe(false)
    expect(compose([{ show_in_legend: true }]).series[0]!.showInLegend).toBe(true)
    expect(compose([{}, {}]).series[0]!.showInLegend).toBe(true)
  })
})

test('bars of two axes show each other, those of one axis stand side by side', () => {
  const bars = (...parts: Partial<RequestedSeries>[]) =>
    compose(parts.map((part) => ({ style: 'bar', ...part }))).series.map(({ opacity }) => opacity)
  expect(bars({}, { unit: '%' }, { unit: '%', style: 'line' })).toEqual([0.6, 0.6, 1])
  expect(bars({}, { unit: '%', opacity: 0.9 })).toEqual([0.6, 0.9])
  expect(bars({}, {})).toEqual([1, 1])
})

describe('requests that cannot be drawn', () => {
  test('an axis that does not exist is named, with those that do', () => {
    expect(() => compose([{ y_axis_id: 'rigth' }], { axes: [{ id: 'right' }] })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: 'series "a" names the axis "rigth", which does not exist',
        cure: 'use one of: right',
      }),
    )
    expect(() => compose([{}], { referenceLines: [{ y: 1, y_axis_id: 'none' }] })).toThrow(
      /a reference names the axis "none"/,
    )
  })
})

test('shares of a sum end at 100 percent', () => {
  const parts = ['a', 'b'].map((id) => ({ id, label: id, style: 'area' as const, stacked: true }))
  const ends = (normalized: boolean) => compose(parts, { normalized }).axes.map((axis) => axis.domainMaximum)
  expect([ends(true), ends(false)]).toEqual([[100], [undefined]])
})

test('one profit and one loss have the colours of gains and losses, beside which no other is like them', () => {
  const colors = (...ids: string[]) => compose(ids.map((id) => ({ id }))).series.map(({ color }) => color)
  const [profit, loss, other] = colors('realized_profit', 'sth_realized_loss', 'sopr')
  expect([profit, loss]).toEqual([rising, falling])
  expect(other).toBe(themes.light.palette[2])
  expect(colors('realized_profit', 'lth_realized_profit', 'realized_loss')).toEqual(themes.light.palette.slice(0, 3))
  expect(colors('supply_in_profit', 'supply_in_profit_to_loss')).toEqual(themes.light.palette.slice(0, 2))
})

test('a series without values is named, with what an index needs', () => {
  const missing = new Float64Array(100).fill(Number.NaN)
  const remarks = (unit: string) => compose([{}, { id: 'b', label: 'B', unit, values: missing }]).remarks
  expect(remarks('BTC')).toEqual(['B has no values here'])
  expect(remarks('first day = 100')).toEqual(['B has no values here: an index begins above zero'])
})
