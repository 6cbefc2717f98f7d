import { type Extents, sideBeyond } from './domain.ts'
import { appendElement, type Drawing, type Group, round } from './drawing.ts'
import type { Coordinates } from './marks.ts'

/** Neighbours beyond an axis, which have a triangle where they leave it, lie farthest and return. */
interface Run {
  readonly from: number
  to: number
  peak: number
  value: number
}

/** Marks values beyond an axis at the edge of its zone. */
export function drawBeyond(
  { sizes, theme }: Drawing,
  group: Group,
  { series, highs, lows }: Extents,
  { x, y }: Coordinates,
): void {
  const size = 7 * sizes.scale
  const draw = (values: Float64Array, side: 1 | -1) => {
    const runs: Run[] = []
    values.forEach((value, i) => {
      if (sideBeyond(y.axis, y.domain, value) !== side) return
      const at = x.positions[i]!
      const last = runs.at(-1)
      if (last === undefined || at - last.to > 1.5 * size) {
        runs.push({ from: at, to: at, peak: at, value })
        return
      }
      last.to = at
      if (side * value > side * last.value) Object.assign(last, { peak: at, value })
    })
    if (runs.length === 0) return
    const [edge, inward] = side > 0 ? [y.top, 1] : [y.bottom, -1]
    const base = round(edge + inward * size)
    // Nothing joins them: a stripe along the edge would look like values there.
    const corners = runs.flatMap(({ from, peak, to }) =>
      [peak, from, to].filter((at, i) => i === 0 || Math.abs(at - peak) > 1.5 * size),
    )
    const d = corners.map(
      (at) => `M${round(at - 0.7 * size)},${base}H${round(at + 0.7 * size)}L${round(at)},${round(edge)}z`,
    )
    appendElement(group, 'path', {
      class: 'beyond',
      'data-id': series.id,
      d: d.join(''),
      fill: series.color,
      stroke: theme.background,
      'stroke-width': round(sizes.scale),
      'paint-order': 'stroke',
    })
  }
  draw(highs, 1)
  draw(lows, -1)
}
