import { bisectCenter, range } from 'd3-array'
import { mixColors, readableColor } from './color.ts'
import { type LabelBox, listCycleLabels } from './cycle-labels.ts'
import { appendElement, type Box, type Drawing, drawText, type Group, measure, shorten } from './drawing.ts'
import { areaEdge, toColumn, type XPositions } from './marks.ts'
import type { ChartSpecification } from './specification.ts'
import { findZeroPosition, type ValueScale } from './value-scale.ts'

type Point = [x: number, y: number]

/** Candidate label positions across the plot (0 left, 1 right), by preference. */
const preferredPositions = [1, 0, 0.75, 0.5, 0.25, 0.875, 0.625, 0.375, 0.125].concat(
  Array.from({ length: 16 }, (_, i) => (2 * i + 1) / 32),
)

/** Label baselines in font sizes below a line. */
const [above, below] = [-0.45, 1.05]

/**
 * Draws labels of reference lines and areas inside the plot, without overlap, where they cover the
 * fewest points of series, reference lines, zero lines and lines at `verticals` (pixels), and no
 * titles. Omits labels without a position. Cycles have theirs next to their ends.
 */
export function drawReferenceLabels(
  drawing: Drawing,
  parent: Group,
  specification: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  x: XPositions,
  plot: Box,
  verticals: readonly number[],
  titles: readonly Box[],
): void {
  const { referenceLines, referenceAreas } = specification
  const isCycles = specification.x.kind === 'day_offset'
  if (!isCycles && [...referenceLines, ...referenceAreas].every(({ label }) => label === '')) return
  const { sizes, theme } = drawing
  const group = appendElement(parent, 'g', { class: 'reference-labels' })
  const placed = [...titles]
  const inset = 6 * sizes.scale
  const obstacles = [
    ...listObstacles(specification, scales, x),
    ...verticals.flatMap((at) => range(plot.top, plot.bottom, 4).map((y): Point => [at, y])),
  ]
  const placeLabel = (label: string, color: string, ground: string, places: (width: number) => LabelBox[]) => {
    const short = shorten(drawing, label, (plot.right - plot.left) * 0.45, sizes.tick)
    if (short === '') return
    const free = places(measure(drawing, short, sizes.tick)).filter(
      (place) => !placed.some((box) => overlaps(place, box)),
    )
    const crowding = free.map((place) => obstacles.filter(([left, top]) => contains(place, left, top)).length)
    const best = free[crowding.indexOf(Math.min(...crowding))]
    if (best === undefined) return
    placed.push(best)
    const style = { size: sizes.tick, color: readableColor(color, ground), halo: ground }
    drawText(drawing, group, short, best.left, best.y, style)
  }
  /** Boxes inside the zone, above and below heights, at preferred positions. */
  const candidates =
    ({ top, bottom }: ValueScale, ...edges: readonly (readonly [heights: Float64Array, drop: number])[]) =>
    (width: number): LabelBox[] =>
      edges.flatMap(([heights, drop]) =>
        preferredPositions.flatMap((station) => {
          const left = plot.left + inset + (plot.right - plot.left - 2 * inset - width) * station
          const height = heights[bisectCenter(x.positions, left + width / 2)]
          if (height === undefined || !(height >= top && height <= bottom)) return []
          const y = height + drop * sizes.tick
          const place = { left, right: left + width, top: y - 0.8 * sizes.tick, bottom: y + 0.25 * sizes.tick, y }
          return place.top >= top && place.bottom <= bottom ? [place] : []
        }),
      )
  if (isCycles) {
    for (const { text, color, places } of listCycleLabels(drawing, specification, scales, x))
      placeLabel(text, color, theme.background, places)
  }
  for (const line of referenceLines) {
    const scale = scales.get(line.axisId)!
    const heights = toColumn(line.y, x).map(scale.position)
    placeLabel(line.label, line.stroke, theme.background, candidates(scale, [heights, above], [heights, below]))
  }
  for (const area of referenceAreas) {
    const scale = scales.get(area.axisId)!
    const one = areaEdge(area.y1, x, scale)
    const other = areaEdge(area.y2, x, scale)
    const tallEnough = one.map((y, i) => (Math.abs(y - other[i]!) > 1.2 * sizes.tick ? y : Number.NaN))
    const tops = tallEnough.map((y, i) => Math.min(y, other[i]!))
    const bottoms = tallEnough.map((y, i) => Math.max(y, other[i]!))
    const ground = mixColors(theme.background, area.fill, area.opacity)
    placeLabel(area.label, area.fill, ground, candidates(scale, [tops, below], [bottoms, above]))
  }
}

function listObstacles(
  { series, referenceLines }: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  x: XPositions,
): Point[] {
  const points: Point[] = []
  const add = (y: number | Float64Array, { position }: ValueScale) => {
    if (typeof y === 'number') points.push(...range(x.left, x.right, 4).map((at): Point => [at, position(y)]))
    else points.push(...sampleLine(x.positions, y.map(position)))
  }
  for (const { values, axisId } of series) add(values, scales.get(axisId)!)
  for (const { y, axisId } of referenceLines) add(y, scales.get(axisId)!)
  for (const scale of scales.values()) if (findZeroPosition(scale) !== undefined) add(0, scale)
  return points
}

/** Points of a line, with interpolated ones at most four pixels apart. */
function sampleLine(xs: Float64Array, ys: Float64Array): Point[] {
  const points: Point[] = []
  ys.forEach((y, i) => {
    if (!Number.isFinite(y)) return
    const [from, to] = [xs[i]!, xs[i + 1] ?? xs[i]!]
    const next = ys[i + 1] ?? y
    points.push([from, y])
    if (Number.isFinite(next)) {
      for (let at = from + 4; at < to; at += 4) points.push([at, y + ((next - y) * (at - from)) / (to - from)])
    }
  })
  return points
}

const contains = ({ left, right, top, bottom }: Box, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
