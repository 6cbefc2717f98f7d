import type { AxisSide } from '#contract/chart-options.ts'
import { calendarTicks, periodTicks } from './calendar.ts'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { snapToPixel } from './sizes.ts'
import type { ChartSpecification } from './specification.ts'
import { readableColor } from './theme.ts'
import { findZeroPosition, type Tick, type ValueScale } from './value-scale.ts'

export interface AxisColumn {
  readonly side: AxisSide
  readonly scales: readonly ValueScale[]
  readonly labelWidth: number
  readonly width: number
}

/** Maximum number of axes with tick labels, which may take half of the picture's width. */
export const countLabelledAxes = ({ sizes }: Drawing, width: number): number =>
  Math.max(1, Math.floor((0.5 * width) / (sizes.tick * 6.5)))

/** Puts each axis into the innermost strip of its side in which its zone is free. */
export function layOutColumns(drawing: Drawing, scales: readonly ValueScale[]): AxisColumn[] {
  const strips: { readonly side: AxisSide; readonly scales: ValueScale[] }[] = []
  for (const scale of scales) {
    const { side, zone } = scale.axis
    const overlaps = (other: ValueScale) => zone[0] < other.axis.zone[1] && other.axis.zone[0] < zone[1]
    const free = strips.find((strip) => strip.side === side && !strip.scales.some(overlaps))
    if (free === undefined) strips.push({ side, scales: [scale] })
    else free.scales.push(scale)
  }
  return strips.map((strip) => {
    const labels = strip.scales.flatMap(({ ticks }) => ticks.map(({ label }) => label))
    const labelWidth = Math.max(0, ...labels.map((label) => measure(drawing, label, drawing.sizes.tick)))
    const titles = strip.scales.some(({ axis }) => axis.title !== '') ? titleWidth(drawing) : 0
    return { ...strip, labelWidth, width: tickGap(drawing) + labelWidth + titles + 4 * drawing.sizes.scale }
  })
}

const tickGap = ({ sizes }: Drawing): number => 7 * sizes.scale

const titleWidth = ({ sizes }: Drawing): number => sizes.tick * 1.5

/** Draws tick labels and titles of one strip; `edge` is the pixel of its edge towards the plot. */
export function drawColumn(drawing: Drawing, parent: Group, column: AxisColumn, edge: number): void {
  const { sizes, theme } = drawing
  const outward = column.side === 'left' ? -1 : 1
  const group = appendElement(parent, 'g', { class: `axis ${column.side}` })
  const occupied: number[] = []
  for (const scale of column.scales) {
    const color = scale.axis.color === undefined ? theme.muted : readableColor(scale.axis.color, theme.background)
    const ticks = appendElement(group, 'g', { class: 'ticks', 'data-id': scale.axis.id })
    for (const { position, label } of scale.ticks) {
      // Adjoining zones may both have a tick on their border.
      if (occupied.some((other) => Math.abs(other - position) < sizes.tick * 1.2)) continue
      occupied.push(position)
      drawText(drawing, ticks, label, edge + outward * tickGap(drawing), position + sizes.tick * middleToBaseline, {
        size: sizes.tick,
        color,
        anchor: column.side === 'left' ? 'end' : 'start',
      })
    }
    const middle = (scale.top + scale.bottom) / 2
    const centre = edge + outward * (tickGap(drawing) + column.labelWidth + titleWidth(drawing) / 2 + 2 * sizes.scale)
    drawText(drawing, group, fitTitle(drawing, scale), centre + sizes.tick * middleToBaseline, middle, {
      size: sizes.tick,
      color,
      anchor: 'middle',
      rotated: true,
    })
  }
}

/** The axis title, without its unit or cut if it is too long; empty if less than two thirds would fit. */
function fitTitle(drawing: Drawing, { axis, top, bottom }: ValueScale): string {
  const { tick } = drawing.sizes
  const room = bottom - top - tick
  const name = axis.title.replace(/ \([^()]*\)$/, '')
  if (measure(drawing, name, tick) > 1.5 * room) return ''
  return shorten(drawing, measure(drawing, axis.title, tick) <= room ? axis.title : name, room, tick)
}

/** Draws horizontal hairlines at the ticks, with a darker one at zero if the domain has values on both sides of it. */
export function drawGrid({ sizes, theme }: Drawing, parent: Group, scale: ValueScale, plot: Box): void {
  const zero = findZeroPosition(scale)
  for (const { position } of scale.ticks) {
    if (position === zero || position > plot.bottom - sizes.hairline) continue
    drawHorizontal(parent, plot, snapToPixel(position, sizes.hairline), sizes.hairline, theme.grid)
  }
  if (zero !== undefined) drawHorizontal(parent, plot, snapToPixel(zero, sizes.hairline), sizes.hairline, theme.frame)
}

function drawHorizontal(parent: Group, { left, right }: Box, y: number, width: number, color: string): void {
  appendElement(parent, 'path', { d: `M${left},${y}H${right}`, stroke: color, 'stroke-width': width, fill: 'none' })
}

/** Draws the baseline with date labels, without those that would be closer than half a margin to the picture's edge. */
export function drawDateAxis(
  drawing: Drawing,
  parent: Group,
  { x, width }: ChartSpecification,
  plot: Box,
  place: (day: number) => number,
): void {
  const { sizes, theme } = drawing
  const group = appendElement(parent, 'g', { class: 'axis bottom' })
  const y = snapToPixel(plot.bottom, sizes.hairline)
  drawHorizontal(group, plot, y, sizes.hairline, theme.frame)
  const labelWidth = (label: string) => measure(drawing, label, sizes.tick)
  const days: [number, number] = [x.days[0] ?? 0, x.days.at(-1) ?? 0]
  const fitsInside = ({ position, label }: Tick) =>
    position - labelWidth(label) / 2 >= sizes.margin / 2 && position + labelWidth(label) / 2 <= width - sizes.margin / 2
  const gap = 2 * sizes.tick
  const periodLabels =
    x.kind === 'date' && x.interval && x.interval !== 'day'
      ? periodTicks(x.days, x.interval, place, labelWidth, gap)
      : []
  const ticks =
    periodLabels.length > 0 ? periodLabels : calendarTicks(days, place, labelWidth, gap, x.kind === 'day_offset')
  for (const tick of ticks.filter(fitsInside)) {
    appendElement(group, 'path', {
      d: `M${snapToPixel(tick.position, sizes.hairline)},${y}v${Math.round(5 * sizes.scale)}`,
      stroke: theme.frame,
      'stroke-width': sizes.hairline,
    })
    drawText(drawing, group, tick.label, tick.position, plot.bottom + round(dateLabelDrop(drawing)), {
      size: sizes.tick,
      color: theme.muted,
      anchor: 'middle',
    })
  }
}

/** Pixels from the plot's lower edge down to the baseline of the date labels. */
export const dateLabelDrop = ({ sizes }: Drawing): number => 8 * sizes.scale + sizes.tick * 0.8
