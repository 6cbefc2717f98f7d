import { beforeAll, describe, expect, test } from 'vitest'
import { serveChain, server } from './support/chain-service.ts'
import { ChartClient } from './support/chart-client.ts'

/**
 * How far each field of the body of POST /v1/chart/snapshot goes, and that it is refused beyond, by
 * its name.
 */

serveChain({ ACCESS: 'open' })
let charts: ChartClient
beforeAll(() => {
  charts = new ChartClient(server.url)
})

async function answer(body: object) {
  const response = await charts.post({ format: 'json', ...body })
  return [response.status, response.ok ? '' : (await response.json()).message]
}

const text = (length: number) => 'x'.repeat(length)
const times = (count: number, item: unknown) => Array.from({ length: count }, () => item)
/** A formula of that many characters. */
const spaced = (length: number) => `m1${' '.repeat(length - 2)}`

const whole = (fields: object) => ({ metric: 'mvrv', ...fields })
const item = (fields: object) => ({ metrics: [{ id: 'mvrv', ...fields }] })
const axis = (fields: object) => ({ metric: 'mvrv', y_axes: [{ id: 'y', ...fields }] })
const line = (fields: object) => ({ metric: 'mvrv', reference_lines: [{ y: 1, ...fields }] })
const area = (fields: object) => ({ metric: 'mvrv', reference_areas: [{ y1: 1, y2: 2, ...fields }] })
const formula = (fields: object) => ({ metric: 'mvrv', formulas: [{ expression: 'm1', ...fields }] })
const heatmap = (fields: object) => ({ heatmap: { metric: 'cost_basis_distribution', ...fields } })
/** Some axes, each with a metric on it. */
const axes = (count: number) => {
  const ids = Array.from({ length: count }, (_, i) => `y${i}`)
  return { metrics: ids.map((id) => ({ id: 'mvrv', y_axis_id: id })), y_axes: ids.map((id) => ({ id })) }
}

type Place = (fields: object) => object

/** A field, values at its ends that are taken, and such beyond that are refused. */
const limits: [place: Place, name: string, taken: unknown[], refused: unknown[]][] = [
  [whole, 'days', [7, 10_000], [6, 10_001, 7.5, '30', null]],
  [whole, 'start_date', ['2010-01-01'], ['2010-02-30', '2010-1-1', 20100101]],
  [whole, 'end_date', ['2010-01-01'], ['tomorrow']],
  [whole, 'style', ['line', 'area', 'bar'], ['dots']],
  [whole, 'scale', ['linear', 'log'], ['sqrt']],
  [whole, 'overlay', ['price'], ['volume']],
  [whole, 'title', ['', text(120)], [text(121), 7]],
  [whole, 'theme', ['light', 'dark'], ['sepia']],
  [whole, 'width', [600, 2400], [599, 2401, 800.5, '800']],
  [whole, 'height', [300, 1920], [299, 1921]],
  [whole, 'pixel_ratio', [1, 2, 3], [0, 4, 1.5, '2']],
  [whole, 'text_scale', [0.75, 1.5, 3], [0.74, 3.01, '2']],
  [whole, 'format', ['png', 'svg', 'json', 'csv', 'rows', 'spec'], ['jpeg']],
  [whole, 'embed_font', [true, false], ['true']],
  [whole, 'x_axis', ['date'], ['day_of_week']],
  [whole, 'cycle_family', ['halving', 'ath', 'low'], ['moon']],
  [whole, 'formulas', [[], times(12, { expression: 'm1' })], [times(13, { expression: 'm1' })]],
  [whole, 'reference_lines', [[], times(20, { y: 1 })], [times(21, { y: 1 }), [{}]]],
  [
    whole,
    'reference_areas',
    [[], times(20, { y1: 1, y2: 2 }), [{ y1: 1 }], [{ y2: 1 }]],
    [times(21, { y1: 1, y2: 2 }), [{}], [{ y1: 1, y2: 2, y2_formula: 'm1' }]],
  ],
  [item, 'axis', ['left', 'right'], ['top']],
  [item, 'style', ['line', 'area', 'bar'], ['dots']],
  [item, 'color', ['#fa0', '#FFAA00'], ['red', '#12345', 'url(#a)']],
  [item, 'show_in_legend', [true, false], ['yes']],
  [item, 'label', ['', text(120)], [text(121)]],
  [item, 'line_width', [0.1, 10], [0.09, 10.1, '2']],
  [item, 'dash', ['4', '4 3', '1 2 3 4 5 6', '0.5 999.9'], ['', '1 2 3 4 5 6 7', '1000', '-1', 'none']],
  [item, 'opacity', [0, 1], [-0.1, 1.1]],
  [item, 'width', [], [2]],
  [axis, 'side', ['left', 'right'], ['top']],
  [axis, 'scale', ['linear', 'log'], ['sqrt']],
  [axis, 'format', ['number', 'currency', 'percent'], ['si']],
  [
    axis,
    'range',
    [
      [0, 100],
      [40, 41],
    ],
    [[50, 50], [60, 40], [-1, 50], [0, 101], [50], 'all'],
  ],
  [axis, 'domain_min', [-1e6, 0], ['0']],
  [axis, 'domain_max', [1e6], [null]],
  [axis, 'no_padding', ['top', 'bottom', 'both'], ['none']],
  [axis, 'title', ['', text(60)], [text(61)]],
  [line, 'stroke', ['#fa0'], ['red']],
  [line, 'stroke_dasharray', ['2 4'], ['dotted']],
  [line, 'label', [text(120)], [text(121)]],
  [line, 'y_formula', [], ['m1']],
  [line, 'color', [], ['#fa0']],
  [area, 'fill', ['#fa0'], ['red']],
  [area, 'fill_opacity', [0, 1], [-0.1, 1.1]],
  [area, 'label', [text(120)], [text(121)]],
  [area, 'y1_formula', [], ['m1']],
  [area, 'opacity', [], [1]],
  [formula, 'expression', [spaced(1_000)], ['', spaced(1_001), 7]],
  [formula, 'label', [text(120)], [text(121)]],
  [formula, 'color', ['#fa0'], ['red']],
  [formula, 'style', ['line', 'area', 'bar'], ['dots']],
  [formula, 'unit', ['USD', text(20)], [text(21)]],
  [heatmap, 'color_scale', ['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis'], ['jet']],
  [heatmap, 'y_scale', ['linear', 'log'], ['sqrt']],
  [heatmap, 'y_min', [1e-9], [0, -1]],
  [heatmap, 'y_max', [1e9], [0, '5']],
  [heatmap, 'bins', [10, 400], [9, 401, 10.5]],
]

const where = new Map<Place, string>([
  [whole, ''],
  [item, 'metrics.0.'],
  [axis, 'y_axes.0.'],
  [line, 'reference_lines.0.'],
  [area, 'reference_areas.0.'],
  [formula, 'formulas.0.'],
  [heatmap, 'heatmap.'],
])
const rows = limits.map(([place, name, ...values]) => [`${where.get(place)}${name}`, place, name, ...values] as const)

test.each(rows)('%s', async (field, place, name, taken, refused) => {
  for (const value of taken) expect([value, ...(await answer(place({ [name]: value })))]).toEqual([value, 200, ''])
  // Of two fields that exclude each other the one without _formula is named.
  const named = expect.stringContaining(`parameter '${field.replace('_formula', '')}`)
  for (const value of refused) expect([value, ...(await answer(place({ [name]: value })))]).toEqual([value, 400, named])
})

describe('what the limits of single fields do not tell', () => {
  test('one to twelve metrics', async () => {
    expect(await answer({ metrics: times(12, 'mvrv') })).toEqual([200, ''])
    for (const count of [0, 13])
      expect(await answer({ metrics: times(count, 'mvrv') })).toEqual([400, expect.any(String)])
  })

  test('an id of 1 to 100 characters', async () => {
    for (const body of [{ metric: '' }, { metrics: [''] }, { metrics: [{ id: text(101) }] }, item({ id: 7 })]) {
      expect([body, ...(await answer(body))]).toEqual([body, 400, expect.any(String)])
    }
    expect(await answer({ metric: text(100) })).toEqual([404, expect.any(String)])
    expect(await answer({ template: text(61) })).toEqual([400, expect.stringContaining('template')])
  })

  test('at most eight axes, with names of 1 to 40 letters, digits, _ and -', async () => {
    expect(await answer(axes(8))).toEqual([200, ''])
    expect(await answer(axes(9))).toEqual([400, expect.stringContaining('y_axes')])
    expect(await answer(axis({ id: `A${'-'.repeat(39)}` }))).toEqual([200, ''])
    for (const id of ['', '1a', 'a b', `A${'-'.repeat(40)}`, 'heatmap', ':USD', 'top:USD', 'auto:']) {
      expect([id, ...(await answer(axis({ id })))]).toEqual([id, 400, expect.stringContaining('y_axes.0.id')])
    }
  })

  test('an axis that is named must be there, wherever it is named', async () => {
    for (const place of [item, line, area, formula]) {
      expect(await answer(place({ y_axis_id: 'none' }))).toEqual([400, expect.stringContaining('"none"')])
    }
  })

  test('exactly one of metric, metrics, template and heatmap', async () => {
    const subjects = Object.entries({
      metric: 'mvrv',
      metrics: ['mvrv'],
      template: 'price',
      ...heatmap({}),
    })
    for (const [i, one] of subjects.entries()) {
      expect((await answer(Object.fromEntries([one])))[0]).toBe(200)
      for (const other of subjects.slice(0, i)) {
        expect(await answer(Object.fromEntries([one, other]))).toEqual([400, expect.stringContaining('exactly one')])
      }
    }
  })

  test('at most twelve million pixels', async () => {
    const size = (width: number, height: number, pixel_ratio: number) => answer(whole({ width, height, pixel_ratio }))
    for (const [width, height, ratio] of [
      [1200, 675, 2],
      [1200, 675, 3],
      [1080, 1920, 2],
      [2400, 1200, 2],
    ] as const) {
      expect(await size(width, height, ratio)).toEqual([200, ''])
    }
    expect(await size(2400, 1251, 2)).toEqual([400, expect.stringContaining("'pixel_ratio' makes more than 12000000")])
    expect(await size(1080, 1920, 3)).toEqual([400, expect.stringContaining("'pixel_ratio'")])
  })

  test('levels by formula must hold, too', async () => {
    for (const [place, name] of [
      [line, 'y_formula'],
      [area, 'y1_formula'],
      [area, 'y2_formula'],
    ] as const) {
      const level = name.replace('_formula', '')
      const refused = await answer(place({ [level]: undefined, [name]: 'sma(m1' }))
      expect(refused).toEqual([400, expect.stringContaining(name)])
      expect(await answer(place({ [level]: undefined, [name]: 'sma(m1, 5)' }))).toEqual([200, ''])
    }
  })

  test('formulas and different levels of 400 numbers, metrics and operations together', async () => {
    const sum = (count: number) => times(count, 'm1').join('+')
    // 4 · (40 + 39) + (20 + 19 + 2) = 357, so that 43 are left, for however many equal lines.
    const body = (level: string) => ({
      metric: 'mvrv',
      formulas: times(4, { expression: sum(40) }),
      reference_areas: [{ y1_formula: `sma(${sum(20)}, 3)`, y2: 1 }],
      reference_lines: times(20, { y_formula: level }),
    })
    expect(await answer(body(`-cummax(${sum(21)})`))).toEqual([200, ''])
    const refused = expect.stringContaining("'reference_lines.0.y_formula': with this the formulas")
    expect(await answer(body(`-cummax(-${sum(21)})`))).toEqual([400, expect.any(String)])
    expect(
      await answer({ ...body(`-cummax(-${sum(21)})`), reference_areas: [{ y1_formula: 'm1', y2_formula: sum(20) }] }),
    ).toEqual([200, ''])
    expect(await answer(body(sum(100)))).toEqual([400, refused])
  })

  test('cycles are of one metric, without formulas or heatmap', async () => {
    const cycles = { x_axis: 'day_offset' }
    expect(await answer({ metric: 'block_height', ...cycles })).toEqual([200, ''])
    for (const body of [
      formula(cycles),
      heatmap(cycles),
      { ...formula({}), ...cycles },
      { ...heatmap({}), ...cycles },
    ]) {
      expect((await answer(body))[0]).toBe(400)
    }
    const leveled = { metric: 'block_height', ...cycles, reference_lines: [{ y_formula: 'm1' }] }
    expect(await answer(leveled)).toEqual([400, expect.stringContaining('level')])
  })
})
