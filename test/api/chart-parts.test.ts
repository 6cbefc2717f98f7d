import { beforeAll, describe, expect, test } from 'vitest'
import { labelValue, pathPieces, readAxis } from '#test/render/picture.ts'
import { chain, serveChain, server } from './support/chain-service.ts'
import { attribute, ChartClient, textsOf } from './support/chart-client.ts'
import { addEarlierGeneration, firstDay } from './support/served-chain.ts'

/**
 * What the fields of references, formulas and heatmaps do, seen in the picture and in what is told
 * of it.
 */

serveChain({ ACCESS: 'open' })
let charts: ChartClient
beforeAll(() => {
  charts = new ChartClient(server.url)
})

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

describe('references', () => {
  const second = { metrics: ['mvrv', { id: 'price', y_axis_id: 'p' }], y_axes: [{ id: 'p', domain_min: 0 }] }

  test('lines: y, y_axis_id, stroke, stroke_dasharray and label', async () => {
    const line = { y: 2.5, y_axis_id: 'p', stroke: '#123456', stroke_dasharray: '7 1', label: 'Level' }
    const picture = await charts.drawn({ ...second, reference_lines: [line] })
    const [, height] = /,([\d.]+)H/.exec(attribute(picture, '.reference-line', 'd')!)!
    expect(Math.abs(Number(height) - readAxis(picture, 'p')(2.5))).toBeLessThan(0.2)
    const look = ['stroke', 'stroke-dasharray'].map((name) => attribute(picture, '.reference-line', name))
    expect(look).toEqual(['#123456', '7 1'])
    expect(textsOf(picture, 'reference-labels')).toEqual(['Level'])
  })

  test('areas show the 95 % interval of an estimate', async () => {
    const bandsIn = async (body: object) => {
      const shown = { metric: 'addresses_over_1_btc', days: 30, ...body }
      const picture = await charts.drawn({ ...shown, y_axes: [{ id: 'left', domain_min: 0, domain_max: 9000 }] })
      const pieces = pathPieces(picture, '.reference-area').flat()
      const [from, to] = [Math.max(...pieces.map(([x]) => x)), readAxis(picture, 'left')]
      const value = pathPieces(picture, '.series').flat().at(-1)![1]
      return pieces.filter(([x]) => x === from).map(([, y]) => (to(0) - y) / (to(0) - value))
    }
    const id = await addEarlierGeneration(chain.dataDir)
    const ratios = (await bandsIn({ generation: id })).toSorted((a, b) => a - b)
    expect(ratios.length).toBeGreaterThanOrEqual(2)
    expect(ratios[0]).toBeCloseTo(0.9, 2)
    expect(ratios.at(-1)).toBeCloseTo(1.2, 2)
    // All addresses are counted: the interval is the value.
    expect(await bandsIn({})).toEqual([])
    for (const other of [{ normalize: 'index' }, { stacked: true }])
      expect(await bandsIn({ generation: id, ...other })).toEqual([])
  })

  test('lines by formula follow it, on the first axis', async () => {
    const picture = await charts.drawn({ metric: 'mvrv', reference_lines: [{ y_formula: 'm1 * 2' }] })
    const [line] = pathPieces(picture, '.reference-line')
    const [series] = pathPieces(picture, '.series')
    const y = readAxis(picture, 'auto:ratio')
    const doubled = y(0) - 2 * (y(0) - series!.at(-1)![1])
    expect(Math.abs(line!.at(-1)![1] - doubled)).toBeLessThan(0.3)
  })

  test('formulas, levels and colours take a metric by an alias', async () => {
    const [formula, level, color] = await Promise.all(
      [
        { formulas: [{ expression: 'hash_rate + price' }, { expression: 'f1 - hash_rate' }] },
        { metric: 'mvrv', reference_lines: [{ y_formula: 'hash_rate * 0 + 1' }] },
        { metrics: [{ id: 'price', color_by: 'hash_rate' }] },
      ].map((body) => charts.drawn(body)),
    )
    expect(textsOf(formula!, 'legend')).toEqual(['hash_rate + price', 'f1 - hash_rate'])
    expect(attribute(level!, '.reference-line', 'd')).toContain('L')
    expect(pathPieces(color!, '.series').length).toBeGreaterThan(0)
  })

  test('areas: y1, y2, y_axis_id, fill, fill_opacity and label', async () => {
    const area = { y1: 1, y2: 4, y_axis_id: 'p', fill: '#0a0', fill_opacity: 0.3, label: 'Zone' }
    const picture = await charts.drawn({ ...second, reference_areas: [area] })
    const [, one, other] = /,([\d.]+)H[\d.]+V([\d.]+)H/.exec(attribute(picture, '.reference-area', 'd')!)!
    const y = readAxis(picture, 'p')
    expect(Math.abs(Number(one) - y(1))).toBeLessThan(0.2)
    expect(Math.abs(Number(other) - y(4))).toBeLessThan(0.2)
    expect(['fill', 'fill-opacity'].map((name) => attribute(picture, '.reference-area', name))).toEqual([
      '#00aa00',
      '0.3',
    ])
    expect(textsOf(picture, 'reference-labels')).toEqual(['Zone'])
  })

  test('areas by formula lie between their edges', async () => {
    const body = {
      metrics: [{ id: 'mvrv', y_axis_id: 'y' }],
      y_axes: [{ id: 'y', domain_min: 0, domain_max: 100 }],
      reference_areas: [{ y1_formula: 'm1 + 10', y2_formula: 'm1 * 0 + 60', y_axis_id: 'y' }],
    }
    const picture = await charts.drawn(body)
    const heights = [...attribute(picture, '.reference-area', 'd')!.matchAll(/,([\d.]+)/g)].map((match) =>
      Number(match[1]),
    )
    const [series] = pathPieces(picture, '.series')
    const y = readAxis(picture, 'y')
    // The path runs along one edge and back on the other: it begins and ends on the first day.
    const [upper, lower] = [heights[0]!, heights.at(-1)!].sort((one, other) => one - other)
    expect(Math.abs(upper! - y(60))).toBeLessThan(0.3)
    expect(Math.abs(lower! - (series![0]![1] - (y(0) - y(10))))).toBeLessThan(0.3)
  })
})

describe('a formula', () => {
  test('expression, label, color, style and y_axis_id', async () => {
    const formula = { expression: 'm1 * 3', label: 'Three', color: '#00f', style: 'bar', y_axis_id: 'f' }
    const { series } = await charts.described({
      metric: 'mvrv',
      formulas: [formula],
      y_axes: [{ id: 'f', side: 'right' }],
    })
    expect(series[1]).toMatchObject({
      id: 'f1',
      label: 'Three',
      color: '#0000ff',
      style: 'bar',
      axis: { id: 'f', side: 'right' },
    })
    expect(series[1]!.last!.value).toBeCloseTo(3 * series[0]!.last!.value, 12)
  })

  test('without them: its text, a line, the axis of its unit', async () => {
    const { series } = await charts.described({ metric: 'mvrv', formulas: [{ expression: 'm1 * 3' }] })
    expect(series[1]).toMatchObject({ label: 'm1 * 3', style: 'line', axis: { id: series[0]!.axis.id } })
  })
})

describe('a heatmap', () => {
  const heatmap = (more: object) => ({ heatmap: { metric: 'cost_basis_distribution', ...more } })
  const colors = ['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis'] as const

  test('of a metric, in viridis, with as many days as there are', async () => {
    const { heatmap: told, x, title } = await charts.described({ ...heatmap({}), days: 10_000 })
    expect(told).toMatchObject({ id: 'cost_basis_distribution', unit: 'BTC', color_scale: 'viridis' })
    expect(told!.label).toBe('Supply per 1.2\u00a0% of price')
    expect(title).toBe('Cost basis distribution')
    // The distribution begins with the first price, 40 days after the chain.
    expect(x.first).toBe(dateOf(firstDay + 40))
  })

  test('color_scale: each shows other colours', async () => {
    const pictures = await Promise.all(colors.map((color_scale) => charts.drawn(heatmap({ color_scale }))))
    const legends = pictures.map((picture) => attribute(picture, '.color-legend image', 'href'))
    expect(new Set(legends).size).toBe(colors.length)
  })

  test.each([
    ['linear', 1 / 4],
    ['log', Math.log(2) / Math.log(5)],
  ])('y_scale %s, y_min and y_max', async (y_scale, share) => {
    const picture = await charts.drawn(heatmap({ y_scale, y_min: 1, y_max: 5 }))
    const image = picture.document.querySelector('.heatmap')!
    const [top, height] = ['y', 'height'].map((name) => Number(image.getAttribute(name)))
    const place = (value: number) => {
      const ticks = picture.texts.filter(({ group }) => group === 'ticks')
      const { y, size } = ticks.find(({ text }) => labelValue(text) === value)!
      return (top! + height! - (y - 0.364 * size)) / height!
    }
    expect([place(1), place(2), place(5)]).toEqual([0, share, 1].map((part) => expect.closeTo(part, 2)))
  })

  test('bins: joined to at most as many, in the ratio of the scale', async () => {
    const labels = [{ bins: 10 }, { bins: 400 }, { bins: 10, y_scale: 'linear' }].map(async (more) => {
      const { heatmap: told } = await charts.described({ ...heatmap(more), days: 10_000 })
      return told!.label
    })
    const [few, many, linear] = await Promise.all(labels)
    expect(Number(/per ([\d.]+)/.exec(few!)?.[1])).toBeGreaterThan(1.5)
    expect([many, linear]).toEqual(['Supply per 1.2\u00a0% of price', 'Supply per range of prices'])
  })

  test('of spent coins, named and labelled as such', async () => {
    const { heatmap: told, title } = await charts.described({
      heatmap: { metric: 'spent_output_price_distribution', bins: 400 },
      days: 10_000,
    })
    expect([title, told!.label]).toEqual(['Spent output price distribution', 'Spent per 1.2\u00a0% of price'])
  })

  test('with the price over it: on its axis, or on one of its own', async () => {
    const over = await charts.described({ ...heatmap({}), overlay: 'price' })
    expect(over.series).toMatchObject([{ id: 'price', axis: { id: 'heatmap' } }])
    const formulas = [{ expression: 'price', label: 'Price', y_axis_id: 'own' }]
    const beside = await charts.described({ ...heatmap({}), formulas, y_axes: [{ id: 'own', side: 'left' }] })
    expect(beside.series).toMatchObject([{ label: 'Price', axis: { id: 'own', side: 'left' } }])
  })
})
