import type { Box, Drawing, Group } from './drawing.ts'
import { drawText, measure, shorten } from './drawing.ts'
import type { XPlace } from './marks.ts'
import { areaEdge, levels } from './marks.ts'
import type { ChartSpecification } from './specification.ts'
import { readable } from './theme.ts'
import type { ValueScale } from './value-scale.ts'

interface Place extends Box {
  /** Baseline of the text. */
  y: number
}

/** Parts of the way from the plot's left to its right edge at which a label may stand, in order of preference. */
const stations = [1, 0, 0.75, 0.5, 0.25, 0.875, 0.625, 0.375, 0.125]

/**
 * Writes the labels of reference lines and areas inside the plot: where they cover no other label, and of such places
 * where they cover the fewest data points. A label that has no place is left out.
 */
export function drawReferenceLabels(
  drawing: Drawing,
  parent: Group,
  specification: ChartSpecification,
  scales: Map<string, ValueScale>,
  x: XPlace,
  plot: Box,
): void {
  const { sizes, theme } = drawing
  const group = parent.append<SVGElement>('g').attr('class', 'reference-labels')
  const taken: Box[] = []
  const dots = dataPoints(specification, scales, x)
  const write = (label: string, color: string, places: (width: number) => Place[]) => {
    const short = shorten(drawing, label, (plot.right - plot.left) * 0.45, sizes.tick)
    if (short === '') return
    const free = places(measure(drawing, short, sizes.tick)).filter((place) => !taken.some((box) => meet(place, box)))
    const crowding = free.map((place) => dots.filter(([left, top]) => holds(place, left, top)).length)
    const best = free[crowding.indexOf(Math.min(...crowding))]
    if (best === undefined) return
    taken.push(best)
    const style = { size: sizes.tick, color: readable(color, theme.background), halo: theme.background }
    drawText(drawing, group, short, best.left, best.y, style)
  }
  for (const line of specification.referenceLines) {
    const scale = scales.get(line.axisId)!
    const heights = levels(line.y, x).map(scale.position)
    write(line.label, line.stroke, (width) => [
      ...placesAt(drawing, plot, scale, x, heights, width, -0.45),
      ...placesAt(drawing, plot, scale, x, heights, width, 1.05),
    ])
  }
  for (const area of specification.referenceAreas) {
    const scale = scales.get(area.axisId)!
    const one = areaEdge(area.y1, x, scale)
    const other = areaEdge(area.y2, x, scale)
    const tops = one.map((y, i) => Math.min(y, other[i]!))
    // A label stands inside its area, so there must be height for it.
    const deep = tops.map((top, i) => (Math.max(one[i]!, other[i]!) - top > 1.2 * sizes.tick ? top : Number.NaN))
    write(area.label, area.fill, (width) => placesAt(drawing, plot, scale, x, deep, width, 1.05))
  }
}

/** Places whose baseline is `drop` font sizes below `heights`, inside the zone. */
function placesAt(
  { sizes }: Drawing,
  plot: Box,
  scale: ValueScale,
  x: XPlace,
  heights: Float64Array,
  width: number,
  drop: number,
): Place[] {
  const inset = 6 * sizes.scale
  const room = plot.right - plot.left - 2 * inset - width
  const places: Place[] = []
  for (const station of stations) {
    const left = plot.left + inset + room * station
    const height = heights[nearest(x.positions, left + width / 2)]
    if (height === undefined || !(height >= scale.top && height <= scale.bottom)) continue
    const y = height + drop * sizes.tick
    const place = { left, right: left + width, top: y - 0.8 * sizes.tick, bottom: y + 0.25 * sizes.tick, y }
    if (place.top >= scale.top && place.bottom <= scale.bottom) places.push(place)
  }
  return places
}

function nearest(positions: Float64Array, target: number): number {
  let best = 0
  positions.forEach((position, i) => {
    if (Math.abs(position - target) < Math.abs(positions[best]! - target)) best = i
  })
  return best
}

function dataPoints({ series }: ChartSpecification, scales: Map<string, ValueScale>, x: XPlace): [number, number][] {
  const points: [number, number][] = []
  for (const { values, axisId } of series) {
    const { position } = scales.get(axisId)!
    values.forEach((value, i) => {
      if (Number.isFinite(value)) points.push([x.positions[i]!, position(value)])
    })
  }
  return points
}

function holds({ left, right, top, bottom }: Box, x: number, y: number): boolean {
  return x >= left && x <= right && y >= top && y <= bottom
}

function meet(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
