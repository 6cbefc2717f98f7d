import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import type { ChartOptions } from '#web/chart/chart-options.ts'
import { keys, serveChain, server } from './support/chain-service.ts'
import { ChartClient } from './support/chart-client.ts'

// Code of pages waits for fonts as soon as it is loaded.
vi.stubGlobal('document', { fonts: { load: async () => [] } })
const { composeChart } = await import('#web/chart/compose.ts')

/**
 * One axis for each dimension, in pictures of the API and on pages, which compose their charts of
 * its columns.
 */

serveChain({ ACCESS: 'open' })
let charts: ChartClient
beforeAll(() => {
  charts = new ChartClient(server.url)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const get = (query: string) => fetch(`${server.url}/v1/chart/snapshot?${query}`)

async function composeByApi(options: ChartOptions): Promise<ChartSpecification> {
  const response = await charts.post({ ...options, format: 'spec' })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return readChartResponse(text).specification
}

function composeByPage(options: ChartOptions): Promise<ChartSpecification> {
  vi.stubGlobal('document', { baseURI: server.url })
  return composeChart(options, { width: 1200, height: 600, theme: 'light' })
}

/** The pixels of each day's values, for series that have a value on it. */
function requireOrder(chart: ChartSpecification): void {
  const { series } = drawChart(chart, nodePlatform).frame
  chart.x.days.forEach((_, entry) => {
    const drawn = series.filter((one) => Number.isFinite(one.position(entry)))
    const ascending = drawn.sort((low, high) => low.series.values[entry]! - high.series.values[entry]!)
    const pixels = ascending.map(({ position }) => position(entry))
    expect(pixels).toEqual(pixels.toSorted((low, high) => high - low))
  })
}

const quantiles = ['05', '10', '20', '30', '40', '50', '60', '70', '80', '90'].map((part) => `cost_basis_p${part}`)
const days = 300

describe.each([
  ['the API', composeByApi],
  ['a page', composeByPage],
])('by %s', (_, compose) => {
  test('candles that one of several metrics asks for have their prices', async () => {
    const { series } = await compose({ metrics: [{ id: 'price', style: 'candle' }, 'mvrv'], days })
    expect(series[0]?.candles?.open.length).toBe(series[0]?.values.length)
  })

  test.each<[string, ChartOptions]>([
    ['both MVRVs', { metrics: ['lth_mvrv', 'sth_mvrv'] }],
    [
      'a formula beside the price that it is made of',
      {
        metrics: ['sth_realized_price', 'sth_mvrv'].map((id) =>
          id === 'sth_mvrv' ? { id, y_axis_id: 'ratio', show_in_legend: false } : id,
        ),
        formulas: [{ expression: 'm1 * (1 + std(m2, 50))' }],
        y_axes: [{ id: 'ratio', side: 'left' }],
      },
    ],
    ['the overlay beside what the coins cost', { metric: 'realized_price', overlay: 'price' }],
    ['ten quantiles on a log axis', { metrics: quantiles, scale: 'log' }],
    ['losses below zero beside gains', { metric: 'realized_profit', formulas: [{ expression: '-lth_realized_loss' }] }],
    [
      'a thousandth beside the whole',
      { metric: 'price', formulas: [{ expression: 'm1 / 1000' }, { expression: '-m1' }] },
    ],
  ])('%s: one axis, the larger above', async (_, options) => {
    const chart = await compose({ days, ...options })
    const shown = { ...chart, series: chart.series.filter(({ axisId }) => axisId !== 'ratio') }
    expect(shown.series.length).toBeGreaterThan(1)
    expect(new Set(shown.series.map(({ axisId }) => axisId)).size).toBe(1)
    requireOrder({ ...shown, axes: chart.axes.filter(({ id }) => id !== 'ratio') })
  })

  test('a stack of gains and losses has one baseline', async () => {
    const { series, axes } = await compose({
      days,
      metrics: ['lth_realized_profit'],
      formulas: [{ expression: '-lth_realized_loss', style: 'area' }],
      stacked: true,
    })
    expect([axes.length, ...series.map(({ stacked }) => stacked)]).toEqual([1, true, true])
  })

  test('values beyond all axes are refused, and five dimensions', async () => {
    const huge = { metric: 'price', formulas: [{ expression: 'price * 10^300' }], days }
    await expect(compose(huge)).rejects.toThrow(/no value of price \* 10\^300 can be drawn/)
    const five = { metrics: ['price', 'mvrv', 'market_cap', 'circulating_supply', 'coindays_destroyed'], days }
    await expect(compose(five)).rejects.toThrow(/USD per coin .*BTC .*coin-days per day .*y_axis_id.*axes=left,right/)
  })
})

test('a page and the API choose the same axes', async () => {
  const options: ChartOptions = {
    metrics: ['mvrv', 'realized_price', { id: 'fees_usd', axis: 'right' }],
    formulas: [{ expression: 'log(m2)', label: 'L' }, { expression: 'sma(f1, 7)' }],
    overlay: 'price',
    days,
  }
  const [api, page] = [await composeByApi(options), await composeByPage(options)]
  expect(page.axes.map(({ id, side, title }) => [id, side, title])).toEqual(
    api.axes.map(({ id, side, title }) => [id, side, title]),
  )
  expect(page.series.map(({ axisId }) => axisId)).toEqual(api.series.map(({ axisId }) => axisId))
  expect(page.remarks).toEqual(api.remarks)
  expect(api.series.map(({ axisId }) => axisId)).toEqual([
    ...['auto:ratio', 'auto:USD per coin', 'right:USD per day'],
    ...['auto:f1', 'auto:f1', 'auto:USD per coin'],
  ])
  expect(api.remarks).toEqual([
    'the dimension of the formula log(m2) does not follow from its metrics: it has an axis of its own',
  ])
})

describe('what the request decides', () => {
  test('axes=left,right by GET gives each of metrics its axis', async () => {
    const response = await get(`metrics=lth_mvrv,sth_mvrv&axes=left,right&days=${days}&format=json`)
    const { series } = await response.json()
    expect(series.map(({ axis }: { axis: object }) => axis)).toMatchObject([
      { id: 'left', side: 'left' },
      { id: 'right', side: 'right' },
    ])
    const single = await (await get(`metric=mvrv&axes=right&overlay=price&format=json`)).json()
    expect(single.series.map(({ axis }: { axis: { id: string } }) => axis.id)).toEqual(['right', 'price_overlay'])
    for (const query of ['metrics=price,mvrv&axes=left', 'metric=price&axes=top', 'template=price&axes=left']) {
      const refused = await get(query)
      expect([query, refused.status, (await refused.json()).message]).toEqual([
        query,
        400,
        expect.stringContaining("'axes'"),
      ])
    }
  })

  test('a unit of a formula puts it beside what has this unit', async () => {
    const { series, remarks } = await charts.described({
      metric: 'price',
      formulas: [
        { expression: 'exp(log(m1))', unit: 'USD', label: 'E' },
        { expression: '100 * mvrv', unit: '%' },
      ],
    })
    expect(series.map(({ axis, unit }) => [axis.id, unit])).toEqual([
      ['auto:USD per coin', 'USD'],
      ['auto:USD per coin', 'USD'],
      ['auto:%', '%'],
    ])
    expect(remarks).toEqual([
      'the dimension of the formula exp(log(m1)) does not follow from its metrics: it has the axis of USD per coin, by its unit',
    ])
  })
})

test('pictures have the remarks in a header, as ASCII', async () => {
  const body = {
    metric: 'price',
    formulas: [{ expression: 'm1 / 1000', label: 'Tausendstel – ₿' }],
    days,
    scale: 'linear',
  }
  const { remarks } = await charts.described(body)
  expect(remarks).toEqual([expect.stringMatching(/^Tausendstel – ₿: flat beside Price on one axis; y_axis_id/)])
  for (const format of ['png', 'svg', 'svg']) {
    const { headers } = await charts.post({
      ...body,
      format,
      formulas: [{ ...body.formulas[0], label: 'Tausendstel – €' }],
    })
    expect(JSON.parse(headers.get('x-chart-remarks')!)).toEqual([remarks[0]!.replace('₿', '€')])
  }
  expect((await charts.post({ metric: 'price', days, format: 'svg' })).headers.has('x-chart-remarks')).toBe(false)
})

test('the catalogue states the dimension of each metric', async () => {
  const read = async (path: string) =>
    (await (await fetch(`${server.url}/v1/${path}`, { headers: keys.get('enterprise')! })).json()).data
  const [price] = await read('metrics/price?fields=id,unit,dimension')
  expect(price).toEqual({ id: 'price', unit: 'USD', dimension: 'USD per coin' })
  const [entry] = (await read('metrics/index')).filter(({ id }: { id: string }) => id === 'realized_profit')
  expect(entry).toMatchObject({ unit: 'USD', dimension: 'USD per day' })
})
