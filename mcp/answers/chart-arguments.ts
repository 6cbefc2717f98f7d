import { z } from 'zod'
import { chartFormats, maxItems } from '#contract/chart-options.ts'
import { chartBody, chartParts } from '#contract/charts.ts'
import { date, metricId, name, parameters } from './parameters.ts'

type AxisId = typeof chartParts.formula.shape.y_axis_id

function onAxis<Shape extends { readonly y_axis_id: AxisId }>({ y_axis_id, ...rest }: Shape) {
  return { ...rest, axis_id: y_axis_id }
}
const { stroke_dasharray: dash, x, ...referenceLine } = chartParts.referenceLine.shape

const several = <Item extends z.ZodType>(item: Item, limit: number) => z.array(item).max(limit).optional()

/** Tools always read the current generation. */
const { generation: _, as_of: __, ...fields } = chartBody.shape
/** No tuple, since some assistants do not support them. */
const range = z.array(z.number().min(0).max(100)).length(2).optional()

/**
 * The chart API's fields, with dates as text and shorter names for axes and dashes. The API sets
 * all defaults.
 */
export const chartArguments = parameters({
  ...fields,
  metric: like(fields.metric, metricId.optional()),
  template: like(fields.template, name.overwrite((text) => text.replace(/_(chart|template)$/, '')).optional()),
  metrics: like(
    fields.metrics,
    z
      .array(z.union([metricId, parameters({ ...onAxis(chartParts.metricItem.shape), id: metricId })]))
      .min(1)
      .max(maxItems.metrics)
      .optional(),
  ),
  heatmap: like(
    fields.heatmap,
    parameters({
      ...chartParts.heatmap.shape,
      metric: metricId,
      color_scale: chartParts.heatmap.shape.color_scale.unwrap().optional(),
    }).optional(),
  ),
  histogram: like(
    fields.histogram,
    parameters({
      ...chartParts.histogram.shape,
      metric: metricId,
      date: like(chartParts.histogram.shape.date, date.optional()),
      scale: chartParts.histogram.shape.scale.unwrap().optional(),
      bins: chartParts.histogram.shape.bins.unwrap().optional(),
    }).optional(),
  ),
  start_date: like(fields.start_date, date.optional()),
  end_date: date.optional(),
  x_axis: fields.x_axis.unwrap().optional(),
  cycle_family: fields.cycle_family.unwrap().optional(),
  theme: fields.theme.unwrap().optional(),
  width: fields.width.unwrap().optional(),
  height: fields.height.unwrap().optional(),
  pixel_ratio: like(fields.pixel_ratio, fields.pixel_ratio.unwrap().optional()),
  embed_font: like(fields.embed_font, fields.embed_font.unwrap().optional()),
  text_scale: like(fields.text_scale, fields.text_scale.unwrap().optional()),
  format: z.enum(chartFormats).default('png').describe('Some clients show only png; json: no image'),
  y_axes: several(
    parameters({ ...chartParts.yAxis.shape, range: like(chartParts.yAxis.shape.range, range) }),
    maxItems.y_axes,
  ),
  reference_lines: several(
    parameters({ ...onAxis(referenceLine), x: like(x, date.optional()), dash }),
    maxItems.reference_lines,
  ),
  reference_areas: several(parameters(onAxis(chartParts.referenceArea.shape)), maxItems.reference_areas),
  formulas: several(parameters(onAxis(chartParts.formula.shape)), maxItems.formulas),
})

function like<Schema extends z.ZodType>({ description }: z.ZodType, schema: Schema): Schema {
  return description === undefined ? schema : schema.describe(description)
}

type ChartArguments = z.output<typeof chartArguments>

export function snapshotRequest({ format: _, ...request }: ChartArguments): object {
  const { metrics, reference_lines, reference_areas, formulas } = request
  return {
    ...request,
    format: 'json',
    metrics: metrics?.map((item) => (typeof item === 'string' ? item : inApiNames(item))),
    formulas: formulas?.map(inApiNames),
    reference_areas: reference_areas?.map(inApiNames),
    reference_lines: reference_lines?.map(({ dash, ...line }) => ({ ...inApiNames(line), stroke_dasharray: dash })),
  }
}

const inApiNames = <Item extends { readonly axis_id?: string | undefined }>({ axis_id, ...rest }: Item) => ({
  ...rest,
  y_axis_id: axis_id,
})
