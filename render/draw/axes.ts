import { type AxisSide, isFine, type ScaleName } from '#contract/chart-options.ts'
import { calendarTicks, periodTicks } from './calendar.ts'
import { readableColor } from './color.ts'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { snapToPixel } from './sizes.ts'
import type { AxisFormat, ChartSpecification, ValueAxis } from './specification.ts'
import { isPeriod, placedDays } from './unfinished.ts'
import { createScale, createTicks, findZeroPosition, type Tick, type ValueScale } from './value-scale.ts'

export interface AxisColumn {
  readonly side: AxisSide
  readonly scales: readonly ValueScale[]
  readonly width: number
}

/** Maximum number of labelled axes, which may take half of the width. */
export const countLabelledAxes = ({ sizes }: Drawing, width: number): number =>
  Math.max(1, Math.floor((0.5 * width) / (sizes.tick * 6.5)))

/** Puts each axis into the innermost strip of its side with a free zone. */
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
    const labelWidth = Math.max(
      0,
      ...labels.map((label) => measure(drawing, shortenTick(drawing, label), drawing.sizes.tick)),
    )
    return { ...strip, width: tickGap(drawing) + labelWidth + 2.5 * drawing.sizes.scale }
  })
}

/** Row names may be long. */
const shortenTick = (drawing: Drawing, label: string): string =>
  shorten(drawing, label, 13 * drawing.sizes.tick, drawing.sizes.tick)

const tickGap = ({ sizes }: Drawing): number => 6 * sizes.scale

/** Draws one strip's tick labels; `edge` is the pixel of its edge towards the plot. */
export function drawColumn(drawing: Drawing, parent: Group, column: AxisColumn, edge: number): void {
  const { sizes } = drawing
  const outward = column.side === 'left' ? -1 : 1
  const group = appendElement(parent, 'g', { class: `axis ${column.side}` })
  const occupied: number[] = []
  for (const scale of column.scales) {
    const color = axisColor(drawing, scale.axis)
    const ticks = appendElement(group, 'g', { class: 'ticks', 'data-id': scale.axis.id })
    for (const { position, label } of scale.ticks) {
      // Adjoining zones may share a tick on their border.
      if (occupied.some((other) => Math.abs(other - position) < sizes.tick * 1.2)) continue
      occupied.push(position)
      drawText(
        drawing,
        ticks,
        shortenTick(drawing, label),
        edge + outward * tickGap(drawing),
        position + sizes.tick * middleToBaseline,
        {
          size: sizes.tick,
          color,
          anchor: column.side === 'left' ? 'end' : 'start',
        },
      )
    }
  }
}

/** The colour legend has the title of rows of cells. */
const hasTitle = ({ axis }: ValueScale): boolean => axis.title !== '' && !axis.rows

/**
 * Height of a row for titles above the plot; 0 if no axis at its top has one, or texts are too
 * large.
 */
export const titleRowHeight = (
  { sizes }: Drawing,
  { height }: ChartSpecification,
  axes: readonly ValueAxis[],
): number =>
  height > 12 * sizes.note && axes.some(({ title, zone }) => title !== '' && zone[1] === 100) ? 1.5 * sizes.tick : 0

/**
 * Draws each axis' title above its zone, from its side's outer edge inwards, or in the zone if
 * numbers of the zone above are in the way. `rowBottom`: baseline of the row above the plot, if any;
 * `last`: text at its right edge. Returns the boxes of titles.
 */
export function drawTitles(
  drawing: Drawing,
  parent: Group,
  columns: readonly AxisColumn[],
  plot: Box,
  { left, right }: Pick<Box, 'left' | 'right'>,
  rowBottom: number | undefined,
  last: string,
): Box[] {
  const { sizes, theme } = drawing
  const boxes: Box[] = []
  const group = appendElement(parent, 'g', { class: 'axis-titles' })
  const all = columns.flatMap(({ scales }) => scales)
  const sides = new Set([...all.filter(hasTitle).map(({ axis }) => axis.side), ...(last === '' ? [] : ['right'])])
  const gap = sizes.tick
  const used = new Map<string, number>()
  const place = (side: AxisSide, row: number, text: string, name: string, color: string, inset = 0) => {
    const start = used.get(`${side} ${row}`) ?? inset
    const room = (right - left) / sides.size - gap - start
    const written = measure(drawing, text, sizes.tick) <= room ? text : shorten(drawing, name, room, sizes.tick)
    if (written.length < name.length / 2) return
    const style = { size: sizes.tick, color, halo: theme.background } as const
    if (side === 'left') drawText(drawing, group, written, left + start, row, style)
    else drawText(drawing, group, written, right - start, row, { ...style, anchor: 'end' })
    const end = start + measure(drawing, written, sizes.tick)
    used.set(`${side} ${row}`, end + gap)
    const [from, to] = side === 'left' ? [left + start, left + end] : [right - end, right - start]
    boxes.push({ left: from, right: to, top: row - sizes.tick, bottom: row + 0.3 * sizes.tick })
  }
  if (rowBottom !== undefined) place('right', rowBottom, last, last, theme.muted)
  for (const { side, scales } of [...columns].reverse()) {
    for (const scale of scales.filter(hasTitle)) {
      const { axis } = scale
      const isAtTop = scale.top <= plot.top
      // An axis' lowest number may reach half its size below the axis.
      const isInWay = (other: ValueScale) =>
        other.top < scale.top && other.bottom > scale.top - sizes.tick * (other.axis.side === side ? 2 : 1.42)
      const isInside = !isAtTop && all.some(isInWay)
      const isShared = all.some((other) => other.top < scale.top && other.bottom > scale.top + 1)
      if (isInside && (isShared || scale.bottom - scale.top < 3 * sizes.tick)) continue
      const row = isAtTop ? rowBottom : scale.top + (isInside ? 1.1 : -0.85) * sizes.tick
      const inset = (side === 'left' ? plot.left - left : right - plot.right) + sizes.tick / 2
      const name = axis.title.replace(/ \([^()]*\)$/, '')
      if (row !== undefined) place(side, row, axis.title, name, axisColor(drawing, axis), isInside ? inset : 0)
    }
  }
  return boxes
}

const axisColor = ({ theme }: Drawing, { color }: ValueAxis): string =>
  color === undefined ? theme.muted : readableColor(color, theme.background)

/** Draws horizontal hairlines at the ticks, a darker one at zero if the domain spans it. */
export function drawGrid({ sizes, theme }: Drawing, parent: Group, scale: ValueScale, plot: Box): void {
  if (scale.axis.rows) return
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

/**
 * Draws the baseline with labels of dates or prices (bins), except those within half a margin of
 * the picture's edge.
 */
export function drawDateAxis(
  drawing: Drawing,
  parent: Group,
  { x, width, series }: ChartSpecification,
  plot: Box,
  place: (day: number) => number,
): void {
  const { sizes, theme } = drawing
  // The newest cycle, whose dates these are, has no values later: the other cycles do not forecast it.
  const newest = series.find(({ cycleStart }) => x.kind === 'day_offset' && cycleStart === x.firstDay)
  const today = newest && place(x.days[newest.values.findLastIndex(Number.isFinite)] ?? 0)
  const group = appendElement(parent, 'g', { class: 'axis bottom' })
  const y = snapToPixel(plot.bottom, sizes.hairline)
  drawHorizontal(group, plot, y, sizes.hairline, theme.frame)
  const labelWidth = (label: string) => measure(drawing, label, sizes.tick)
  const days: [number, number] = [x.days[0] ?? 0, x.days.at(-1) ?? 0]
  const fitsInside = ({ position, label }: Tick) =>
    position - labelWidth(label) / 2 >= sizes.margin / 2 && position + labelWidth(label) / 2 <= width - sizes.margin / 2
  const gap = 2 * sizes.tick
  const periodLabels =
    x.kind === 'date' && isPeriod(x.interval) ? periodTicks(placedDays(x), x.interval, place, labelWidth, gap) : []
  const ticks =
    x.kind === 'bins'
      ? numberTicks(x.scale, 'currency', [x.edges[0]!, x.edges.at(-1)!], plot, sizes.tick)
      : x.kind === 'day_offset' && x.countsDays
        ? numberTicks('linear', 'number', [0, days[1] - x.firstDay], plot, sizes.tick)
        : periodLabels.length > 0
          ? periodLabels
          : calendarTicks(
              days,
              place,
              labelWidth,
              gap,
              x.kind === 'day_offset',
              x.kind === 'date' && isFine(x.interval ?? 'day'),
            )
  for (const tick of ticks.filter(fitsInside)) {
    appendElement(group, 'path', {
      d: `M${snapToPixel(tick.position, sizes.hairline)},${y}v${Math.round(5 * sizes.scale)}`,
      stroke: theme.frame,
      'stroke-width': sizes.hairline,
    })
    drawText(drawing, group, tick.label, tick.position, plot.bottom + round(dateLabelDrop(drawing)), {
      size: sizes.tick,
      color: today !== undefined && tick.position > today ? theme.frame : theme.muted,
      anchor: 'middle',
    })
  }
}

function numberTicks(
  scale: ScaleName,
  format: AxisFormat,
  domain: readonly [number, number],
  { left, right }: Box,
  fontSize: number,
): readonly Tick[] {
  return createTicks({ scale, format }, createScale(scale, domain, [left, right]), fontSize).ticks
}

/** Pixels from the plot's lower edge to the baseline of date labels. */
export const dateLabelDrop = ({ sizes }: Drawing): number => 8 * sizes.scale + sizes.tick * 0.8
