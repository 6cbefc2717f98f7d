import type { ColorRange } from './color-range.ts'
import { appendElement, type Drawing, type Group, round } from './drawing.ts'
import { scaleDash } from './legend.ts'
import { areaPath, linePath, meanPath, pointsPath, stepPath } from './path.ts'
import type { ChartSeries, ReferenceArea, ReferenceLine } from './specification.ts'
import type { StackedBand } from './stack.ts'
import type { ValueScale } from './value-scale.ts'

export interface Coordinates {
  readonly x: XPositions
  readonly y: ValueScale
}

/** Pixels of all entries, and the plot's edges. */
export interface XPositions {
  readonly positions: Float64Array
  readonly left: number
  readonly right: number
  readonly spacing: number
}

export function drawFill(group: Group, series: ChartSeries, { x, y }: Coordinates, opacity: number): void {
  const tops = series.values.map(y.position)
  appendElement(group, 'path', {
    d: areaPath(x.positions, new Float64Array(tops.length).fill(findBaseline(y)), tops),
    fill: series.color,
    'fill-opacity': round(opacity * series.opacity),
  })
}

export function drawBand(drawing: Drawing, group: Group, band: StackedBand, { x, y }: Coordinates): void {
  const [bases, tops] = [band.bases.map(y.position), band.tops.map(y.position)]
  const width = round(0.5 * drawing.sizes.scale)
  appendElement(group, 'path', {
    class: 'series',
    'data-id': band.series.id,
    d: areaPath(x.positions, bases, tops),
    fill: band.series.color,
    'fill-opacity': band.series.opacity,
    stroke: band.series.color,
    'stroke-width': width,
    'stroke-opacity': band.series.opacity,
  })
  // The seam follows pixel means: along every day it would cover thin bands that jump daily.
  appendElement(group, 'path', {
    class: 'seam',
    d: meanPath(x.positions, bases),
    fill: 'none',
    stroke: drawing.theme.background,
    'stroke-width': width,
    'stroke-opacity': 0.6,
  })
}

export function drawReferenceLine({ sizes }: Drawing, group: Group, line: ReferenceLine, { x, y }: Coordinates): void {
  appendElement(group, 'path', {
    class: 'reference-line',
    d:
      typeof line.y === 'number'
        ? horizontalPath(x, y.position(line.y))
        : linePath(x.positions, line.y.map(y.position)),
    fill: 'none',
    stroke: line.stroke,
    'stroke-width': round(1.2 * sizes.scale),
    'stroke-dasharray': scaleDash(line.dash, sizes.scale),
  })
}

export function drawReferenceArea(group: Group, area: ReferenceArea, coordinates: Coordinates): void {
  appendElement(group, 'path', {
    class: 'reference-area',
    d: areaBetween(area, coordinates),
    fill: area.fill,
    'fill-opacity': area.opacity,
  })
}

function areaBetween({ y1, y2 }: ReferenceArea, { x, y }: Coordinates): string {
  const [one, other] = [areaEdge(y1, x, y), areaEdge(y2, x, y)]
  if (typeof y1 !== 'number' || typeof y2 !== 'number' || one.length === 0) return areaPath(x.positions, one, other)
  return `${horizontalPath(x, one[0]!)}V${round(other[0]!)}H${x.left}z`
}

const horizontalPath = ({ left, right }: XPositions, y: number): string =>
  Number.isFinite(y) ? `M${left},${round(y)}H${right}` : ''

/** Pixels of a reference area's edge, clamped to its axis' zone. */
export const areaEdge = (y: number | Float64Array, x: XPositions, scale: ValueScale): Float64Array =>
  toColumn(y, x).map((value) => {
    if (scale.axis.scale === 'log' && value <= 0) return scale.bottom
    return Math.min(scale.bottom, Math.max(scale.top, scale.position(value)))
  })

export const toColumn = (y: number | Float64Array, x: XPositions): Float64Array =>
  typeof y === 'number' ? new Float64Array(x.positions.length).fill(y) : y

/** With `colorBy`, each piece has the colour of its end. */
export function drawLine(
  drawing: Drawing,
  group: Group,
  series: ChartSeries,
  { x, y }: Coordinates,
  colors?: ColorRange,
): void {
  const { sizes } = drawing
  const tops = series.values.map(y.position)
  const only = singleIndex(tops)
  if (only !== undefined) drawDot(drawing, group, series, x.positions[only]!, tops[only]!)
  if (series.style === 'points') return void drawPoints(drawing, group, series, x.positions, tops)
  const toPath = series.style === 'step' ? stepPath : linePath
  if (drawing.cased) drawCasing(drawing, group, toPath(x.positions, tops), series)
  const look = {
    class: 'series',
    'data-id': series.id,
    fill: 'none',
    'stroke-width': round(series.lineWidth * sizes.scale),
    'stroke-opacity': series.opacity,
    'stroke-linejoin': 'round',
    // Round caps show a day between gaps as a dot; on dashes they would fill the gaps.
    'stroke-linecap': series.dash === undefined ? 'round' : undefined,
    'stroke-dasharray': scaleDash(series.dash, sizes.scale),
  }
  const { colorBy } = series
  if (!colorBy || !colors) {
    appendElement(group, 'path', { ...look, d: toPath(x.positions, tops), stroke: series.color })
    return
  }
  const colorAt = (i: number) =>
    Number.isFinite(colorBy.values[i]) ? colors.color(colorBy.values[i]!) : drawing.theme.muted
  const paths = new Map<string, string>()
  for (let start = 1; start < tops.length; ) {
    const color = colorAt(start)
    let end = start + 1
    while (end < tops.length && colorAt(end) === color) end++
    const piece = toPath(x.positions.subarray(start - 1, end), tops.subarray(start - 1, end))
    paths.set(color, (paths.get(color) ?? '') + piece)
    start = end
  }
  for (const [stroke, d] of paths) appendElement(group, 'path', { ...look, d, stroke })
}

/** Index of a column's only finite value, otherwise undefined. */
function singleIndex(places: Float64Array): number | undefined {
  const first = places.findIndex(Number.isFinite)
  return first >= 0 && first === places.findLastIndex(Number.isFinite) ? first : undefined
}

function drawDot({ sizes }: Drawing, group: Group, { color, opacity }: ChartSeries, x: number, y: number): void {
  appendElement(group, 'circle', {
    class: 'dot',
    cx: round(x),
    cy: round(y),
    r: round(4 * sizes.scale),
    fill: color,
    'fill-opacity': opacity,
  })
}

function drawPoints(
  { sizes, theme, cased }: Drawing,
  group: Group,
  { id, color, opacity, lineWidth }: ChartSeries,
  xs: Float64Array,
  ys: Float64Array,
): void {
  const radius = 1.3 * lineWidth * sizes.scale
  appendElement(group, 'path', {
    class: 'series',
    'data-id': id,
    d: pointsPath(xs, ys, round(radius)),
    fill: color,
    'fill-opacity': opacity,
    ...(cased && { stroke: theme.background, 'stroke-width': round(sizes.scale), 'paint-order': 'stroke' }),
  })
}

/** Draws a wider line in the background's colour to set the series off from fills. */
function drawCasing({ sizes, theme }: Drawing, group: Group, d: string, { lineWidth, dash }: ChartSeries): void {
  appendElement(group, 'path', {
    d,
    fill: 'none',
    stroke: theme.background,
    'stroke-width': round((lineWidth + 2.2) * sizes.scale),
    'stroke-opacity': 0.8,
    'stroke-linejoin': 'round',
    // A solid casing under dashes would look like a railway.
    'stroke-dasharray': scaleDash(dash, sizes.scale),
  })
}

/** Pixel of the baseline of bars and areas: zero, or the axis' end nearest to it. */
export const findBaseline = ({ axis, domain, bottom, position }: ValueScale): number =>
  axis.scale === 'log' ? bottom : position(Math.min(domain[1], Math.max(domain[0], 0)))
