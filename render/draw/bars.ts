import { appendElement, type Drawing, type Group, round } from './drawing.ts'
import { type Coordinates, drawLine, findBaseline, type XPositions } from './marks.ts'
import { areaPath } from './path.ts'
import type { ChartSeries } from './specification.ts'
import type { StackedBand } from './stack.ts'

/** Width of a day's bars ÷ distance between days. */
export const fillRatio = 0.72

/**
 * Draws bars side by side; if too dense, several series become lines, as overlapping bars would
 * look stacked.
 */
export function drawBars(
  drawing: Drawing,
  group: Group,
  series: readonly ChartSeries[],
  coordinates: Coordinates,
): void {
  const room = coordinates.x.spacing * fillRatio
  if (series.length > 1 && room / series.length < 1.5 * drawing.sizes.scale) {
    for (const one of series) drawLine(drawing, group, one, coordinates)
    return
  }
  series.forEach((one, place) => {
    const slot =
      series.length === 1 ? undefined : { place, width: Math.floor(room / series.length), count: series.length }
    drawBarSeries(drawing, group, one, coordinates, slot)
  })
}

interface Slot {
  readonly place: number
  readonly count: number
  readonly width: number
}

/**
 * Draws all bars of a colour as one path. Days closer than three pixels (times `sizes.scale`) have
 * no gaps, which would alternate between zero and one pixel; a pixel column of several days shows
 * their extremes.
 */
function drawBarSeries(
  { sizes }: Drawing,
  group: Group,
  series: ChartSeries,
  { x, y }: Coordinates,
  slot: Slot | undefined,
): void {
  const base = Math.round(findBaseline(y))
  const rising: BarLengths = new Map()
  const falling: BarLengths = new Map()
  const dense = slot === undefined && x.spacing < 3 * sizes.scale
  const width = slot?.width ?? Math.round(x.spacing * fillRatio)
  const shift = slot ? (slot.place - slot.count / 2) * slot.width : -width / 2
  series.values.forEach((value, i) => {
    const top = y.position(value)
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
    appendElement(group, 'path', {
      class: 'series',
      'data-id': series.id,
      d: barsPath(columns, width, base, direction, dense),
      fill: color,
      'fill-opacity': series.opacity,
    })
  draw(rising, -1, series.color)
  if (falling.size > 0) draw(falling, 1, series.negativeColor ?? series.color)
}

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

/** Draws one band of stacked bars, as an area if days are closer than two pixels. */
export function drawStackedBars(
  { sizes }: Drawing,
  group: Group,
  { series, bases, tops }: StackedBand,
  { x, y }: Coordinates,
): void {
  const width = Math.round(x.spacing * fillRatio)
  const [from, to] = [bases.map(y.position), tops.map(y.position)]
  const bars = () =>
    Array.from(to, (top, i) => {
      if (!Number.isFinite(top) || top === from[i]) return ''
      return barPath(Math.round(x.positions[i]! - width / 2), width, round(from[i]!), top - from[i]!)
    }).join('')
  const dense = x.spacing < 2 * sizes.scale
  appendElement(group, 'path', {
    class: 'series',
    'data-id': series.id,
    d: dense ? areaPath(x.positions, from, to) : bars(),
    fill: series.color,
    'fill-opacity': series.opacity,
  })
}

/** Pixel column halfway between day `i` and the previous. */
export function leftColumnEdge(i: number, { positions, spacing }: XPositions): number {
  const day = positions[i] ?? positions[i - 1]! + spacing
  return Math.floor(((positions[i - 1] ?? day - spacing) + day) / 2)
}

/** Bar lengths by left edge, in pixels. */
type BarLengths = Map<number, number>

const barPath = (left: number, width: number, base: number, length: number): string =>
  `M${left},${base}v${Math.round(length * 10) / 10}h${width}v${Math.round(-length * 10) / 10}z`
