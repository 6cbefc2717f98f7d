import { beforeAll, describe, expect, test } from 'vitest'
import { labelValue, pathPieces, readAxis } from '#test/render/picture.ts'
import { serveChain, server } from './support/chain-service.ts'
import { attribute, ChartClient, numbersOf, textsOf } from './support/chart-client.ts'
import { firstDay, lastDay } from './support/served-chain.ts'

/**
 * What each field of the body of POST /v1/chart/snapshot does, seen in the picture and in what is
 * told of it.
 */

serveChain({ ACCESS: 'open' })
let charts: ChartClient
beforeAll(() => {
  charts = new ChartClient(server.url)
})

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const axisOf = async (body: object) => (await charts.described(body)).series[0]!.axis
describe('what a chart is without further fields', () => {
  test('light, 1200×600, the last 365 days, linear, a line where the metric is one', async () => {
    const { theme, width, height, x, series } = await charts.described({ metric: 'mvrv' })
    expect({ theme, width, height, x }).toEqual({
      theme: 'light',
      width: 1200,
      height: 600,
      x: { kind: 'date', first: dateOf(lastDay - 364), last: dateOf(lastDay) },
    })
    expect(series).toMatchObject([{ id: 'mvrv', style: 'line', axis: { side: 'left', scale: 'linear' } }])
  })

  test.each([
    ['coindays_destroyed', 'bar'],
    ['realized_cap', 'area'],
    ['sopr', 'line'],
  ])('the style of %s is that of its definition, %s', async (metric, style) => {
    const [definition] = (await (await fetch(`${server.url}/v1/metrics/${metric}`)).json()).data
    expect(definition.style).toBe(style)
    expect((await charts.described({ metric })).series[0]!.style).toBe(style)
  })
})

describe('the whole chart', () => {
  test('days, and start_date that overrides them', async () => {
    expect((await charts.described({ metric: 'mvrv', days: 7 })).x.first).toBe(dateOf(lastDay - 6))
    expect((await charts.described({ metric: 'block_height', days: 10_000 })).x.first).toBe(dateOf(firstDay))
    const dated = { metric: 'mvrv', days: 7, start_date: '2010-01-01', end_date: '2010-01-31' }
    expect((await charts.described(dated)).x).toMatchObject({ first: '2010-01-01', last: '2010-01-31' })
  })

  test.each(['line', 'area', 'bar'])('style %s', async (style) => {
    expect((await charts.described({ metric: 'sopr', style })).series[0]!.style).toBe(style)
  })

  test('style and scale go before those of a template', async () => {
    const own = await charts.described({ template: 'market_cap' })
    expect(own.series[0]).toMatchObject({ style: 'line', axis: { scale: 'log' } })
    const asked = await charts.described({ template: 'market_cap', style: 'area', scale: 'linear' })
    expect(asked.series[0]).toMatchObject({ style: 'area', axis: { scale: 'linear' } })
  })

  test.each(['linear', 'log'])('scale %s', async (scale) => {
    expect((await axisOf({ metric: 'mvrv', scale })).scale).toBe(scale)
  })

  test('overlay: a dashed price line on a right axis of its own', async () => {
    const { series } = await charts.described({ metric: 'mvrv', overlay: 'price' })
    expect(series.map(({ id, axis }) => [id, axis.id, axis.side])).toEqual([
      ['mvrv', 'auto:ratio', 'left'],
      ['price', 'price_overlay', 'right'],
    ])
    const picture = await charts.drawn({ metric: 'mvrv', overlay: 'price' })
    expect(attribute(picture, '.series[data-id="price"]', 'stroke-dasharray')).toBe('4 3')
  })

  test('title, theme, width and height', async () => {
    const picture = await charts.drawn({ metric: 'mvrv', title: 'My chart', theme: 'dark', width: 801, height: 437 })
    expect(picture.texts[0]!.text).toBe('My chart')
    expect(['width', 'height'].map((side) => attribute(picture, 'svg', side))).toEqual(['801', '437'])
    expect(attribute(picture, 'svg > rect', 'fill')).toBe('#101418')
  })

  test('x_axis and cycle_family', async () => {
    const cycles = { metric: 'circulating_supply', x_axis: 'day_offset' }
    const halvings = await charts.described(cycles)
    expect(halvings).toMatchObject({ title: 'Circulating supply, halving cycles', x: { kind: 'day_offset' } })
    expect((await charts.described({ ...cycles, cycle_family: 'halving' })).render_id).toBe(halvings.render_id)
    // The short chain has no low, and a high that is not a top.
    const { series } = await charts.described({ ...cycles, cycle_family: 'ath' })
    expect(series.map(({ label }) => label)).toEqual([expect.stringMatching(/^From .*, provisional$/)])
    const response = await charts.post({ ...cycles, cycle_family: 'low' })
    expect([response.status, (await response.json()).message]).toEqual([404, expect.stringContaining('low')])
  })
})

describe('a metric', () => {
  test('is an id, or says more', async () => {
    const { series } = await charts.described({ metrics: ['mvrv', { id: 'sopr', label: 'Spent', style: 'bar' }] })
    expect(series.map(({ id, label, style }) => [id, label, style])).toEqual([
      ['mvrv', 'MVRV', 'line'],
      ['sopr', 'Spent', 'bar'],
    ])
  })

  test('axis and y_axis_id', async () => {
    expect(await axisOf({ metrics: [{ id: 'mvrv', axis: 'right' }] })).toMatchObject({ side: 'right' })
    expect(await axisOf({ metrics: [{ id: 'price', axis: 'left' }] })).toMatchObject({ side: 'left' })
    const own = { metrics: [{ id: 'mvrv', y_axis_id: 'mine' }], y_axes: [{ id: 'mine' }] }
    expect(await axisOf(own)).toMatchObject({ id: 'mine' })
  })

  test('color, line_width, dash and opacity', async () => {
    const one = { id: 'mvrv', color: '#FA0', line_width: 4.5, dash: '6 2', opacity: 0.4 }
    const picture = await charts.drawn({ metrics: [one] })
    const look = ['stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity'].map((name) =>
      attribute(picture, '.series', name),
    )
    expect(look).toEqual(['#ffaa00', '4.5', '6 2', '0.4'])
  })

  test('show_in_legend', async () => {
    const shown = async (...items: object[]) => textsOf(await charts.drawn({ metrics: items }), 'legend')
    expect(await shown({ id: 'mvrv' })).toEqual([])
    expect(await shown({ id: 'mvrv', show_in_legend: true })).toEqual(['MVRV'])
    expect(await shown({ id: 'mvrv' }, { id: 'sopr', show_in_legend: false })).toEqual(['MVRV'])
  })
})

describe('an axis', () => {
  const on = (axis: object, id = 'mvrv') => ({ metrics: [{ id, y_axis_id: 'y' }], y_axes: [{ id: 'y', ...axis }] })

  test('side and scale, which the scale of the chart does not change', async () => {
    expect(await axisOf(on({ side: 'right', scale: 'log' }))).toMatchObject({ side: 'right', scale: 'log' })
    expect((await axisOf({ ...on({ scale: 'linear' }), scale: 'log' })).scale).toBe('linear')
  })

  test('format', async () => {
    const labels = async (format: string) => numbersOf(await charts.drawn(on({ format })), 'y')
    for (const label of await labels('number')) expect(label).toMatch(/^[\d.]+$/)
    for (const label of await labels('currency')) expect(label).toMatch(/^\$[\d.]+$/)
    const [plain, percent] = [await labels('number'), await labels('percent')]
    for (const label of percent) expect(label).toMatch(/^\d+\u00a0%$/)
    expect(labelValue(percent.at(-1)!)).toBeGreaterThan(50 * labelValue(plain.at(-1)!))
  })

  test('range: its part of the height, from the bottom', async () => {
    const heights = async (range?: [number, number]) => {
      // Only an axis that reaches the top has its title above the plot.
      const axis = { ...(range && { range }), no_padding: 'both', title: '' }
      const [line] = pathPieces(await charts.drawn(on(axis)), '.series')
      const ys = line!.map(([, y]) => y)
      return { top: Math.min(...ys), bottom: Math.max(...ys) }
    }
    const whole = await heights()
    const zone = await heights([25, 50])
    const at = (percent: number) => whole.bottom - ((whole.bottom - whole.top) * percent) / 100
    expect(Math.abs(zone.bottom - at(25))).toBeLessThan(0.3)
    expect(Math.abs(zone.top - at(50))).toBeLessThan(0.3)
  })

  test('domain_min and domain_max', async () => {
    const picture = await charts.drawn(on({ domain_min: -2, domain_max: 10 }))
    const y = readAxis(picture, 'y')
    const frame = picture.document.querySelector('svg svg')!
    const [top, height] = ['y', 'height'].map((name) => Number(frame.getAttribute(name)))
    // The frame is wider than the axis by the rim of one pixel at both ends.
    expect(Math.abs(y(10) - (top! + 1))).toBeLessThan(0.6)
    expect(Math.abs(y(-2) - (top! + height! - 1))).toBeLessThan(0.6)
  })

  test.each([
    ['auto:ratio', { metric: 'mvrv' }],
    ['right:USD per coin', { metrics: ['mvrv', { id: 'price', axis: 'right' }] }],
    ['cycles', { metric: 'mvrv', x_axis: 'day_offset', scale: 'linear' }],
    ['auto:BTC', { histogram: { metric: 'cost_basis_distribution' } }],
    ['auto:%', { metrics: ['lth_supply', 'sth_supply'], stacked: 'percent' }],
  ])('an axis that no series names is described by its id: %s', async (id, chart) => {
    const picture = await charts.drawn({ ...chart, y_axes: [{ id, domain_min: 2, domain_max: 3 }] })
    const labels = await numbersOf(picture, id)
    expect([labels[0], labels.at(-1)].map((label) => labelValue(label ?? ''))).toEqual([2, 3])
  })

  test.each([
    [undefined, [true, true]],
    ['top', [false, true]],
    ['bottom', [true, false]],
    ['both', [false, false]],
  ])('no_padding %s', async (no_padding, air) => {
    const picture = await charts.drawn(on({ ...(no_padding && { no_padding }) }, 'block_height'))
    const ys = pathPieces(picture, '.series')[0]!.map(([, y]) => y)
    const frame = picture.document.querySelector('svg svg')!
    const [top, height] = ['y', 'height'].map((name) => Number(frame.getAttribute(name)))
    expect([Math.min(...ys) > top! + 10, Math.max(...ys) < top! + height! - 10]).toEqual(air)
  })
})
