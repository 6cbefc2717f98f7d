import { sum } from 'd3-array'
import type { AxisSide } from '#contract/chart-words.ts'
import type { AxisColumn } from './axes.ts'
import { countLabelledAxes, dateLabelDrop, drawColumn, drawDateAxis, drawGrid, layOutColumns } from './axes.ts'
import { replaceDenseCandles } from './candles.ts'
import type { ColorLegend } from './color-legend.ts'
import { drawColorLegend, layOutColorLegend } from './color-legend.ts'
import { requireValidColumns } from './column-validation.ts'
import { describePicture } from './description.ts'
import { appendElement, type Box, createDrawing, type Drawing, drawText, type Platform, shorten } from './drawing.ts'
import { drawEndLabels, type EndLabels, layOutEndLabels, seriesNamedAtEnd } from './end-labels.ts'
import { drawFooter } from './footer.ts'
import { type ChartFrame, createDayScale, createSeriesFrames, createXPositions } from './frame.ts'
import { ElementGroup, type Group } from './group.ts'
import { drawHeading } from './heading.ts'
import { drawHeatmap, findColorMaximum, resampleHeatmap } from './heatmap.ts'
import { drawLayers } from './layers.ts'
import { drawLegend, layOutLegend } from './legend.ts'
import { drawMonthGrid } from './month-grid.ts'
import { describeOmissions, isHiddenByLogScale } from './omissions.ts'
import { drawReferenceLabels } from './reference-labels.ts'
import type { ChartSeries, ChartSpecification, Heatmap } from './specification.ts'
import { cleanText } from './text.ts'
import type { ValueScale } from './value-scale.ts'
import { createValueScale } from './value-scale.ts'
import { drawVerticalLines, layOutVerticalLines, type VerticalLines } from './vertical-lines.ts'

export interface DrawnChart {
  /** An element of the platform's document, not attached to it. */
  readonly svg: SVGSVGElement
  readonly frame: ChartFrame
}

/**
 * Draws a chart as an SVG element. Everything is placed by measure: no text covers another or leaves the picture.
 * Throws `invalid_argument` for columns that are out of order or of different lengths.
 */
export function drawChart(specification: ChartSpecification, platform: Platform): DrawnChart {
  const svg = platform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  return { svg, frame: drawChartOn(new ElementGroup(svg), specification, platform) }
}

/**
 * The same on anything that stands for the `svg` element. For a picture that is to be moved, marks in the plot are made of
 * the rows of `marked`: the same chart with rows beyond its ends.
 */
export function drawChartOn(
  root: Group,
  specification: ChartSpecification,
  platform: Platform,
  marked?: ChartSpecification,
): ChartFrame {
  requireValidColumns(specification)
  const drawing = createDrawing(specification, platform)
  const { sizes, theme } = drawing
  const chart = replaceDenseCandles(withCleanTexts(specification), sizes)
  const { width, height } = chart
  root.attr('width', width).attr('height', height)
  root.attr('viewBox', `0 0 ${width} ${height}`).attr('font-family', 'Inter, system-ui, sans-serif')
  const { name, content } = describePicture(chart)
  root.attr('text-rendering', 'geometricPrecision')
  root.attr('role', 'img').attr('aria-label', name)
  root.append('title').text(name)
  root.append('desc').text(content)
  appendElement(root, 'rect', { width, height, fill: theme.background })

  const labelled = chart.axes.slice(0, countLabelledAxes(drawing, width))
  const room = width - 2 * sizes.margin
  const below = drawHeading(drawing, root, chart, room)
  const foot = drawFooter(drawing, root, chart, describeOmissions(chart))
  if (chart.monthGrid) {
    const plot = { left: sizes.margin, right: width - sizes.margin, top: below, bottom: foot - 8 * sizes.scale }
    drawMonthGrid(drawing, root, chart.monthGrid, plot)
    return { plot, days: createDayScale(chart, plot), scales: [], series: [] }
  }
  const bottom = Math.round(foot - dateLabelDrop(drawing) - sizes.tick * 0.9)
  const verticals = layOutVerticalLines(drawing, chart)
  const air = 10 * sizes.scale + verticals.height
  const place = (top: number) =>
    new Map(chart.axes.map((axis) => [axis.id, createValueScale(axis, chart, top, bottom, sizes.tick)] as const))

  // Series that are named at their end need no legend, which leaves more room for the plot.
  const named = new Set<ChartSeries>()
  if (chart.labels === 'direct') {
    const withoutLegend = Math.round(below + air)
    const ends = layOutEndLabels(drawing, chart, place(withoutLegend), withoutLegend, bottom)
    for (const series of seriesNamedAtEnd(ends)) named.add(series)
  }
  const rows = Math.max(1, Math.floor((height * 0.22) / (sizes.legend * 1.65)))
  const ids = new Set(labelled.map(({ id }) => id))
  const rest = { ...chart, series: chart.series.filter((one) => !named.has(one)) }
  const legend = layOutLegend(drawing, rest, ids, room, rows)
  drawLegend(drawing, root, legend, sizes.margin, below)
  const top = Math.round(below + legend.height + air)
  const scales = place(top)
  const ends = layOutEndLabels(drawing, chart, scales, top, bottom)
  const columns = layOutColumns(
    drawing,
    labelled.map(({ id }) => scales.get(id)!),
  )
  const plot = drawPlot(drawing, root, chart, {
    scales,
    columns,
    ends,
    verticals,
    marked: marked ?? chart,
    top,
    bottom,
  })
  const days = createDayScale(chart, plot)
  return { plot, days, scales: [...scales.values()], series: createSeriesFrames(chart, scales) }
}

/** What stands in and around the plot, and the plot's edges in pixels. */
interface Parts {
  readonly scales: Map<string, ValueScale>
  readonly columns: readonly AxisColumn[]
  readonly ends: EndLabels
  readonly verticals: VerticalLines
  readonly marked: ChartSpecification
  readonly top: number
  readonly bottom: number
}

/** Draws everything between the columns of numbers, and these, once their widths have left a place for the plot. */
function drawPlot(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  { scales, columns, ends, verticals, marked, top, bottom }: Parts,
): Box {
  const { margin } = drawing.sizes
  const colors = chart.heatmap && layOutColors(drawing, chart.heatmap, scales, top, bottom)
  const strip = (side: AxisSide) =>
    sum(
      columns.filter((column) => column.side === side),
      ({ width }) => width,
    )
  const left = Math.round(margin + strip('left'))
  const right = Math.round(chart.width - margin - ends.width - strip('right') - (colors?.legend.width ?? 0))
  const plot: Box = { left, right, top, bottom }
  const days = createDayScale(chart, plot)
  const x = createXPositions(chart, plot, days)

  const gridded: ValueScale[] = []
  for (const scale of scales.values()) {
    if (gridded.some((other) => scale.top < other.bottom && other.top < scale.bottom)) continue
    gridded.push(scale)
    drawGrid(drawing, root, scale, plot)
  }
  if (chart.heatmap && colors) {
    const scale = scales.get(chart.heatmap.axisId)!
    const raster = resampleHeatmap(chart.heatmap, chart.x.days, scale, right - left, chart.pixelRatio, (pixel) =>
      days.day(left + pixel),
    )
    drawHeatmap(drawing, root, chart.heatmap, raster, colors.greatest, left, Math.round(scale.top))
    drawColorLegend(drawing, root, chart.heatmap, colors.legend, right + ends.width + strip('right'), plot)
  }
  const marks = createXPositions(marked, plot, days)
  const { lines } = layOutVerticalLines(drawing, marked)
  drawVerticalLines(
    drawing,
    root,
    { ...verticals, lines },
    { ...plot, left: marks.left, right: marks.right },
    days.position,
  )
  drawLayers(drawing, root, marked, scales, plot, marks)
  drawDateAxis(drawing, root, chart, plot, days.position)
  const edges = { left, right: right + ends.width }
  for (const column of columns) {
    drawColumn(drawing, root, column, edges[column.side])
    edges[column.side] += column.side === 'left' ? -column.width : column.width
  }
  drawEndLabels(drawing, root, ends, plot, x)
  if (isEmpty(chart)) drawEmpty(drawing, root, 'No data in this range', plot)
  else if (isHiddenByLogScale(chart))
    drawEmpty(drawing, root, 'All values are zero or less, which a logarithmic axis cannot show', plot)
  else {
    const marked = verticals.lines.map(({ day }) => days.position(day))
    drawReferenceLabels(drawing, root, chart, scales, x, plot, marked)
  }
  return plot
}

function layOutColors(
  drawing: Drawing,
  heatmap: Heatmap,
  scales: Map<string, ValueScale>,
  top: number,
  bottom: number,
): { greatest: number; legend: ColorLegend } {
  const greatest = findColorMaximum(heatmap, scales.get(heatmap.axisId)!.domain)
  return { greatest, legend: layOutColorLegend(drawing, greatest, top, bottom) }
}

/** Says in the middle of the plot why there is nothing in it. */
function drawEmpty(drawing: Drawing, root: Group, text: string, { left, right, top, bottom }: Box): void {
  const { sizes, theme } = drawing
  drawText(drawing, root, shorten(drawing, text, right - left, sizes.legend), (left + right) / 2, (top + bottom) / 2, {
    size: sizes.legend,
    color: theme.muted,
    anchor: 'middle',
  })
}

function isEmpty({ series, heatmap, monthGrid }: ChartSpecification): boolean {
  return heatmap === undefined && monthGrid === undefined && !series.some(({ values }) => values.some(Number.isFinite))
}

function withCleanTexts(chart: ChartSpecification): ChartSpecification {
  const clean = <T extends { label: string }>(parts: readonly T[]) =>
    parts.map((part) => ({ ...part, label: cleanText(part.label) }))
  return {
    ...chart,
    title: cleanText(chart.title),
    subtitle: cleanText(chart.subtitle),
    source: cleanText(chart.source),
    dateLine: cleanText(chart.dateLine),
    axes: chart.axes.map((axis) => ({ ...axis, title: cleanText(axis.title) })),
    series: clean(chart.series),
    referenceLines: clean(chart.referenceLines),
    referenceAreas: clean(chart.referenceAreas),
    verticals: clean(chart.verticals),
    brand: chart.brand && {
      name: cleanText(chart.brand.name),
      address: chart.brand.address && cleanText(chart.brand.address),
    },
    heatmap: chart.heatmap && { ...chart.heatmap, label: cleanText(chart.heatmap.label) },
  }
}
