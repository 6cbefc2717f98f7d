import { ticks as roundValues } from 'd3-array'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, shorten } from './drawing.ts'
import { colorPalette, colorPosition } from './heatmap.ts'
import { tickFormat } from './number-format.ts'
import type { Heatmap } from './specification.ts'
import type { Tick } from './value-scale.ts'

export interface ColorLegend {
  /** The value of the last colour. */
  readonly greatest: number
  readonly ticks: readonly Tick[]
  readonly labelWidth: number
  readonly width: number
}

/** The colours reach from zero to `greatest`; `top` and `bottom` are the plot's edges in pixels. */
export function layOutColorLegend(drawing: Drawing, greatest: number, top: number, bottom: number): ColorLegend {
  const { sizes } = drawing
  const count = Math.round((bottom - top) / (sizes.tick * 6))
  const values = roundValues(0, greatest, Math.min(7, Math.max(2, count)))
  const format = tickFormat('number', values.length > 1 ? values[1]! - values[0]! : undefined)
  const ticks: Tick[] = []
  for (const value of values) {
    const position = bottom - colorPosition(value, greatest) * (bottom - top)
    // The square root draws large values together, so not every evenly spaced value fits.
    if (ticks.some((other) => Math.abs(other.position - position) < sizes.tick * 1.5)) continue
    ticks.push({ position, label: format(value) })
  }
  const labelWidth = Math.max(0, ...ticks.map(({ label }) => measure(drawing, label, sizes.tick)))
  const width = stripLeft(drawing) + stripWidth(drawing) + labelWidth + sizes.tick * 2.2
  return { greatest, ticks, labelWidth, width }
}

const stripLeft = ({ sizes }: Drawing): number => 8 * sizes.scale

const stripWidth = ({ sizes }: Drawing): number => Math.round(12 * sizes.scale)

export function drawColorLegend(
  drawing: Drawing,
  parent: Group,
  heatmap: Heatmap,
  legend: ColorLegend,
  left: number,
  { top, bottom }: Box,
): void {
  const { sizes, theme, platform } = drawing
  const group = appendElement(parent, 'g', { class: 'color-legend' })
  const height = Math.round(bottom - top)
  const pixels = Uint8Array.from(
    { length: height },
    (_, row) => 255 - Math.round((254 * row) / Math.max(1, height - 1)),
  )
  const stripStart = Math.round(left + stripLeft(drawing))
  appendElement(group, 'image', {
    x: stripStart,
    y: top,
    width: stripWidth(drawing),
    height,
    preserveAspectRatio: 'none',
    href: platform.imageAddress({ width: 1, height, palette: colorPalette(heatmap.colorScale), pixels }),
  })
  const labelLeft = stripStart + stripWidth(drawing) + 5 * sizes.scale
  for (const { position, label } of legend.ticks) {
    drawText(drawing, group, label, labelLeft, position + sizes.tick * middleToBaseline, {
      size: sizes.tick,
      color: theme.muted,
    })
  }
  const title = heatmap.unit === '' ? heatmap.label : `${heatmap.label} (${heatmap.unit})`
  const centre = labelLeft + legend.labelWidth + sizes.tick * 0.95
  const label = shorten(drawing, title, height, sizes.tick)
  const style = { size: sizes.tick, color: theme.muted, anchor: 'middle', rotated: true } as const
  drawText(drawing, group, label, centre + sizes.tick * middleToBaseline, (top + bottom) / 2, style)
}
