import { sum } from 'd3-array'
import type { AxisSide } from '#contract/chart-options.ts'
import type { AxisColumn } from './axes.ts'
import { countLabelledAxes, dateLabelDrop, drawColumn, drawDateAxis, drawGrid, layOutColumns } from './axes.ts'
import { replaceDenseCandles } from './candles.ts'
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
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { cleanText } from './text.ts'
import { createValueScale, type ValueScale } from './value-scale.ts'
import { drawVerticalLines, layOutVerticalLines, type VerticalLines } from './vertical-lines.ts'

export interface DrawnChart {
  /** Not attached to the platform's document. */
  readonly svg: SVGSVGElement
  readonly frame: ChartFrame
}

/** Draws a chart as an SVG element. Throws `invalid_argument` for columns that are out of order or of different lengths. */
export function drawChart(specification: ChartSpecification, platform: Platform): DrawnChart {
  const svg = platform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  return { svg, frame: drawChartOn(new ElementGroup(svg), specification, platform) }
}

/** Draws into `root`. A chart that can be panned draws the marks of `extended`, the same chart with rows beyond both ends. */
export function drawChartOn(
  root: Group,
  specification: ChartSpecification,
  platform: Platform,
  extended?: ChartSpecification,
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
  const contentWidth = width - 2 * sizes.margin
  const headingBottom = drawHeading(drawing, root, chart, contentWidth)
  const footerTop = drawFooter(drawing, root, chart, describeOmissions(chart))
  if (chart.monthGrid) {
    const [left, right] = [sizes.margin, width - sizes.margin]
    const plot = { left, right, top: headingBottom, bottom: footerTop - 8 * sizes.scale }
    drawMonthGrid(drawing, root, chart.monthGrid, plot)
    return { plot, days: createDayScale(chart, plot), scales: [], series: [] }
  }
  const bottom = Math.round(footerTop - dateLabelDrop(drawing) - sizes.tick * 0.9)
  const verticals = layOutVerticalLines(drawing, chart)
  const gapAbovePlot = 10 * sizes.scale + verticals.height
  const createScales = (top: number) =>
    new Map(chart.axes.map((axis) => [axis.id, createValueScale(axis, chart, top, bottom, sizes.tick)] as const))

  const topWithoutLegend = Math.round(headingBottom + gapAbovePlot)
  const named: ReadonlySet<ChartSeries> =
    chart.labels === 'direct'
      ? seriesNamedAtEnd(layOutEndLabels(drawing, chart, createScales(topWithoutLegend), topWithoutLegend, bottom))
      : new Set()
  const legendRows = Math.max(1, Math.floor((height * 0.22) / (sizes.legend * 1.65)))
  const labelledIds = new Set(labelled.map(({ id }) => id))
  const legendChart = { ...chart, series: chart.series.filter((one) => !named.has(one)) }
  const legend = layOutLegend(drawing, legendChart, labelledIds, contentWidth, legendRows)
  drawLegend(drawing, root, legend, sizes.margin, headingBottom)
  const top = Math.round(headingBottom + legend.height + gapAbovePlot)
  const scales = createScales(top)
  const ends = layOutEndLabels(drawing, chart, scales, top, bottom)
  const labelledScales = labelled.map(({ id }) => scales.get(id)!)
  const columns = layOutColumns(drawing, labelledScales)
  const plot = drawPlot(drawing, root, chart, extended ?? chart, { scales, columns, ends, verticals, top, bottom })
  const days = createDayScale(chart, plot)
  return { plot, days, scales: [...scales.values()], series: createSeriesFrames(chart, scales) }
}

interface PlotParts {
  readonly scales: Map<string, ValueScale>
  readonly columns: readonly AxisColumn[]
  readonly ends: EndLabels
  readonly verticals: VerticalLines
  readonly top: number
  readonly bottom: number
}

/** Draws the plot and the axes beside it, whose widths determine the plot's left and right edges. */
function drawPlot(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  extended: ChartSpecification,
  { scales, columns, ends, verticals, top, bottom }: PlotParts,
): Box {
  const { margin } = drawing.sizes
  const { heatmap } = chart
  const colorMaximum = heatmap && findColorMaximum(heatmap, scales.get(heatmap.axisId)!.domain)
  const colors = colorMaximum === undefined ? undefined : layOutColorLegend(drawing, colorMaximum, top, bottom)
  const columnsWidth = (side: AxisSide) => sum(columns, (column) => (column.side === side ? column.width : 0))
  const left = Math.round(margin + columnsWidth('left'))
  const right = Math.round(chart.width - margin - ends.width - columnsWidth('right') - (colors?.width ?? 0))
  const plot: Box = { left, right, top, bottom }
  const days = createDayScale(chart, plot)
  const x = createXPositions(chart, plot, days)

  const gridded: ValueScale[] = []
  for (const scale of scales.values()) {
    if (gridded.some((other) => scale.top < other.bottom && other.top < scale.bottom)) continue
    gridded.push(scale)
    drawGrid(drawing, root, scale, plot)
  }
  if (heatmap && colors) {
    const scale = scales.get(heatmap.axisId)!
    const dayAt = (pixel: number) => days.day(left + pixel)
    const raster = resampleHeatmap(heatmap, chart.x.days, scale, right - left, chart.pixelRatio, dayAt)
    drawHeatmap(drawing, root, heatmap, raster, colors.greatest, left, Math.round(scale.top))
    drawColorLegend(drawing, root, heatmap, colors, right + ends.width + columnsWidth('right'), plot)
  }
  const extendedX = createXPositions(extended, plot, days)
  const { lines } = layOutVerticalLines(drawing, extended)
  const extendedPlot = { ...plot, left: extendedX.left, right: extendedX.right }
  drawVerticalLines(drawing, root, { ...verticals, lines }, extendedPlot, days.position)
  drawLayers(drawing, root, extended, scales, plot, extendedX)
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
    const lineXs = verticals.lines.map(({ day }) => days.position(day))
    drawReferenceLabels(drawing, root, chart, scales, x, plot, lineXs)
  }
  return plot
}

function drawEmpty(drawing: Drawing, root: Group, text: string, { left, right, top, bottom }: Box): void {
  const { sizes, theme } = drawing
  drawText(drawing, root, shorten(drawing, text, right - left, sizes.legend), (left + right) / 2, (top + bottom) / 2, {
    size: sizes.legend,
    color: theme.muted,
    anchor: 'middle',
  })
}

const isEmpty = ({ series, heatmap, monthGrid }: ChartSpecification): boolean =>
  heatmap === undefined && monthGrid === undefined && !series.some(({ values }) => values.some(Number.isFinite))

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
