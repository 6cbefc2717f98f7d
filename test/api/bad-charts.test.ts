import { beforeAll, expect, test } from 'vitest'
import { chartMetadata } from '#contract/chart-metadata.ts'
import { documented, keys, serveChain, server } from './support/chain-service.ts'

serveChain()
let headers: Record<string, string>
beforeAll(() => {
  headers = keys.get('enterprise')!
})

const snapshot = '/v1/chart/snapshot'
const get = (query: string) => fetch(`${server.url}${snapshot}?${query}`, { headers })
const post = (body: unknown) =>
  fetch(server.url + snapshot, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const sumOf = (count: number) => Array.from({ length: count }, () => 'm1').join('+')
const thirteen = Array.from({ length: 13 }, () => 'price')

test.each<[string, unknown, number, string]>([
  ['nothing to draw', {}, 400, 'metric, metrics, template, heatmap, histogram and calendar'],
  ['two things to draw', { metric: 'price', template: 'price' }, 400, 'exactly one'],
  ['an unknown metric', { metric: 'pricee' }, 404, "'price'"],
  ['a distribution as metric', { metric: 'cost_basis_distribution' }, 400, 'distribution'],
  ['a metric as heatmap', { heatmap: { metric: 'price' } }, 400, 'cost_basis_distribution'],
  ['an unknown template', { template: 'mvrv' }, 404, "'mvrv_ratio'"],
  ['a template from the prototype', { template: 'constructor' }, 404, 'constructor'],
  ['an unknown field', { metric: 'price', colour: 'red' }, 400, "'colour'"],
  ['a bad colour', { metrics: [{ id: 'price', color: 'red' }] }, 400, 'metrics'],
  ['an axis that is not there', { metrics: [{ id: 'price', y_axis_id: 'zz' }] }, 400, '"zz"'],
  ['a reserved axis', { metric: 'price', y_axes: [{ id: 'heatmap' }] }, 400, 'y_axes.0.id'],
  ['too many metrics', { metrics: thirteen }, 400, "'metrics'"],
  ['a formula that does not hold', { metric: 'price', formulas: [{ expression: 'sma(m1' }] }, 400, 'position'],
  [
    'a formula over a later one',
    { metric: 'price', formulas: [{ expression: 'f2' }, { expression: 'm1' }] },
    400,
    "'f2'",
  ],
  [
    '2,000 formulas',
    { metric: 'price', formulas: Array.from({ length: 2_000 }, () => ({ expression: 'm1' })) },
    400,
    "'formulas'",
  ],
  [
    'two levels in one line',
    { metric: 'price', reference_lines: [{ y: 1, y_formula: 'm1' }] },
    400,
    'reference_lines.0.y',
  ],
  ['too few days', { metric: 'price', days: 6 }, 400, "'days'"],
  ['too large a picture', { metric: 'price', width: 2401 }, 400, "'width'"],
  ['a long title', { metric: 'price', title: 'x'.repeat(121) }, 400, "'title'"],
  [
    'dates in the wrong order',
    { metric: 'price', start_date: '2010-02-02', end_date: '2010-02-01' },
    400,
    'start_date',
  ],
  ['days without data', { metric: 'price', start_date: '2031-01-01' }, 404, 'there are no values'],
  ['several metrics as cycles', { metrics: ['price', 'mvrv'], x_axis: 'day_offset' }, 400, 'day_offset'],
  ['a body that is no object', 'price', 400, "'body'"],
  ['a number as text', { metric: 'price', days: '30' }, 400, "'days' must be a whole number"],
  ['a number as metric', { metrics: [7] }, 400, "'metrics.0' must be the id of a metric"],
  ['a metric without id', { metrics: [{ label: 'x' }] }, 400, "'metrics.0.id' is missing"],
  ['an unknown field of a metric', { metrics: [{ id: 'price', size: 2 }] }, 400, "'metrics.0.size' is unknown"],
  ['a formula without expression', { metric: 'price', formulas: [{}] }, 400, "'formulas.0.expression' is missing"],
  [
    'a zone above the top',
    { metric: 'price', y_axes: [{ id: 'y', range: [0, 101] }] },
    400,
    "'y_axes.0.range.1' must be at most 100",
  ],
  [
    'an axis that does not ascend',
    { metric: 'price', y_axes: [{ id: 'x' }, { id: 'y', domain_min: 2, domain_max: 2 }] },
    400,
    "'y_axes.1.domain_max' must be above domain_min",
  ],
  [
    'a heatmap upside down',
    { heatmap: { metric: 'cost_basis_distribution', y_min: 10, y_max: 5 } },
    400,
    "'heatmap.y_max' must be above y_min",
  ],
  [
    'formulas that are too much together',
    { metric: 'price', formulas: Array.from({ length: 4 }, () => ({ expression: sumOf(60) })) },
    400,
    "'formulas.3.expression': with this the formulas of the chart have more than 400",
  ],
  [
    'a histogram of a day without data',
    { histogram: { metric: 'cost_basis_distribution', date: '2008-01-01' } },
    404,
    'there is no distribution of 2008-01-01: choose a day from',
  ],
  ['a histogram of a metric', { histogram: { metric: 'price' } }, 400, 'is not a distribution'],
  [
    'a histogram with formulas',
    { histogram: { metric: 'cost_basis_distribution' }, formulas: [{ expression: 'price' }] },
    400,
    'a histogram shows one distribution',
  ],
  [
    'a crossing of an unknown line',
    { metrics: ['price', 'realized_price'], crossings: [{ line: 'm1', crosses: 'm3' }] },
    400,
    "there is no line 'm3' in this chart; its lines are m1, m2",
  ],
  [
    'a crossing of lines on different axes',
    { metrics: ['price', 'mvrv'], crossings: [{ line: 'm1', crosses: 'm2' }] },
    400,
    'crossings need two lines on one axis',
  ],
  ['rows of two dimensions', { metrics: ['price', 'mvrv'], style: 'heatmap' }, 400, 'have one dimension'],
  [
    'a line on the axis of rows',
    {
      metrics: [
        { id: 'mvrv', style: 'heatmap', y_axis_id: 'left' },
        { id: 'sopr', y_axis_id: 'left' },
      ],
    },
    400,
    'need an axis of their own',
  ],
  ['two lines with colours', { metrics: ['price', 'mvrv'].map((id) => ({ id, color_by: 'sopr' })) }, 400, 'one legend'],
  ['coloured bars', { metrics: [{ id: 'price', color_by: 'mvrv', style: 'bar' }] }, 400, 'style line or step'],
  ['a colour by an unknown metric', { metrics: [{ id: 'price', color_by: 'mvvr' }] }, 400, "'metrics.0.color_by'"],
  ['one axis twice', { metric: 'price', y_axes: [{ id: 'y' }, { id: 'y' }] }, 400, "'y_axes' must have different ids"],
])('%s', async (_, body, status, named) => {
  const response = await post(body)
  const answer = await response.json()
  expect([response.status, answer.message]).toEqual([status, expect.stringContaining(named)])
  expect(documented.problem('post', snapshot, status, answer)).toBeUndefined()
})

test('in a query', async () => {
  const beside = ['metrics=mvrv', 'days=x', 'heatmap=1', 'metric=price'].map((more) => `metric=price&${more}`)
  for (const query of ['', 'metrics=a,b,c,d,e,f,g', ...beside]) {
    expect([query, (await get(query)).status]).toEqual([query, 400])
  }
})

test('a log axis over zero is drawn, and says how many points it leaves out', async () => {
  const body = {
    metric: 'price',
    formulas: [{ expression: 'm1 - sma(m1, 20)', label: 'x' }],
    scale: 'log',
    days: 60,
    format: 'json',
  }
  const { series } = chartMetadata.parse(await (await post(body)).json())
  expect(series[1]!.left_out).toBeGreaterThan(0)
})

test('the largest picture with the most series is drawn', async () => {
  const ids = ['price', 'realized_price', 'lth_realized_price', 'sth_realized_price', 'balanced_price', 'market_cap']
  const more = ['realized_cap', 'mvrv', 'nupl', 'sopr', 'circulating_supply', 'liveliness']
  const response = await post({ metrics: [...ids, ...more], width: 2400, height: 1200, days: 10_000 })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
})
