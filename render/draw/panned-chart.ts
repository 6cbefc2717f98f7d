import { drawDateAxis } from './axes.ts'
import { createDrawing, type Platform } from './drawing.ts'
import { drawEndLabels, layOutEndLabels } from './end-labels.ts'
import { type ChartFrame, createXPositions } from './frame.ts'
import type { Group } from './group.ts'
import type { ChartSpecification } from './specification.ts'

/** The plot and scales of a drawn chart with other days across them, while a reader pans it. */
export interface PannedFrame extends Pick<ChartFrame, 'plot' | 'scales' | 'ends'> {
  readonly position: (day: number) => number
}

export function drawPannedDates(root: Group, chart: ChartSpecification, platform: Platform, frame: PannedFrame): void {
  drawDateAxis(createDrawing(chart, platform), root, chart, frame.plot, frame.position)
}

/** Draws only the labels at the right ends of the series; `chart` needs only the last rows. */
export function drawPannedEndLabels(
  root: Group,
  chart: ChartSpecification,
  platform: Platform,
  frame: PannedFrame,
): void {
  const { plot, scales, ends } = frame
  const drawing = createDrawing(chart, platform)
  const byAxis = new Map(scales.map((scale) => [scale.axis.id, scale]))
  const labels = layOutEndLabels(drawing, chart, byAxis, plot.top, plot.bottom, ends.content)
  drawEndLabels(drawing, root, labels, plot, ends.left, createXPositions(chart, plot, frame))
}
