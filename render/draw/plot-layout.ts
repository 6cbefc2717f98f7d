import { sum } from 'd3-array'
import type { AxisSide } from '#contract/chart-options.ts'
import { type AxisColumn, countLabelledAxes, layOutColumns, titleRowHeight } from './axes.ts'
import type { ColorLegend } from './color-legend.ts'
import { hasColorMarks, requireColorMarks } from './color-marks-loader.ts'
import type { Domain } from './domain.ts'
import type { Box, Drawing } from './drawing.ts'
import { type EndContent, type EndLabels, layOutEndLabels, listEndContents, listLastValues } from './end-labels.ts'
import { type Legend, layOutLegend } from './legend.ts'
import type { ChartSpecification } from './specification.ts'
import { createValueScale, type ValueScale } from './value-scale.ts'
import type { VerticalLines } from './vertical-lines.ts'

/** On the right, from the plot outwards: tick labels, end labels, legend of colours. */
export interface PlotLayout {
  readonly plot: Box
  readonly scales: ReadonlyMap<string, ValueScale>
  readonly columns: readonly AxisColumn[]
  readonly ends: EndLabels
  /** Right end of tick labels on the right. */
  readonly endsLeft: number
  readonly colors: ColorLegend | undefined
  readonly legend: Legend
  /** Baseline of titles above the plot, if there is room. */
  readonly titleRow: number | undefined
}

/** Labels on the right are shortened if the plot's share of the width would be smaller. */
const minPlotShare = 0.75

/** Lays out the pixels between `start` (legend) and `bottom`, the plot's lower edge. */
export function layOutPlot(
  drawing: Drawing,
  chart: ChartSpecification,
  domains: ReadonlyMap<string, Domain>,
  verticals: VerticalLines,
  start: number,
  bottom: number,
): PlotLayout {
  const { sizes } = drawing
  const { width, height } = chart
  const colorMarks = hasColorMarks(chart) ? requireColorMarks() : undefined
  const colorRange = colorMarks?.findColorRange(chart, domains)
  const labelled = chart.axes.slice(0, countLabelledAxes(drawing, width))
  const labelledIds = new Set(labelled.map(({ id }) => id))
  const titles = titleRowHeight(drawing, chart, labelled)
  const legendRows = Math.max(1, Math.floor((height * 0.25) / (sizes.legend * 1.65)))
  const topBelow = (legendHeight: number) =>
    Math.round(start + legendHeight + 10 * sizes.scale + verticals.height + titles)
  const createScales = (top: number): ReadonlyMap<string, ValueScale> =>
    new Map(chart.axes.map((axis) => [axis.id, createValueScale(axis, domains.get(axis.id)!, top, bottom, sizes.tick)]))

  const contents = listEndContents(chart)
  const layOut = (content: EndContent): PlotLayout => {
    const highest = topBelow(0)
    const first = createScales(highest)
    const named = layOutEndLabels(drawing, chart, first, highest, bottom, { ...content, values: false }).labels
    const inLegend = { ...chart, series: chart.series.filter((one) => !named.some(({ series }) => series === one)) }
    const isSilent = !content.names && !content.values
    const values = isSilent && contents.some((one) => one.values) ? listLastValues(chart, first) : new Map()
    const legend = layOutLegend(drawing, inLegend, labelledIds, width - 2 * sizes.margin, legendRows, values)
    const top = topBelow(legend.height)
    const scales = createScales(top)
    const ends = layOutEndLabels(drawing, chart, scales, top, bottom, content)
    const columns = layOutColumns(
      drawing,
      labelled.map(({ id }) => scales.get(id)!),
    )
    const colors = colorRange && colorMarks?.layOutColorLegend(drawing, colorRange, top, bottom)
    const columnsWidth = (side: AxisSide) => sum(columns, (column) => (column.side === side ? column.width : 0))
    const left = Math.round(sizes.margin + columnsWidth('left'))
    const right = Math.round(width - sizes.margin - columnsWidth('right') - ends.width - (colors?.width ?? 0))
    const plot = { left, right, top, bottom }
    const titleRow = titles === 0 ? undefined : top - Math.max(verticals.height + 0.3 * sizes.tick, 0.95 * sizes.tick)
    return { plot, scales, columns, ends, endsLeft: right + columnsWidth('right'), colors, legend, titleRow }
  }
  for (const content of contents) {
    const layout = layOut(content)
    const isWide = layout.plot.right - layout.plot.left >= minPlotShare * width
    const saysAll = !content.names || layout.ends.labels.length > 0
    if ((isWide && saysAll) || content === contents.at(-1)) return layout
  }
  throw new Error('a chart has no labels to choose from')
}
