/**
 * Which entries of a dense column a line needs: of each pixel column of the picture the first, least, greatest and last,
 * as the M4 aggregation does, so that the line looks the same. Of a gap (not finite values) one entry stays.
 * `xs` and `ys` are pixels, `xs` ascending; the indices come back ascending.
 */
export function thinLine(xs: Float64Array, ys: Float64Array): number[] {
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
