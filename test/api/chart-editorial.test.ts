import { beforeAll, describe, expect, test } from 'vitest'
import type { Picture } from '#test/render/picture.ts'
import { serveChain, server } from './support/chain-service.ts'
import { attribute, ChartClient, numbersOf, textsOf } from './support/chart-client.ts'
import { firstDay, lastDay } from './support/served-chain.ts'

/** Fields of the body that decide what is written and marked around the data. */

serveChain({ ACCESS: 'open' })
let charts: ChartClient
beforeAll(() => {
  charts = new ChartClient(server.url)
})

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const textsIn = async (body: object) => (await charts.drawn(body)).texts.map(({ text }) => text)
const refused = async (body: object) => {
  const response = await charts.post(body)
  return [response.status, (await response.json()).message]
}

describe('words', () => {
  test('subtitle', async () => {
    expect(await textsIn({ metric: 'mvrv', subtitle: 'How to read it' })).toContain('How to read it')
    expect(await refused({ metric: 'mvrv', subtitle: 'x'.repeat(241) })).toEqual([
      400,
      expect.stringContaining("'subtitle'"),
    ])
  })

  test('last_values and labels', async () => {
    const two = { metrics: ['mvrv', 'sopr'] }
    expect(textsOf(await charts.drawn(two), 'end-labels')).toHaveLength(2)
    expect(textsOf(await charts.drawn({ ...two, last_values: false }), 'end-labels')).toEqual([])
    const direct = await charts.drawn({ ...two, last_values: false, labels: 'direct' })
    expect(textsOf(direct, 'end-labels').sort()).toEqual(['MVRV', 'SOPR'])
    expect(textsOf(direct, 'legend')).toEqual([])
  })

  test('brand and generation', async () => {
    const shown = await charts.drawn({ metric: 'mvrv' })
    expect(textsOf(shown, 'brand')).toEqual(['Coinstrata'])
    const { generation } = await charts.described({ metric: 'mvrv' })
    const source = shown.texts.map(({ text }) => text).find((text) => text.includes('generation'))
    expect(source).toMatch(/^Simulated data · generation \d+-[0-9a-f]{8} of \d+ \w{3} \d{4}$/)
    expect(generation).toContain(/generation (\S+)/.exec(source!)![1])
    const bare = await charts.drawn({ metric: 'mvrv', brand: false })
    expect(textsOf(bare, 'brand')).toEqual([])
  })

  test('a chart of formulas alone is titled by them', async () => {
    const { title, series } = await charts.described({
      formulas: [{ expression: 'price * 2', label: 'Twice' }, { expression: 'if(price > 1, price, realized_price)' }],
    })
    expect(title).toBe('Twice, if(price > 1, price, realized_price)')
    expect(series.map(({ id, unit, axis }) => [id, unit, axis.id])).toEqual([
      ['f1', 'USD', 'auto:USD per coin'],
      ['f2', 'USD', 'auto:USD per coin'],
    ])
    const both = await charts.described({ metric: 'mvrv', formulas: [{ expression: 'm1 * 2', label: 'Twice' }] })
    expect(both.title).toBe('MVRV, Twice')
  })
})

describe('days', () => {
  test('range, which days and start_date go before', async () => {
    const first = async (body: object) => (await charts.described({ metric: 'block_height', ...body })).x.first
    expect(await first({ range: 'all' })).toBe(dateOf(firstDay))
    expect(await first({ range: '1y' })).toBe(dateOf(lastDay - 364))
    expect(await first({ range: '1m' })).toBe(dateOf(lastDay - 29))
    expect(await first({ range: '3m' })).toBe(dateOf(lastDay - 90))
    expect(await first({ range: '6m' })).toBe(dateOf(lastDay - 181))
    expect(await first({ range: 'ytd' })).toBe('2010-01-01')
    expect(await first({ range: 'ytd', end_date: '2009-12-31' })).toBe(dateOf(firstDay))
    // The chain is shorter than four years, and in its first cycle.
    expect(await first({ range: '2y' })).toBe(dateOf(firstDay))
    expect(await first({ range: '4y' })).toBe(dateOf(firstDay))
    expect(await first({ range: 'cycle' })).toBe(dateOf(firstDay))
    expect(await first({ range: 'all', days: 10 })).toBe(dateOf(lastDay - 9))
    expect(await first({ range: '1y', start_date: '2010-01-01' })).toBe('2010-01-01')
  })

  test('a template shows its own range, and that which is asked for', async () => {
    const first = async (body: object) => (await charts.described({ template: 'block_height', ...body })).x.first
    expect(await first({})).toBe(dateOf(firstDay))
    expect(await first({ range: '1y' })).toBe(dateOf(lastDay - 364))
  })

  test('reference_lines with x stand at their date', async () => {
    const line = { x: '2009-12-01', label: 'Marked', stroke: '#123456', stroke_dasharray: '7 1' }
    const picture = await charts.drawn({ metric: 'mvrv', reference_lines: [line] })
    const look = ['stroke', 'stroke-dasharray'].map((name) => attribute(picture, '.vertical-line', name))
    expect([look, textsOf(picture, 'verticals')]).toEqual([['#123456', '7 1'], ['Marked']])
    expect(await refused({ metric: 'mvrv', reference_lines: [{ x: '2009-12-01', y: 1 }] })).toEqual([
      400,
      expect.stringContaining("'reference_lines.0.y'"),
    ])
  })
})

test('interval: bars are sums of weeks or months, each at its last day', async () => {
  const flows = { metric: 'blocks_mined', style: 'bar', start_date: '2009-02-02', end_date: '2009-03-31' }
  const daily = await charts.described(flows)
  const weekly = await charts.described({ ...flows, interval: 'week' })
  const monthly = await charts.described({ ...flows, interval: 'month' })
  expect([daily, weekly, monthly].map(({ series }) => series[0]!.count)).toEqual([58, 9, 2])
  expect([weekly.x, monthly.x].map(({ first, last }) => [first, last])).toEqual([
    ['2009-02-08', '2009-03-31'],
    ['2009-02-28', '2009-03-31'],
  ])
  const points = async (body: object) => charts.described(body).then(({ series }) => series[0]!)
  const day = async (date: string) => (await points({ ...flows, start_date: date, end_date: date })).last!.value
  const dates = Array.from({ length: 7 }, (_, i) => `2009-02-0${i + 2}`)
  const sum = (await Promise.all(dates.map(day))).reduce((total, value) => total + value, 0)
  expect(weekly.series[0]!.first!.value).toBe(sum)
  // A price does not add up, also where it is drawn as bars; a formula of flows does.
  const price = { metric: 'price', style: 'bar', start_date: '2010-01-04', end_date: '2010-01-31' }
  expect((await points({ ...price, interval: 'week' })).last!.value).toBe((await points(price)).last!.value)
  const doubled = {
    formulas: [{ expression: 'blocks_mined * 2', style: 'bar' }],
    start_date: dates[0],
    end_date: dates[6],
  }
  expect((await points({ ...doubled, interval: 'week' })).last!.value).toBe(2 * sum)
  expect((await charts.drawn({ ...flows, interval: 'week' })).texts.map(({ text }) => text)).toContain(
    'Weekly, 8 Feb 2009 – 31 Mar 2009',
  )
})

describe('candles and months', () => {
  test('candles of the price, by day and by week', async () => {
    const body = { metric: 'price', style: 'candle', days: 60 }
    expect((await charts.described(body)).series.map(({ id, style }) => [id, style])).toEqual([['price', 'candle']])
    const candles = ({ document }: Picture) =>
      [...document.querySelectorAll('.series')].map((one) => one.getAttribute('d')!.split('z').length - 1)
    const count = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / 2
    expect(count(candles(await charts.drawn(body)))).toBe(60)
    expect(count(candles(await charts.drawn({ ...body, interval: 'week' })))).toBeOneOf([9, 10])
  })

  test.each([
    { metric: 'mvrv', style: 'candle' },
    { metrics: [{ id: 'sopr', style: 'candle' }] },
    { metric: 'price', formulas: [{ expression: 'm1', style: 'candle' }] },
  ])('no candles of anything else', async (body) => {
    expect(await refused(body)).toEqual([400, expect.stringContaining('candles show')])
  })

  test('calendar: changes by month', async () => {
    const picture = await charts.drawn({ calendar: { metric: 'price' }, range: 'all' })
    expect(textsOf(picture, 'month-grid')).toEqual(expect.arrayContaining(['Jan', 'Year', '2009', '2010']))
    expect(picture.document.querySelectorAll('.month-grid rect').length).toBeGreaterThan(10)
    expect((await charts.described({ calendar: { metric: 'price' } })).title).toBe('Price: change by month')
    const titled = { calendar: { metric: 'mvrv' }, title: 'Return by month', range: 'all' }
    expect(await textsIn(titled)).toEqual(expect.arrayContaining([expect.stringContaining('MVRV: mean by month.')]))
  })

  test('normalize puts any series on one axis', async () => {
    const { series } = await charts.described({ metrics: ['price', 'block_height'], normalize: 'index' })
    expect(series.map(({ first, unit }) => [first!.value, unit])).toEqual([
      [100, 'first day = 100'],
      [100, 'first day = 100'],
    ])
    expect(new Set(series.map(({ axis }) => axis.id)).size).toBe(1)
  })
})

describe('stacks', () => {
  const ages = ['supply_24h', 'supply_1d_1w', 'supply_1w_1m']

  test.each(['area', 'bar'])('stacked %ss lie upon each other', async (style) => {
    const picture = await charts.drawn({ metrics: ages, style, stacked: true, days: 30 })
    expect([...picture.document.querySelectorAll('.series')].map((one) => one.getAttribute('data-id'))).toEqual(ages)
    const { series } = await charts.described({ metrics: ages, style, stacked: true, days: 30 })
    expect(new Set(series.map(({ axis }) => axis.id)).size).toBe(1)
  })

  test('as shares they sum to a hundred percent', async () => {
    const { series } = await charts.described({ metrics: ages, stacked: 'percent', days: 30 })
    expect(series.map(({ unit, style }) => [unit, style])).toEqual(ages.map(() => ['%', 'area']))
    expect(series.reduce((sum, { last }) => sum + last!.value, 0)).toBeCloseTo(100, 9)
  })

  test('a metric may stay out of the stack', async () => {
    const metrics = [...ages, { id: 'circulating_supply', style: 'line', stacked: false }]
    const { document } = await charts.drawn({ metrics, stacked: true, days: 30 })
    expect(document.querySelector('.series[data-id="circulating_supply"]')!.getAttribute('fill')).toBe('none')
    expect(document.querySelector('.series[data-id="supply_24h"]')!.getAttribute('fill')).not.toBe('none')
  })
})

describe('axes', () => {
  test('y_axis_id left and right need no description', async () => {
    const { series } = await charts.described({ metrics: [{ id: 'mvrv', y_axis_id: 'right' }, 'price'] })
    expect(series[0]!.axis).toMatchObject({ id: 'right', side: 'right' })
  })

  test('a description without an id is that of its side, or of the first axis', async () => {
    const scales = async (axis: object) => {
      const { series } = await charts.described({ metrics: ['mvrv', 'price'], y_axes: [axis] })
      return series.map((one) => one.axis.scale)
    }
    expect(await scales({ side: 'right', scale: 'log' })).toEqual(['linear', 'log'])
    expect(await scales({ scale: 'log' })).toEqual(['log', 'linear'])
  })

  test('reference areas with one bound reach to the end of the axis', async () => {
    const picture = await charts.drawn({ metric: 'mvrv', reference_areas: [{ y1: 1 }] })
    const [, one, other] = /,([\d.]+)H[\d.]+V([\d.]+)H/.exec(attribute(picture, '.reference-area', 'd')!)!
    const [top] = [Number(attribute(picture, 'svg svg', 'y'))]
    expect(Number(other)).toBeLessThan(Number(one))
    expect(Math.abs(Number(other) - (top! + 1))).toBeLessThan(0.6)
    expect(await refused({ metric: 'mvrv', reference_areas: [{ label: 'x' }] })).toEqual([
      400,
      expect.stringContaining("'reference_areas.0.y1'"),
    ])
  })

  test('what has no effect is told', async () => {
    const remarksOf = async (...y_axes: object[]) =>
      (await charts.described({ metrics: [{ id: 'mvrv', y_axis_id: 'y' }], y_axes })).remarks
    expect(await remarksOf({ id: 'y' })).toEqual([])
    expect(await remarksOf({ id: 'y' }, { id: 'spare' })).toEqual([expect.stringContaining('"spare" is used by no')])
    expect(await remarksOf({ id: 'y', scale: 'log', domain_min: -1 })).toEqual([
      expect.stringContaining('zero or less'),
    ])
    const { remarks } = await charts.described({ metric: 'drawdown', scale: 'log' })
    expect(remarks).toEqual(['the axis of Drawdown is linear: a logarithmic one cannot show values of zero or less'])
  })

  test('drawdown is written in percent', async () => {
    for (const label of numbersOf(await charts.drawn({ metric: 'drawdown' }), 'auto:ratio')) {
      expect(label).toMatch(/^(−?\d+\u00a0%|0\u00a0?%?)$/)
    }
  })
})

test('an unknown template without a like name is told in whole sentences', async () => {
  const [status, message] = await refused({ template: 'zzzzzzzz' })
  expect([status, message]).toEqual([404, expect.stringMatching(/^.*'zzzzzzzz'\. There are price, /)])
})
