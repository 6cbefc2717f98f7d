/**
 * Percentage of known `values` below `value`, plus half of the equal ones. NaN if none is known.
 */
export function percentileRank(values: Float64Array, value: number): number {
  let [known, lower, equal] = [0, 0, 0]
  for (const one of values) {
    if (Number.isNaN(one)) continue
    known++
    if (one < value) lower++
    else if (one === value) equal++
  }
  return (100 * (lower + equal / 2)) / known
}
