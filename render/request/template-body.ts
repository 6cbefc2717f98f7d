import type { ChartBody } from '#contract/charts.ts'
import type { SeriesOptions } from './request.ts'
import type { ChartTemplate, TemplateArea } from './template.ts'

type Body = Partial<ChartBody>

/** The body of POST /v1/chart/snapshot that draws the same chart as a template. */
export function templateBody(template: ChartTemplate): Body {
  const { title, subtitle, metrics, formulas, axes, overlay, cycles, heatmap, ...same } = template
  const { scale, stacked, interval, labels, halvings, events, referenceLines, referenceAreas } = same
  const subject: Body = heatmap
    ? { heatmap: { metric: heatmap.metric, color_scale: heatmap.colorScale }, overlay: 'price' }
    : template.byMonth
      ? { calendar: { metric: metrics[0]!.id } }
      : metrics.length > 0
        ? { metrics: metrics.map(toMetricItem) }
        : {}
  return {
    ...subject,
    title,
    subtitle,
    ...(formulas && {
      formulas: formulas.map(({ expression, unit, ...look }) => ({ expression, unit, ...toSeriesFields(look) })),
    }),
    ...(cycles && { x_axis: 'day_offset', cycle_family: cycles.family, ...(cycles.indexed && { indexed: true }) }),
    // Cycles have no range, and days override it.
    ...(!cycles && !template.days && { range: template.range ?? 'all' }),
    ...(template.days && { days: template.days }),
    ...(interval && { interval }),
    ...(scale && { scale }),
    ...(stacked && { stacked }),
    ...(overlay && { overlay }),
    ...(template.normalize && { normalize: template.normalize }),
    ...(labels && { labels }),
    ...(template.lastValues !== undefined && { last_values: template.lastValues }),
    ...(halvings && { halvings }),
    ...(events && { events }),
    ...(axes && { y_axes: axes.map(toAxisItem) }),
    ...(referenceLines && { reference_lines: referenceLines.map(({ y, label }) => ({ y, ...(label && { label }) })) }),
    ...(referenceAreas && { reference_areas: referenceAreas.map(toAreaItem) }),
  }
}

const toMetricItem = ({ id, ...look }: ChartTemplate['metrics'][number]) =>
  Object.keys(look).length === 0 ? id : { id, ...toSeriesFields(look) }

const toSeriesFields = ({ axisId, side, showInLegend, lineWidth, negativeColor, ...same }: SeriesOptions) => ({
  ...same,
  ...(side && { axis: side }),
  ...(axisId && { y_axis_id: axisId }),
  ...(showInLegend !== undefined && { show_in_legend: showInLegend }),
  ...(lineWidth !== undefined && { line_width: lineWidth }),
  ...(negativeColor && { negative_color: negativeColor }),
})

const toAxisItem = ({
  domainMinimum,
  domainMaximum,
  noPadding,
  range,
  ...same
}: NonNullable<ChartTemplate['axes']>[number]) => ({
  ...same,
  ...(range && { range: [...range] as [number, number] }),
  ...(domainMinimum !== undefined && { domain_min: domainMinimum }),
  ...(domainMaximum !== undefined && { domain_max: domainMaximum }),
  ...(noPadding && { no_padding: noPadding }),
})

const toAreaItem = ({ y1, y2, fill, opacity, label }: TemplateArea) => ({
  ...(typeof y1 === 'string' ? { y1_formula: y1 } : y1 !== undefined && { y1 }),
  ...(typeof y2 === 'string' ? { y2_formula: y2 } : y2 !== undefined && { y2 }),
  ...(fill && { fill }),
  ...(opacity !== undefined && { fill_opacity: opacity }),
  ...(label && { label }),
})
