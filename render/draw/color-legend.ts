import { ticks as roundValues, tickStep } from 'd3-array'
import type { ColorRange } from './color-range.ts'
import { appendElement, type Box, type Drawing, drawText, type Group, measure, middleToBaseline } from './drawing.ts'
import { formatTick } from './number-format.ts'
import type { Tick } from './value-scale.ts'

export interface ColorLegend {
  readonly range: ColorRange
  readonly ticks: readonly Tick[]
  readonly width: number
}

/** `top` and `bottom`: the plot's edges in pixels. */
export function layOutColorLegend(drawing: Drawing, range: ColorRange, top: number, bottom: number): ColorLegend {
  const { sizes } = drawing
  const { low, high, part, factor } = range
  const count = Math.min(7, Math.max(2, Math.round((bottom - top) / (sizes.tick * 6))))
  const step = tickStep(low * factor, high * factor, count)
  const ticks: Tick[] = []
  for (const value of roundValues(low * factor, high * factor, count)) {
    const position = bottom - part(value / factor) * (bottom - top)
    // The square root crowds large values, so not every evenly spaced value fits.
    if (ticks.some((other) => Math.abs(other.position - position) < sizes.tick * 1.5)) continue
    ticks.push({ position, label: formatTick(range.format, value, step) })
  }
  const labelWidth = Math.max(0, ...ticks.map(({ label }) => measure(drawing, label, sizes.tick)))
  const width = stripLeft(drawing) + stripWidth(drawing) + 5 * sizes.scale + labelWidth
  return { range, ticks, width }
}

const stripLeft = ({ sizes }: Drawing): number => 8 * sizes.scale

const stripWidth = ({ sizes }: Drawing): number => Math.round(12 * sizes.scale)

export function drawColorLegend(
  drawing: Drawing,
  parent: Group,
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
    href: platform.imageAddress({ width: 1, height, palette: legend.range.palette, pixels }),
  })
  const labelLeft = stripStart + stripWidth(drawing) + 5 * sizes.scale
  for (const { position, label } of legend.ticks) {
    drawText(drawing, group, label, labelLeft, position + sizes.tick * middleToBaseline, {
      size: sizes.tick,
      color: theme.muted,
    })
  }
}
