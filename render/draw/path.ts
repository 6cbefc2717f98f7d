import { thinLine } from './thin.ts'

/**
 * Text of SVG paths through pixels, to a tenth of one, without the entries that the picture's pixels cannot show. Entries
 * that are not finite leave a gap.
 */

/** A line; an entry between two gaps is a point, which round line ends show as a dot. */
export function linePath(xs: Float64Array, ys: Float64Array): string {
  let path = ''
  let length = 0
  for (const i of thinLine(xs, ys)) {
    if (Number.isFinite(ys[i])) {
      path += `${length === 0 ? 'M' : 'L'}${tenths(xs[i]!)},${tenths(ys[i]!)}`
      length++
    } else {
      if (length === 1) path += 'Z'
      length = 0
    }
  }
  return length === 1 ? `${path}Z` : path
}

/** The areas between two edges: along the tops and back along the bases. */
export function areaPath(xs: Float64Array, bases: Float64Array, tops: Float64Array): string {
  const kept = new Set([...thinLine(xs, tops), ...thinLine(xs, bases)])
  let path = ''
  let back = ''
  for (const i of [...kept].sort((one, other) => one - other)) {
    if (Number.isFinite(tops[i]) && Number.isFinite(bases[i])) {
      const x = tenths(xs[i]!)
      path += `${back === '' ? 'M' : 'L'}${x},${tenths(tops[i]!)}`
      back = `L${x},${tenths(bases[i]!)}${back}`
    } else if (back !== '') {
      path += `${back}Z`
      back = ''
    }
  }
  return back === '' ? path : `${path}${back}Z`
}

function tenths(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
