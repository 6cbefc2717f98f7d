import { z } from 'zod'
import { date, metricId, parameters } from './parameters.ts'

const axisId = z.string().min(1).max(40)
const color = z.string().max(40).describe('Such as #f7931a')
const label = z.string().max(120)
const style = z.enum(['line', 'area', 'bar'])
const scale = z.enum(['linear', 'log'])
const expression = z.string().min(1).max(1_000)

const metricItem = parameters({
  id: metricId,
  axis: z.enum(['left', 'right']).optional(),
  axis_id: axisId.optional().describe('One of y_axes'),
  style: style.optional(),
  color: color.optional(),
  show_in_legend: z.boolean().optional(),
  label: label.optional(),
  line_width: z.number().min(0.1).max(10).optional(),
  dash: z.string().max(40).optional().describe('Such as 4 3'),
  opacity: z.number().min(0).max(1).optional(),
})

const yAxis = parameters({
  id: axisId,
  side: z.enum(['left', 'right']).optional(),
  scale: scale.optional(),
  format: z.enum(['number', 'currency', 'percent']).optional(),
  range: z
    .array(z.number().min(0).max(100))
    .length(2)
    .optional()
    .describe('Vertical zone [from %, to %], 0 is the bottom'),
  domain_min: z.number().optional(),
  domain_max: z.number().optional(),
  no_padding: z.enum(['top', 'bottom', 'both']).optional(),
})

const referenceLine = parameters({
  y: z.number().optional(),
  y_formula: expression.optional(),
  axis_id: axisId.optional(),
  stroke: color.optional(),
  dash: z.string().max(40).optional(),
  label: label.optional(),
})

const referenceArea = parameters({
  y1: z.number().optional(),
  y1_formula: expression.optional(),
  y2: z.number().optional(),
  y2_formula: expression.optional(),
  axis_id: axisId.optional(),
  fill: color.optional(),
  fill_opacity: z.number().min(0).max(1).optional(),
  label: label.optional(),
})

const formula = parameters({
  expression: expression.describe('m1, m2 … are the metrics by place, f1 … earlier formulas; metric ids work, too'),
  label: label.optional(),
  color: color.optional(),
  style: style.optional(),
  axis_id: axisId.optional(),
})

const heatmap = parameters({
  metric: metricId,
  color_scale: z.enum(['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis']).optional(),
  y_scale: scale.optional(),
  y_min: z.number().optional(),
  y_max: z.number().optional(),
})

/** A chart as an assistant asks for it. */
export const chartArguments = parameters({
  metric: metricId.optional().describe('One metric; give exactly one of metric, metrics, template, heatmap'),
  metrics: z
    .array(z.union([metricId, metricItem]))
    .min(1)
    .max(12)
    .optional()
    .describe('Several metrics, by id or styled'),
  template: z
    .string()
    .max(60)
    .optional()
    .describe('A ready chart, such as price, mvrv_ratio, hodl_waves, nupl, sopr, cycle_perf_halving, etf_flows'),
  heatmap: heatmap.optional().describe('A distribution over time, such as cost_basis_distribution'),
  days: z.int().min(7).max(10_000).optional().describe('Newest days; 365 without it'),
  start_date: date.optional().describe('Overrides days'),
  end_date: date.optional(),
  style: style.optional(),
  scale: scale.optional(),
  x_axis: z
    .enum(['date', 'day_offset'])
    .optional()
    .describe('day_offset lays the cycles of one metric over each other'),
  cycle_family: z.enum(['halving', 'ath', 'low']).optional(),
  overlay: z.literal('price').optional().describe('The price as a dashed line on its own axis'),
  title: z.string().max(120).optional(),
  theme: z.enum(['light', 'dark']).optional(),
  width: z.int().min(600).max(2_400).optional(),
  height: z.int().min(300).max(1_200).optional(),
  format: z.enum(['png', 'svg', 'json']).default('png').describe('An image, or only what it would show'),
  y_axes: z.array(yAxis).max(8).optional(),
  reference_lines: z.array(referenceLine).max(20).optional(),
  reference_areas: z.array(referenceArea).max(20).optional(),
  formulas: z.array(formula).max(12).optional(),
})

export type ChartArguments = z.output<typeof chartArguments>

/** The same in the names of the API, as JSON metadata. */
export function snapshotRequest({ format: _, ...asked }: ChartArguments): object {
  const { metrics, reference_lines, reference_areas, formulas } = asked
  return {
    ...asked,
    format: 'json',
    metrics: metrics?.map((item) => (typeof item === 'string' ? item : onAxis(item))),
    formulas: formulas?.map(onAxis),
    reference_areas: reference_areas?.map(onAxis),
    reference_lines: reference_lines?.map(({ dash, ...line }) => ({ ...onAxis(line), stroke_dasharray: dash })),
  }
}

/** JSON leaves out what is undefined. */
const onAxis = <Item extends { axis_id?: string | undefined }>({ axis_id, ...rest }: Item) => ({
  ...rest,
  y_axis_id: axis_id,
})
