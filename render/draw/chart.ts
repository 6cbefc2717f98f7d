import { sum } from 'd3-array'
import { select } from 'd3-selection'
import type { AxisSide } from '#contract/chart-words.ts'
import type { AxisColumn } from './axes.ts'
import { countLabelledAxes, dateLabelDrop, drawColumn, drawDateAxis, drawGrid, layOutColumns } from './axes.ts'
import type { ColorLegend } from './color-legend.ts'
import { drawColorLegend, layOutColorLegend } from './color-legend.ts'
import type { Box, Drawing, Group, Platform } from './drawing.ts'
import { drawText, measure, shorten } from './drawing.ts'
import { type ChartFrame, frameSeries, placeDays } from './frame.ts'
import { drawHeatmap, greatestShown, resampleHeatmap } from './heatmap.ts'
import { drawLayers } from './layers.ts'
import { drawLegend, layOutLegend } from './legend.ts'
import type { XPlace } from './marks.ts'
import { requireOrder } from './order.ts'
import { drawReferenceLabels } from './reference-labels.ts'
import { chooseSizes } from './sizes.ts'
import type { ChartSpecification, Heatmap } from './specification.ts'
import { cleanText } from './text.ts'
import { themes } from './theme.ts'
import type { ValueScale } from './value-scale.ts'
import { buildValueScale } from './value-scale.ts'

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
  requireOrder(specification)
  const chart = withCleanTexts(specification)
  const { width, height } = chart
  const drawing: Drawing = {
    platform,
    theme: themes[chart.theme],
    sizes: chooseSizes(width, height),
    cased: chart.heatmap !== undefined || chart.series.some(({ stacked }) => stacked),
  }
  const { sizes, theme } = drawing
  const svg = platform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const root: Group = select<SVGElement, unknown>(svg)
  root.attr('xmlns', 'http://www.w3.org/2000/svg').attr('width', width).attr('height', height)
  root.attr('viewBox', `0 0 ${width} ${height}`).attr('font-family', 'Inter, system-ui, sans-serif')
  root.attr('role', 'img').attr('aria-label', chart.title)
  root.append('rect').attr('width', width).attr('height', height).attr('fill', theme.background)

  const labelled = chart.axes.slice(0, countLabelledAxes(drawing, width))
  const content = width - 2 * sizes.margin
  const rows = Math.max(1, Math.floor((height * 0.22) / (sizes.legend * 1.65)))
  const legend = layOutLegend(drawing, chart, new Set(labelled.map(({ id }) => id)), content, rows)
  const titleHeight = drawTitle(drawing, root, chart.title, content)
  drawLegend(drawing, root, legend, sizes.margin, titleHeight)
  const top = Math.round(titleHeight + legend.height + 10 * sizes.scale)
  const bottom = Math.round(drawNotes(drawing, root, chart) - dateLabelDrop(drawing) - sizes.tick * 0.9)

  const scales = new Map(
    chart.axes.map((axis) => [axis.id, buildValueScale(axis, chart, top, bottom, sizes.tick)] as const),
  )
  const columns = layOutColumns(
    drawing,
    labelled.map(({ id }) => scales.get(id)!),
  )
  const plot = drawPlot(drawing, root, chart, scales, columns, top, bottom)
  const days = placeDays(chart, plot)
  return { svg, frame: { plot, days, scales: [...scales.values()], series: frameSeries(chart, scales) } }
}

/** Draws everything between the columns of numbers, and these, once their widths have left a place for the plot. */
function drawPlot(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  scales: Map<string, ValueScale>,
  columns: readonly AxisColumn[],
  top: number,
  bottom: number,
): Box {
  const { margin } = drawing.sizes
  const colors = chart.heatmap && layOutColors(drawing, chart.heatmap, scales, top, bottom)
  const strip = (side: AxisSide) =>
    sum(
      columns.filter((column) => column.side === side),
      ({ width }) => width,
    )
  const left = Math.round(margin + strip('left'))
  const right = Math.round(chart.width - margin - strip('right') - (colors?.legend.width ?? 0))
  const plot: Box = { left, right, top, bottom }
  const days = placeDays(chart, plot)
  const x: XPlace = {
    positions: Float64Array.from(chart.x.days, days.position),
    left,
    right,
    pixelsPerDay: days.position(1) - days.position(0),
  }

  const gridded: ValueScale[] = []
  for (const scale of scales.values()) {
    if (gridded.some((other) => scale.top < other.bottom && other.top < scale.bottom)) continue
    gridded.push(scale)
    drawGrid(drawing, root, scale, plot)
  }
  if (chart.heatmap && colors) {
    const scale = scales.get(chart.heatmap.axisId)!
    const raster = resampleHeatmap(chart.heatmap, chart.x.days, scale, right - left, (pixel) => days.day(left + pixel))
    drawHeatmap(drawing, root, chart.heatmap, raster, colors.greatest, left, Math.round(scale.top))
    drawColorLegend(drawing, root, chart.heatmap, colors.legend, right + strip('right'), plot)
  }
  drawLayers(drawing, root, chart, scales, plot, x)
  drawDateAxis(drawing, root, chart, plot, days.position)
  const edges = { left, right }
  for (const column of columns) {
    drawColumn(drawing, root, column, edges[column.side])
    edges[column.side] += column.side === 'left' ? -column.width : column.width
  }
  if (isEmpty(chart)) drawEmpty(drawing, root, plot)
  else drawReferenceLabels(drawing, root, chart, scales, x, plot)
  return plot
}

function layOutColors(
  drawing: Drawing,
  heatmap: Heatmap,
  scales: Map<string, ValueScale>,
  top: number,
  bottom: number,
): { greatest: number; legend: ColorLegend } {
  const greatest = greatestShown(heatmap, scales.get(heatmap.axisId)!.domain)
  return { greatest, legend: layOutColorLegend(drawing, greatest, top, bottom) }
}

/** Writes the title and returns where the next part begins, in pixels from the top. */
function drawTitle(drawing: Drawing, root: Group, title: string, room: number): number {
  const { sizes, theme } = drawing
  if (title === '') return sizes.margin
  const baseline = sizes.margin + sizes.title * 0.8
  drawText(drawing, root, shorten(drawing, title, room, sizes.title, 600), sizes.margin, baseline, {
    size: sizes.title,
    color: theme.text,
    weight: 600,
  })
  return baseline + sizes.title * 0.5
}

/** Writes source and dates at the foot and returns where they begin, in pixels from the top. */
function drawNotes(drawing: Drawing, root: Group, { source, dateLine, width, height }: ChartSpecification): number {
  const { sizes, theme } = drawing
  const room = width - 2 * sizes.margin
  const baseline = height - sizes.margin * 0.75
  const dates = shorten(drawing, dateLine, room / 2, sizes.note)
  const datesWidth = measure(drawing, dates, sizes.note)
  const origin = shorten(drawing, source, room - datesWidth - 2 * sizes.note, sizes.note)
  const style = { size: sizes.note, color: theme.muted }
  drawText(drawing, root, origin, sizes.margin, baseline, style)
  drawText(drawing, root, dates, width - sizes.margin, baseline, { ...style, anchor: 'end' })
  return baseline - sizes.note
}

function drawEmpty(drawing: Drawing, root: Group, { left, right, top, bottom }: Box): void {
  const { sizes, theme } = drawing
  drawText(
    drawing,
    root,
    shorten(drawing, 'No data in this range', right - left, sizes.legend),
    (left + right) / 2,
    (top + bottom) / 2,
    {
      size: sizes.legend,
      color: theme.muted,
      anchor: 'middle',
    },
  )
}

function isEmpty({ series, heatmap }: ChartSpecification): boolean {
  return heatmap === undefined && !series.some(({ values }) => values.some(Number.isFinite))
}

function withCleanTexts(chart: ChartSpecification): ChartSpecification {
  const clean = <T extends { label: string }>(parts: readonly T[]) =>
    parts.map((part) => ({ ...part, label: cleanText(part.label) }))
  return {
    ...chart,
    title: cleanText(chart.title),
    source: cleanText(chart.source),
    dateLine: cleanText(chart.dateLine),
    axes: chart.axes.map((axis) => ({ ...axis, title: cleanText(axis.title) })),
    series: clean(chart.series),
    referenceLines: clean(chart.referenceLines),
    referenceAreas: clean(chart.referenceAreas),
    heatmap: chart.heatmap && { ...chart.heatmap, label: cleanText(chart.heatmap.label) },
  }
}
