import { expect, test } from 'vitest'
import { chartBody } from '#contract/charts.ts'
import { writeChartSchema } from '#web/build/chart-schema.ts'
import { invalid, readBySchema } from '#web/chart/read-by-schema.ts'

const schema = JSON.parse(writeChartSchema())
const metric = 'price'

test.each<object>([
  { metric, start_date: '2024-02-29', end_date: '2024-03-01', range: '1y', days: 30 },
  { metric, as_of: '2001-01-01' },
  { metric, as_of: '2026-01-31T12:00:00Z', width: 800, text_scale: 1.5 },
  { metrics: ['price', { id: 'mvrv', y_axis_id: 'right', color: '#FA1', dash: '4 3', opacity: 0.5 }], stacked: false },
  { metrics: ['price'], stacked: 'percent', y_axes: [{ id: 'auto:USD', range: [0, 60], domain_max: 2e5 }] },
  { heatmap: { metric: 'cost_basis_distribution', y_min: 1 } },
  { histogram: { metric: 'cost_basis_distribution', date: '2020-03-12' } },
  { calendar: { metric }, title: 'Months', generation: '20260101T000000000Z-1-ab' },
  { formulas: [{ expression: 'sma(m1, 7)', label: 'x' }], reference_lines: [{ x: '2020-05-11', stroke: '#abcdef' }] },
  { metrics: ['price', 'realized_price'], crossings: [{ line: 'm1', crosses: 'm2', up: 'over' }] },
])('reads as the contract does: %j', (body) => {
  // Defaults of lists whose items are transformed are none of JSON Schema.
  const lists = { reference_lines: [], reference_areas: [], formulas: [] }
  expect({ ...lists, ...(readBySchema(schema, body) as object) }).toEqual(chartBody.parse(body))
})

test.each<unknown>([
  null,
  [[]],
  'price',
  { metric: 5 },
  { metric: '' },
  { metric, title: 'x'.repeat(121) },
  { metric, more: 1 },
  { metric, start_date: '2023-02-29' },
  { metric, as_of: 'yesterday' },
  { metric, width: 800.5 },
  { metric, width: 1e9 },
  { metric, scale: 'cubic' },
  { metric, stacked: 'all' },
  { metric, halvings: 'yes' },
  { metric, overlay: 'volume' },
  { metrics: [] },
  { metrics: Array.from({ length: 13 }, () => metric) },
  { metrics: [{ axis: 'left' }] },
  { metrics: [{ id: metric, color: 'red' }] },
  { metrics: [{ id: metric, opacity: 1.1 }] },
  { metric, y_axes: [{ range: [0] }] },
  { metric, y_axes: [{ range: [0, 101] }] },
  { heatmap: { metric, y_min: 0 } },
  { heatmap: {} },
])('refuses what the contract does: %j', (body) => {
  expect(chartBody.safeParse(body).success).toBe(false)
  expect(readBySchema(schema, body)).toBe(invalid)
})
