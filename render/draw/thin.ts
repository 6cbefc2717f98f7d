/**
 * Which entries of a dense column a line needs: of each pixel column of the picture the first, least, greatest and last,
 * as the M4 aggregation does, so that the line looks the same. Of a gap (not finite values) one entry stays.
 * `xs` and `ys` are pixels, `xs` ascending; the indices come back ascending.
 */
export function thinLine(xs: Float64Array, ys: Float64Array): number[] {
  const kept: number[] = []
  let start = 0
  while (start < ys.length) {
    let end = start + 1
    if (!Number.isFinite(ys[start]!)) {
      while (end < ys.length && !Number.isFinite(ys[end]!)) end++
      kept.push(start)
    } else {
      let [least, greatest] = [start, start]
      const pixel = Math.floor(xs[start]!)
      while (end < ys.length && Number.isFinite(ys[end]!) && Math.floor(xs[end]!) === pixel) {
        if (ys[end]! < ys[least]!) least = end
        if (ys[end]! > ys[greatest]!) greatest = end
        end++
      }
      const [earlier, later] = least < greatest ? [least, greatest] : [greatest, least]
      kept.push(start)
      if (earlier > start) kept.push(earlier)
      if (later > earlier) kept.push(later)
      if (end - 1 > later) kept.push(end - 1)
    }
    start = end
  }
  return kept
}
