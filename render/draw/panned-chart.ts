import { drawDateAxis } from './axes.ts'
import { createDrawing, type Platform } from './drawing.ts'
import { drawEndLabels, layOutEndLabels } from './end-labels.ts'
import { type ChartFrame, createXPositions } from './frame.ts'
import type { Group } from './group.ts'
import type { ChartSpecification } from './specification.ts'

/** Where days lie in a chart that is being moved: the same plot and scales as were drawn, but other days across it. */
export interface PannedFrame extends Pick<ChartFrame, 'plot' | 'scales'> {
  readonly position: (day: number) => number
}

/** Only the baseline of a plot, with the dates of a chart's rows. */
export function drawPannedDates(root: Group, chart: ChartSpecification, platform: Platform, frame: PannedFrame): void {
  drawDateAxis(createDrawing(chart, platform), root, chart, frame.plot, frame.position)
}

/** Only the names and last values at the right end of each series, of which the last rows suffice. */
export function drawPannedEndLabels(
  root: Group,
  chart: ChartSpecification,
  platform: Platform,
  frame: PannedFrame,
): void {
  const { plot, scales } = frame
  const drawing = createDrawing(chart, platform)
  const byAxis = new Map(scales.map((scale) => [scale.axis.id, scale]))
  const ends = layOutEndLabels(drawing, chart, byAxis, plot.top, plot.bottom)
  drawEndLabels(drawing, root, ends, plot, createXPositions(chart, plot, frame))
}
