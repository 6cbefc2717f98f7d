/** The last known value of a column; undefined where none is known. */
export const lastValue = (values: Float64Array | undefined): number | undefined =>
  values?.findLast((value) => !Number.isNaN(value))

/** The change of a column within so many days to the last known value; undefined where one of both is not known. */
export function changeWithin(values: Float64Array | undefined, days: number): number | undefined {
  if (!values) return undefined
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  const change = values[last]! - (values[last - days] ?? Number.NaN)
  return Number.isNaN(change) ? undefined : change
}

/** The sum of a column over its last days, of those that are known; undefined where none is. */
export function sumLast(values: Float64Array | undefined, days: number): number | undefined {
  const known = values?.slice(-days).filter((value) => !Number.isNaN(value))
  return known && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : undefined
}
