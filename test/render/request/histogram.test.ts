import { sum } from 'd3-array'
import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { describeChart } from '#render/output/metadata.ts'
import type { ChartSource } from '#render/request/chart-source.ts'
import { composeHistogram } from '#render/request/histogram.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture, labelValue, layoutFaults, readAxis } from '../picture.ts'

const day = parseDay('2024-01-02')

/**
 * Four bins of the source: 1–10 has 90 BTC, 10–20 has 20, 20–40 has 60, 40–80 none. The price is
 * 25.
 */
const source = {
  firstDay: day - 1,
  lastDay: day,
  series: (id: string) => ({ id }),
  distribution: () => ({ name: 'Supply by cost' }),
  readCells: async () => ({
    label: '',
    unit: 'BTC',
    binLower: Float64Array.of(1, 10, 20, 40),
    binUpper: Float64Array.of(10, 20, 40, 80),
    values: Float64Array.of(90, 20, 60, 0),
  }),
  readValues: async () => [Float64Array.of(9, 25)],
} as unknown as ChartSource

const compose = (more: object = {}) =>
  composeHistogram(source, { metric: 'x', scale: 'linear', bins: 10, ...more }, '#26272b')

test('bins contain what cost their prices, divided at the price', async () => {
  const { series, x } = await compose({ min: 10, max: 40 })
  if (x.kind !== 'bins') throw new Error('no bins')
  // Steps of 2 are the round ones nearest to a tenth of 30.
  expect([...x.edges.slice(0, 3), x.edges.at(-1)]).toEqual([10, 12, 14, 40])
  const [profit, loss] = series.map(({ values }) => values)
  expect([...profit!.slice(0, 9)].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([4, 4, 4, 4, 4, 6, 6, 3, 0])
  expect([...loss!.slice(6, 9)]).toEqual([0, 3, 6])
  expect(sum(profit!) + sum(loss!)).toBeCloseTo(80, 9)
})

test('the shares of the supply are the published ones, with coins that have no price', async () => {
  // 30 more BTC have no price. Of the 60 BTC from 20 to 40, 40 cost less than 25, and 5 as much.
  const published: Readonly<Record<string, number>> = {
    price: 25,
    supply_in_profit: 30 + 110 + 40,
    supply_in_loss: 15,
    circulating_supply: 200,
  }
  const supply: ChartSource = {
    ...source,
    distribution: () => ({ ...source.distribution('x', ''), id: 'cost_basis_distribution' }),
    readValues: async (ids) => ids.map((id) => Float64Array.of(0, published[id]!)),
  }
  const { series } = await composeHistogram(supply, { metric: 'x', scale: 'linear', bins: 10, max: 40 }, '')
  expect(series.map(({ label }) => label)).toEqual([
    'In profit (90.0\u00a0%, with the 15.0\u00a0% that had no price)',
    'In loss (7.50\u00a0%; 2.50\u00a0% at cost)',
  ])
})

test('nothing is lost on either scale, and what is outside is said', async () => {
  for (const scale of ['linear', 'log']) {
    const { series, remarks } = await compose({ scale })
    expect(sum(series, ({ values }) => sum(values))).toBeCloseTo(170, 9)
    expect(series.map(({ label }) => label)).toEqual(['In profit (73.5\u00a0%)', 'In loss (26.5\u00a0%)'])
    expect(remarks).toEqual([])
  }
  expect((await compose({ min: 10 })).remarks).toEqual([
    '90.0 BTC are outside $10.0 to $40.0: see min and max of histogram',
  ])
})

test('the price is a line at its place between the numbers of the axis, on both scales', async () => {
  for (const scale of ['linear', 'log'] as const) {
    const request = { ...(await compose({ scale })), source: '' }
    const picture = drawPicture(request)
    const line = picture.document.querySelector('.vertical-line')!.getAttribute('d')!
    const at = Number(/M([\d.]+)/.exec(line)![1])
    const ticks = picture.texts.filter(({ group }) => group === 'axis bottom')
    const [first, last] = [ticks[0]!, ticks.at(-1)!]
    const to = (value: number) => (scale === 'log' ? Math.log(value) : value)
    const [low, high] = [first, last].map(({ text }) => to(labelValue(text)))
    const expected = first.x + ((to(25) - low!) / (high! - low!)) * (last.x - first.x)
    expect(Math.abs(at - expected)).toBeLessThan(1)
    expect(layoutFaults(picture)).toEqual([])
    expect(picture.texts.map(({ text }) => text)).toEqual(expect.arrayContaining(['Price $25.0', '2 Jan 2024']))
  }
})

test('bars have the height of their bin, from the axis of BTC', async () => {
  const picture = drawPicture({ ...(await compose({ min: 10, max: 40 })), source: '' })
  const y = readAxis(picture, 'auto:BTC')
  const bars = [
    ...picture.document
      .querySelector('.series')!
      .getAttribute('d')!
      .matchAll(/M[\d.]+,([\d.]+)v(-[\d.]+)/g),
  ]
  const tops = bars.map(([, base, length]) => Number(base) + Number(length))
  for (const [i, top] of tops.slice(0, 8).entries()) {
    expect(Math.abs(top - y([4, 4, 4, 4, 4, 6, 6, 3][i]!))).toBeLessThan(0.2)
  }
  expect(picture.document.querySelector('desc')!.textContent).toContain('highest 6.00 at $20.0–$22.0.')
})

test('its metadata have the day, and prices of the extremes', async () => {
  const { x, series } = describeChart(buildSpecification({ ...(await compose({ min: 10, max: 40 })), source: '' }))
  expect(x).toEqual({ kind: 'bins', first: '2024-01-02', last: '2024-01-02' })
  expect(series[0]!.max).toEqual({ date: '2024-01-02', price: 21, value: 6 })
})

test('a day that the caller does not see is refused', async () => {
  await expect(compose({ date: day + 1 })).rejects.toThrow(
    'there is no distribution of 2024-01-03: choose a day from 2024-01-01 to 2024-01-02',
  )
})

test('bars that are parts of one bin of the data say so', async () => {
  const words = async (more: object) => (await compose({ min: 10, max: 40, ...more })).subtitle
  expect(await words({ bins: 100 })).toMatch(/; some bars are parts of one bin of the data$/)
  expect(await words({ bins: 2 })).not.toContain('parts')
})

test('a logarithmic axis begins where the cheapest thousandth of the coins ends', async () => {
  const cells = await source.readCells('x', Int32Array.of(day))
  const cheap = { ...source, readCells: async () => ({ ...cells, values: Float64Array.of(0.05, 20, 60, 0) }) }
  const { x, remarks } = await composeHistogram(cheap, { metric: 'x', scale: 'log', bins: 10 }, '#26272b')
  if (x.kind !== 'bins') throw new Error('no bins')
  expect(x.edges[0]).toBe(10)
  expect(remarks?.[0]).toContain('BTC are outside $10.0 to $40.0')
})
