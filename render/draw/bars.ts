import { type Drawing, type Group, round } from './drawing.ts'
import { drawLine, findBaseline, type XPositions } from './marks.ts'
import { areaPath } from './path.ts'
import type { ChartSeries } from './specification.ts'
import type { StackedBand } from './stack.ts'
import type { ValueScale } from './value-scale.ts'

/** The part of a day's room that its bars fill. */
const fillRatio = 0.72

/**
 * Draws the bars of one axis that are not stacked: those of a day side by side. Where days are too close for that, bars of
 * several series would cover each other and look stacked, so lines take their place.
 */
export function drawBars(
  drawing: Drawing,
  group: Group,
  series: readonly ChartSeries[],
  x: XPositions,
  scale: ValueScale,
): void {
  const room = x.spacing * fillRatio
  if (series.length > 1 && room / series.length < 1.5 * drawing.sizes.scale) {
    for (const one of series) drawLine(drawing, group, one, x, scale)
    return
  }
  series.forEach((one, place) => {
    const slot =
      series.length === 1 ? undefined : { place, width: Math.floor(room / series.length), count: series.length }
    drawBarSeries(drawing, group, one, x, scale, slot)
  })
}

interface Slot {
  readonly place: number
  readonly count: number
  readonly width: number
}

/**
 * One path for all bars of a colour. Days closer than three pixels (in a picture of double size six) stand without gaps,
 * which would be of none or one pixel in turn, and where several share a pixel column it shows their extremes.
 */
function drawBarSeries(
  { sizes }: Drawing,
  group: Group,
  series: ChartSeries,
  x: XPositions,
  scale: ValueScale,
  slot: Slot | undefined,
): void {
  const base = Math.round(findBaseline(scale))
  const rising: BarLengths = new Map()
  const falling: BarLengths = new Map()
  const dense = slot === undefined && x.spacing < 3 * sizes.scale
  const width = slot?.width ?? Math.round(x.spacing * fillRatio)
  const shift = slot ? (slot.place - slot.count / 2) * slot.width : -width / 2
  series.values.forEach((value, i) => {
    const top = scale.position(value)
    if (!Number.isFinite(top) || value === 0) return
    const left = dense ? leftColumnEdge(i, x) : Math.round(x.positions[i]! + shift)
    const end = dense ? Math.max(left + 1, leftColumnEdge(i + 1, x)) : left + 1
    const columns = top <= base ? rising : falling
    const length = Math.abs(top - base)
    for (let column = left; column < end; column++) {
      if (length > (columns.get(column) ?? 0)) columns.set(column, length)
    }
  })
  const draw = (columns: BarLengths, direction: 1 | -1, color: string) =>
    group
      .append('path')
      .attr('class', 'series')
      .attr('data-id', series.id)
      .attr('d', barsPath(columns, width, base, direction, dense))
      .attr('fill', color)
      .attr('fill-opacity', series.opacity)
  draw(rising, -1, series.color)
  if (falling.size > 0) draw(falling, 1, series.negativeColor ?? series.color)
}

/** All bars as one path; with `joined`, pixel columns beside each other that are equally long become one bar. */
function barsPath(bars: BarLengths, width: number, base: number, direction: 1 | -1, joined: boolean): string {
  if (!joined) return [...bars].map(([left, length]) => barPath(left, width, base, direction * length)).join('')
  let path = ''
  let start = 0
  for (const [column, length] of bars) {
    if (bars.get(column - 1) !== length) start = column
    if (bars.get(column + 1) !== length) path += barPath(start, column + 1 - start, base, direction * length)
  }
  return path
}

/** One band of stacked bars; where days are closer than two pixels a band of the whole width. */
export function drawStackedBars(
  { sizes }: Drawing,
  group: Group,
  { series, bases, tops }: StackedBand,
  x: XPositions,
  scale: ValueScale,
): void {
  const width = Math.round(x.spacing * fillRatio)
  const [from, to] = [bases.map(scale.position), tops.map(scale.position)]
  const bars = () =>
    Array.from(to, (top, i) => {
      if (!Number.isFinite(top) || top === from[i]) return ''
      return barPath(Math.round(x.positions[i]! - width / 2), width, round(from[i]!), top - from[i]!)
    }).join('')
  const dense = x.spacing < 2 * sizes.scale
  group
    .append('path')
    .attr('class', 'series')
    .attr('data-id', series.id)
    .attr('d', dense ? areaPath(x.positions, from, to) : bars())
    .attr('fill', series.color)
    .attr('fill-opacity', series.opacity)
}

/** The pixel column that begins half way from the day before to day `i`. */
function leftColumnEdge(i: number, { positions, spacing }: XPositions): number {
  const day = positions[i] ?? positions[i - 1]! + spacing
  return Math.floor(((positions[i - 1] ?? day - spacing) + day) / 2)
}

/** Length of each bar by its left edge, in pixels. */
type BarLengths = Map<number, number>

function barPath(left: number, width: number, base: number, length: number): string {
  return `M${left},${base}v${Math.round(length * 10) / 10}h${width}v${Math.round(-length * 10) / 10}z`
}
