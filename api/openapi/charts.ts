import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { chartMetadata, chartRows, composedChart } from '#contract/chart-metadata.ts'
import { chartBody, chartQuery } from '#contract/charts.ts'
import { binary, byKey, exampleOf, failures, ofBodies, ofDrawing } from './common.ts'

const pictures = {
  'image/png': { schema: binary },
  'image/svg+xml': { schema: z.string() },
  'application/octet-stream': { schema: binary },
}

interface Example {
  readonly summary: string
  readonly value: z.input<typeof chartBody>
}

export const chartExamples: Readonly<Record<string, Example>> = {
  metric: { summary: 'One metric', value: { metric: 'mvrv', days: 730, overlay: 'price' } },
  template: { summary: 'A ready chart, dark', value: { template: 'hodl_waves', days: 3650, theme: 'dark' } },
  formulas: {
    summary: 'Formulas beside a metric, and a level',
    value: {
      metrics: ['price', { id: 'volume', style: 'bar', y_axis_id: 'volume', opacity: 0.5, show_in_legend: false }],
      formulas: [
        { expression: 'sma(m1, 200)', label: '200-day mean', color: '#c9405f' },
        { expression: 'f1 * 2.4', label: '2.4 × the mean' },
      ],
      y_axes: [{ id: 'volume', side: 'left', range: [0, 25] }],
      reference_lines: [{ y_formula: 'cummax(m1)', label: 'All-time high', stroke_dasharray: '2 4' }],
      days: 1000,
      title: 'Price and its 200-day mean',
    },
  },
  cycles: {
    summary: 'A metric by days since each halving',
    value: { metric: 'mvrv', x_axis: 'day_offset', cycle_family: 'halving' },
  },
  heatmap: {
    summary: 'Distribution of the cost basis with the price over it',
    value: { heatmap: { metric: 'cost_basis_distribution', color_scale: 'plasma', y_scale: 'log' }, overlay: 'price' },
  },
  histogram: {
    summary: 'Supply by the price at which it last moved (URPD) on one day, with the price of that day',
    value: { histogram: { metric: 'cost_basis_distribution', bins: 100 } },
  },
  rows: {
    summary: 'A heatmap with a row for each series, and the price over it',
    value: {
      metrics: ['funding_rate_binance', 'funding_rate_bybit', 'funding_rate_okx'],
      style: 'heatmap',
      interval: 'week',
      range: '4y',
      overlay: 'price',
    },
  },
  colors: {
    summary: 'A line coloured by another metric',
    value: { metrics: [{ id: 'price', color_by: 'mvrv' }], range: 'all' },
  },
  crossings: {
    summary: 'Markers where two lines cross',
    value: {
      metric: 'price',
      formulas: [
        { expression: 'sma(m1, 50)', label: '50-day mean' },
        { expression: 'sma(m1, 200)', label: '200-day mean' },
      ],
      crossings: [{ line: 'f1', crosses: 'f2', up: 'Golden cross', down: 'Death cross' }],
      range: '4y',
    },
  },
  points: {
    summary: 'Points, and steps that keep each value until the next',
    value: {
      metrics: [
        { id: 'sopr', style: 'points' },
        { id: 'difficulty', style: 'step' },
      ],
    },
  },
  calendar: {
    summary:
      'A rate by month and year: means, with a mean and a median of each month; of a level such as the price, changes',
    value: { calendar: { metric: 'mvrv' } },
  },
}

const chartRequestBody = {
  required: true,
  content: { 'application/json': { schema: chartBody, examples: chartExamples } },
} as const

function chartOperation(
  operationId: string,
  request: Pick<ZodOpenApiOperationObject, 'requestParams' | 'requestBody'>,
  others: readonly number[] = [],
) {
  return {
    operationId,
    tags: ['Charts'],
    summary: 'Draw a chart',
    description:
      'As PNG, SVG or JSON metadata: format decides, otherwise the Accept header (on a tie SVG, PNG, JSON in this order). Formats csv and rows (JSON) return the drawn values; format spec returns the chart with its columns, for pages that draw it themselves. X-Render-Id is the id under which the picture can be fetched for an hour; X-Chart-Remarks has the remarks of the metadata as a JSON list. Needs tier pro or higher.',
    security: byKey,
    ...request,
    responses: {
      200: {
        description: 'The picture, or what it shows',
        headers: z.object({ 'X-Render-Id': z.string().optional(), 'X-Chart-Remarks': z.string().optional() }),
        content: {
          ...pictures,
          'application/json': {
            schema: z.union([chartMetadata, chartRows, composedChart]),
            example: exampleOf(chartMetadata),
          },
          'text/csv': { schema: z.string() },
        },
      },
      304: { description: 'The client has this picture already' },
      ...failures([...ofDrawing, ...others]),
    },
  } satisfies ZodOpenApiOperationObject
}

const openOperation = (operationId: string, summary: string, description: string, example: string) =>
  ({
    operationId,
    description,
    security: [],
    tags: ['Charts'],
    summary,
    requestParams: { path: z.object({ file: z.string().meta({ example }) }) },
    responses: {
      200: { description: 'The picture', content: pictures },
      304: { description: 'The client has this picture already' },
      ...failures(ofDrawing),
    },
  }) satisfies ZodOpenApiOperationObject

export const pictureOperation = openOperation(
  'picture',
  'A public chart with current data. Needs no key: it has the rights and limits of its owner',
  'An image for other sites, drawn again after each publication. With .csv or .parquet, the table of a data link (POST /v1/keys).',
  'AbCdEfGhIjKlMnOpQrStUvWx.png',
)

export const renderOperation = openOperation(
  'render',
  'Fetch a chart that was drawn within the last hour; needs no key but its id',
  'The other format of a chart is drawn when it is first requested.',
  '0123456789abcdef0123456789abcdef.png',
)

export const chartOperations = {
  get: chartOperation('chart', { requestParams: { query: chartQuery } }),
  post: chartOperation('drawChart', { requestBody: chartRequestBody }, ofBodies),
}
