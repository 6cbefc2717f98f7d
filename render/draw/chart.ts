import { dateLabelDrop, drawColumn, drawDateAxis, drawGrid, drawTitles } from './axes.ts'
import { replaceDenseCandles } from './candles.ts'
import { requireColorMarks, requireMonthGrid } from './color-marks-loader.ts'
import { drawCrossing } from './crossings.ts'
import { describePicture } from './description.ts'
import { findDomain } from './domain.ts'
import type { Box, Drawing, Platform } from './drawing.ts'
import { appendElement, createDrawing, drawClipped, drawText, shorten } from './drawing.ts'
import { drawEndLabels } from './end-labels.ts'
import { drawFooter } from './footer.ts'
import {
  type ChartFrame,
  createDayScale,
  createSeriesFrames,
  createXPositions,
  type DayScale,
  placeColumns,
} from './frame.ts'
import { ElementGroup, type Group } from './group.ts'
import { drawHeading } from './heading.ts'
import { drawLayers } from './layers.ts'
import { drawLegend } from './legend.ts'
import { describeOmissions } from './omissions.ts'
import { layOutPlot, type PlotLayout } from './plot-layout.ts'
import { drawReferenceLabels } from './reference-labels.ts'
import type { ChartSpecification } from './specification.ts'
import { cleanText } from './text.ts'
import { isHatched, placedDays } from './unfinished.ts'
import type { ValueScale } from './value-scale.ts'
import { drawVerticalLines, layOutVerticalLines, type VerticalLines } from './vertical-lines.ts'

export interface DrawnChart {
  /** Not in the platform's document. */
  readonly svg: SVGSVGElement
  readonly frame: ChartFrame
}

/** Throws `invalid_argument` for columns out of order or of different lengths. */
export function drawChart(specification: ChartSpecification, platform: Platform): DrawnChart {
  const svg = platform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  return { svg, frame: drawChartOn(new ElementGroup(svg), specification, platform) }
}

function requireColumns({ x, series, referenceLines, referenceAreas, heatmap }: ChartSpecification): void {
  const { days } = x
  const columns = [
    ...series.flatMap(({ values, candles, colorBy }) => [values, ...Object.values(candles ?? {}), colorBy?.values]),
    ...referenceLines.map(({ y }) => y),
    ...referenceAreas.flatMap(({ y1, y2 }) => [y1, y2]),
  ]
  const isComplete = columns.every((column) => typeof column !== 'object' || column.length === days.length)
  const hasCells = !heatmap || heatmap.values.length === days.length * heatmap.binLower.length
  if (isComplete && hasCells && days.every((day, i) => i === 0 || day > days[i - 1]!)) return
  throw new Error('the days of a chart must ascend, and each of its columns must have one value per day')
}

/** A chart during a gesture. */
export interface Movement {
  /** Fractional unix days at the plot's edges. */
  readonly span: readonly [from: number, to: number]
  /** The chart with fewer rows, some beyond the edges: replaces the marks. */
  readonly marks: ChartSpecification
}

export function drawChartOn(
  root: Group,
  specification: ChartSpecification,
  platform: Drawing['platform'],
  movement?: Movement,
): ChartFrame {
  requireColumns(specification)
  const drawing = createDrawing(specification, platform)
  const { sizes, theme } = drawing
  const prepare = (one: ChartSpecification) =>
    replaceDenseCandles(withCleanTexts(one), sizes, specification.x.days.length)
  const chart = prepare(specification)
  const marks = movement ? prepare(movement.marks) : chart
  const { width, height } = chart
  root.attr('width', width).attr('height', height)
  root.attr('viewBox', `0 0 ${width} ${height}`).attr('font-family', 'Inter, system-ui, sans-serif')
  const domains = new Map(chart.axes.map((axis) => [axis.id, findDomain(axis, chart)]))
  const notes = describeOmissions(chart, domains)
  root.attr('text-rendering', 'geometricPrecision')
  if (!movement) {
    const { name, content } = describePicture(chart, notes)
    root.attr('role', 'img').attr('aria-label', name)
    root.append('title').text(name)
    root.append('desc').text(content)
  }
  appendElement(root, 'rect', { width, height, fill: theme.background })

  const contentWidth = width - 2 * sizes.margin
  const headingBottom = drawHeading(drawing, root, chart, contentWidth)
  const footerTop = drawFooter(drawing, root, chart, notes)
  if (chart.monthGrid) {
    const [left, right] = [sizes.margin, width - sizes.margin]
    const plot = { left, right, top: headingBottom, bottom: footerTop - 8 * sizes.scale }
    requireMonthGrid().drawMonthGrid(drawing, root, chart.monthGrid, plot, isHatched(chart))
    return { plot, days: createDayScale(chart, plot), scales: [], series: [], columns: [] }
  }
  const bottom = Math.round(footerTop - dateLabelDrop(drawing) - sizes.tick * 0.9)
  const verticals = layOutVerticalLines(drawing, chart)
  const layout = layOutPlot(drawing, chart, domains, verticals, headingBottom, bottom)
  drawLegend(drawing, root, layout.legend, sizes.margin, headingBottom)
  const { plot, scales } = layout
  const days = createDayScale(chart, plot, movement?.span)
  drawPlot(drawing, root, chart, marks, layout, days, verticals)
  const series = createSeriesFrames(chart, scales)
  const columns = placeColumns(layout.columns, plot)
  return { plot, days, scales: [...scales.values()], series, columns }
}

function drawPlot(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  marks: ChartSpecification,
  { plot, scales, columns, ends, endsLeft, colors, titleRow }: PlotLayout,
  days: DayScale,
  verticals: VerticalLines,
): void {
  const { margin } = drawing.sizes
  const { heatmap } = chart
  const { left, right } = plot

  const gridded: ValueScale[] = []
  for (const scale of scales.values()) {
    if (gridded.some((other) => scale.top < other.bottom && other.top < scale.bottom)) continue
    gridded.push(scale)
    drawGrid(drawing, root, scale, plot)
  }
  if (colors) requireColorMarks().drawColorLegend(drawing, root, colors, endsLeft + ends.width, plot)
  if (heatmap && colors) {
    const { drawHeatmap, resampleHeatmap } = requireColorMarks()
    const scale = scales.get(heatmap.axisId)!
    const dayAt = (pixel: number) => days.day(left + pixel)
    const raster = resampleHeatmap(heatmap, chart.x.days, scale, right - left, chart.pixelRatio, dayAt)
    drawHeatmap(drawing, root, heatmap.id, raster, colors.range, left, Math.round(scale.top))
  }
  drawVerticalLines(drawing, root, verticals, plot, days.position)
  const x = createXPositions(marks, plot, days)
  drawLayers(drawing, root, marks, scales, plot, x, colors?.range)
  if (chart.crossings) {
    const group = drawClipped(root, { ...plot, top: plot.top - drawing.sizes.margin })
    for (const crossing of chart.crossings) {
      const y = scales.get(crossing.axisId)!.position(crossing.value)
      drawCrossing(drawing, group, crossing, days.position(crossing.day), y)
    }
  }
  drawDateAxis(drawing, root, chart, plot, days.position)
  for (const column of placeColumns(columns, plot)) {
    drawColumn(drawing, root, column, column.side === 'left' ? column.right : column.left)
  }
  const titleEdges = { left: margin, right: colors ? chart.width - margin : endsLeft }
  const titles = drawTitles(drawing, root, columns, plot, titleEdges, titleRow, colors?.range.title ?? '')
  drawEndLabels(drawing, root, ends, plot, endsLeft, (entry) => days.position(placedDays(chart.x)[entry]!))
  if (isEmpty(chart)) drawEmpty(drawing, root, plot)
  else {
    const lineXs = verticals.lines.map(({ day }) => days.position(day))
    drawReferenceLabels(drawing, root, marks, scales, x, plot, lineXs, titles)
  }
}

function drawEmpty(drawing: Drawing, root: Group, { left, right, top, bottom }: Box): void {
  const { sizes, theme } = drawing
  const text = 'No data in this range'
  drawText(drawing, root, shorten(drawing, text, right - left, sizes.legend), (left + right) / 2, (top + bottom) / 2, {
    size: sizes.legend,
    color: theme.muted,
    anchor: 'middle',
  })
}

const isEmpty = ({ series, heatmap }: ChartSpecification): boolean =>
  heatmap === undefined && !series.some(({ values }) => values.some(Number.isFinite))

/** Users can write titles and labels. */
function withCleanTexts(chart: ChartSpecification): ChartSpecification {
  const clean = <T extends { label: string }>(parts: readonly T[]) =>
    parts.map((part) => ({ ...part, label: cleanText(part.label) }))
  return {
    ...chart,
    title: cleanText(chart.title),
    subtitle: cleanText(chart.subtitle),
    axes: chart.axes.map((axis) => ({ ...axis, title: cleanText(axis.title) })),
    series: clean(chart.series),
    referenceLines: clean(chart.referenceLines),
    referenceAreas: clean(chart.referenceAreas),
    verticals: clean(chart.verticals),
    crossings: chart.crossings && clean(chart.crossings),
    heatmap: chart.heatmap && { ...chart.heatmap, label: cleanText(chart.heatmap.label) },
  }
}
