import type { Drawing, Group } from './drawing.ts'
import { round } from './drawing.ts'
import { scaleDash } from './legend.ts'
import { areaPath, linePath, meanPath } from './path.ts'
import type { ChartSeries, ReferenceArea, ReferenceLine } from './specification.ts'
import type { StackedBand } from './stack.ts'
import type { ValueScale } from './value-scale.ts'

/** The pixel of every entry of the columns, the plot's edges or, where entries lie beyond them, theirs, and the least distance of two entries. */
export interface XPositions {
  readonly positions: Float64Array
  readonly left: number
  readonly right: number
  readonly spacing: number
}

/** Fills the room below the line of an area. */
export function drawFill(group: Group, series: ChartSeries, x: XPositions, scale: ValueScale, opacity: number): void {
  const tops = series.values.map(scale.position)
  group
    .append('path')
    .attr('d', areaPath(x.positions, new Float64Array(tops.length).fill(findBaseline(scale)), tops))
    .attr('fill', series.color)
    .attr('fill-opacity', round(opacity * series.opacity))
}

export function drawBand(drawing: Drawing, group: Group, band: StackedBand, x: XPositions, scale: ValueScale): void {
  const [bases, tops] = [band.bases.map(scale.position), band.tops.map(scale.position)]
  const width = round(0.5 * drawing.sizes.scale)
  group
    .append('path')
    .attr('class', 'series')
    .attr('data-id', band.series.id)
    .attr('d', areaPath(x.positions, bases, tops))
    .attr('fill', band.series.color)
    .attr('fill-opacity', band.series.opacity)
    .attr('stroke', band.series.color)
    .attr('stroke-width', width)
    .attr('stroke-opacity', band.series.opacity)
  // Along every day, or around the whole band, a seam would cover a thin one that jumps from day to day.
  group
    .append('path')
    .attr('class', 'seam')
    .attr('d', meanPath(x.positions, bases))
    .attr('fill', 'none')
    .attr('stroke', drawing.theme.background)
    .attr('stroke-width', width)
    .attr('stroke-opacity', 0.6)
}

export function drawReferenceLine(
  { sizes }: Drawing,
  group: Group,
  line: ReferenceLine,
  x: XPositions,
  scale: ValueScale,
): void {
  const path = group
    .append('path')
    .attr('class', 'reference-line')
    .attr(
      'd',
      typeof line.y === 'number'
        ? horizontalPath(x, scale.position(line.y))
        : linePath(x.positions, line.y.map(scale.position)),
    )
    .attr('fill', 'none')
    .attr('stroke', line.stroke)
    .attr('stroke-width', round(1.2 * sizes.scale))
  if (line.dash !== undefined) path.attr('stroke-dasharray', scaleDash(line.dash, sizes.scale))
}

export function drawReferenceArea(group: Group, area: ReferenceArea, x: XPositions, scale: ValueScale): void {
  group
    .append('path')
    .attr('class', 'reference-area')
    .attr('d', areaBetween(area, x, scale))
    .attr('fill', area.fill)
    .attr('fill-opacity', area.opacity)
}

function areaBetween({ y1, y2 }: ReferenceArea, x: XPositions, scale: ValueScale): string {
  const [one, other] = [areaEdge(y1, x, scale), areaEdge(y2, x, scale)]
  if (typeof y1 !== 'number' || typeof y2 !== 'number' || one.length === 0) return areaPath(x.positions, one, other)
  return `${horizontalPath(x, one[0]!)}V${round(other[0]!)}H${x.left}z`
}

function horizontalPath({ left, right }: XPositions, y: number): string {
  return Number.isFinite(y) ? `M${left},${round(y)}H${right}` : ''
}

/** Pixels of one edge of a reference area, within its zone: such an edge may lie far beyond the axis. */
export function areaEdge(y: number | Float64Array, x: XPositions, scale: ValueScale): Float64Array {
  return toColumn(y, x).map((value) => {
    if (scale.axis.scale === 'log' && value <= 0) return scale.bottom
    return Math.min(scale.bottom, Math.max(scale.top, scale.position(value)))
  })
}

/** One level repeated for every day, or the column itself. */
export function toColumn(y: number | Float64Array, x: XPositions): Float64Array {
  return typeof y === 'number' ? new Float64Array(x.positions.length).fill(y) : y
}

/** Draws the line of a series; one that consists of a single day as a dot. */
export function drawLine(drawing: Drawing, group: Group, series: ChartSeries, x: XPositions, scale: ValueScale): void {
  const { sizes } = drawing
  const tops = series.values.map(scale.position)
  const only = singleIndex(tops)
  if (only !== undefined) drawDot(drawing, group, series, x.positions[only]!, tops[only]!)
  const d = linePath(x.positions, tops)
  if (drawing.cased) drawCasing(drawing, group, d, series)
  const path = group
    .append('path')
    .attr('class', 'series')
    .attr('data-id', series.id)
    .attr('d', d)
    .attr('fill', 'none')
    .attr('stroke', series.color)
    .attr('stroke-width', round(series.lineWidth * sizes.scale))
    .attr('stroke-opacity', series.opacity)
    .attr('stroke-linejoin', 'round')
  // Round ends show a day between two gaps as a dot; on dashes they would fill the gaps.
  if (series.dash === undefined) path.attr('stroke-linecap', 'round')
  else path.attr('stroke-dasharray', scaleDash(series.dash, sizes.scale))
}

/** The entry of the only place in a column; undefined where there are several, or none. */
function singleIndex(places: Float64Array): number | undefined {
  const first = places.findIndex(Number.isFinite)
  return first >= 0 && first === places.findLastIndex(Number.isFinite) ? first : undefined
}

function drawDot({ sizes }: Drawing, group: Group, { color, opacity }: ChartSeries, x: number, y: number): void {
  group
    .append('circle')
    .attr('class', 'dot')
    .attr('cx', round(x))
    .attr('cy', round(y))
    .attr('r', round(4 * sizes.scale))
    .attr('fill', color)
    .attr('fill-opacity', opacity)
}

/** A seam in the background's colour keeps a line apart from the colours that it runs over. */
function drawCasing({ sizes, theme }: Drawing, group: Group, d: string, { lineWidth, dash }: ChartSeries): void {
  const path = group
    .append('path')
    .attr('d', d)
    .attr('fill', 'none')
    .attr('stroke', theme.background)
    .attr('stroke-width', round((lineWidth + 2.2) * sizes.scale))
    .attr('stroke-opacity', 0.8)
    .attr('stroke-linejoin', 'round')
  // Under dashes a whole seam would look like a railway.
  if (dash !== undefined) path.attr('stroke-dasharray', scaleDash(dash, sizes.scale))
}

/** Where bars and areas stand: on zero, or on the end of the axis that is nearest to it. */
export function findBaseline({ axis, domain, bottom, position }: ValueScale): number {
  return axis.scale === 'log' ? bottom : position(Math.min(domain[1], Math.max(domain[0], 0)))
}
