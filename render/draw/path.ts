import { type CurveFactory, curveLinear, curveStepAfter, line } from 'd3-shape'

/**
 * SVG path data with 0.1 pixel precision, thinned to what pixels can show, which D3 does not do.
 * Non-finite entries leave a gap.
 */

/** An entry between two gaps is a point, which round line caps show as a dot. */
export const linePath = (xs: Float64Array, ys: Float64Array, curve: CurveFactory = curveLinear): string =>
  line<number>()
    .defined((i) => Number.isFinite(ys[i]))
    .x((i) => xs[i]!)
    .y((i) => ys[i]!)
    .curve(curve)
    .digits(1)(thinLine(xs, ys)) ?? ''

/** Keeps each value until the next entry. */
export const stepPath = (xs: Float64Array, ys: Float64Array): string => linePath(xs, ys, curveStepAfter)

/** A circle at each entry. */
export function pointsPath(xs: Float64Array, ys: Float64Array, radius: number): string {
  const arc = (side: 1 | -1) => `a${radius},${radius} 0 1 0 ${side * 2 * radius},0`
  const circle = (y: number, i: number) => `M${roundTenths(xs[i]! - radius)},${roundTenths(y)}${arc(1)}${arc(-1)}z`
  return Array.from(ys, (y, i) => (Number.isFinite(y) ? circle(y, i) : '')).join('')
}

const roundTenths = (pixels: number): number => Math.round(pixels * 10) / 10

/** Mean of each pixel column. `xs` ascend. */
export function meanPath(xs: Float64Array, ys: Float64Array): string {
  const means: { x: number[]; y: number[] } = { x: [], y: [] }
  let start = 0
  while (start < xs.length) {
    const pixel = Math.floor(xs[start]!)
    let [end, x, y, count] = [start, 0, 0, 0]
    for (; end < xs.length && Math.floor(xs[end]!) === pixel; end++) {
      if (!Number.isFinite(ys[end])) continue
      x += xs[end]!
      y += ys[end]!
      count++
    }
    means.x.push(count > 0 ? x / count : xs[start]!)
    means.y.push(y / count)
    start = end
  }
  return linePath(Float64Array.from(means.x), Float64Array.from(means.y))
}

/**
 * Areas along the tops and back along the bases. Each edge is thinned by itself; D3's area would
 * need the entries of both.
 */
export function areaPath(xs: Float64Array, bases: Float64Array, tops: Float64Array): string {
  const isDrawn = (i: number) => Number.isFinite(tops[i]) && Number.isFinite(bases[i])
  let path = ''
  let start = 0
  while (start < xs.length) {
    let end = start
    while (end < xs.length && isDrawn(end)) end++
    if (end > start) {
      const x = xs.subarray(start, end)
      const top = tops.subarray(start, end)
      const base = bases.subarray(start, end)
      path += `M${points(x, top, thinLine(x, top))}L${points(x, base, thinLine(x, base).reverse())}Z`
    }
    start = end + 1
  }
  return path
}

const points = (xs: Float64Array, ys: Float64Array, entries: readonly number[]): string =>
  entries.map((i) => `${roundTenths(xs[i]!)},${roundTenths(ys[i]!)}`).join('L')

/**
 * M4 aggregation: indices of the first, lowest, highest and last entry of each pixel column, with
 * which a line looks the same, and one entry per gap. `xs` and `ys` are pixels; `xs` and indices
 * ascend.
 */
function thinLine(xs: Float64Array, ys: Float64Array): number[] {
  const indices: number[] = []
  let start = 0
  while (start < ys.length) {
    let end = start + 1
    if (!Number.isFinite(ys[start]!)) {
      while (end < ys.length && !Number.isFinite(ys[end]!)) end++
      indices.push(start)
    } else {
      let [lowest, highest] = [start, start]
      const pixel = Math.floor(xs[start]!)
      while (end < ys.length && Number.isFinite(ys[end]!) && Math.floor(xs[end]!) === pixel) {
        if (ys[end]! < ys[lowest]!) lowest = end
        if (ys[end]! > ys[highest]!) highest = end
        end++
      }
      const [earlier, later] = lowest < highest ? [lowest, highest] : [highest, lowest]
      indices.push(start)
      if (earlier > start) indices.push(earlier)
      if (later > earlier) indices.push(later)
      if (end - 1 > later) indices.push(end - 1)
    }
    start = end
  }
  return indices
}
