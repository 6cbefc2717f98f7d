export const lastValue = (values: Float64Array | undefined): number | undefined =>
  values?.findLast((value) => !Number.isNaN(value))

/** Change over `days` to the last known value; undefined if unknown. */
export function changeWithin(values: Float64Array | undefined, days: number): number | undefined {
  if (!values) return undefined
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  const change = values[last]! - (values[last - days] ?? Number.NaN)
  return Number.isNaN(change) ? undefined : change
}

/** Undefined if no value is known. */
export function sumLast(values: Float64Array | undefined, days: number): number | undefined {
  const known = values?.slice(-days).filter((value) => !Number.isNaN(value))
  return known && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : undefined
}
