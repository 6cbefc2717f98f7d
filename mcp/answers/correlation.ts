/** Pearson's correlation over the rows at which both columns have a value; null for fewer than three rows or no spread. */
export function correlation(one: Float64Array, other: Float64Array): number | null {
  const rows = Array.from(one.keys()).filter((row) => !Number.isNaN(one[row]!) && !Number.isNaN(other[row]!))
  if (rows.length < 3) return null
  const mean = (values: Float64Array): number => rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length
  const [oneMean, otherMean] = [mean(one), mean(other)]
  let [covariance, oneVariance, otherVariance] = [0, 0, 0]
  for (const row of rows) {
    const [a, b] = [one[row]! - oneMean, other[row]! - otherMean]
    covariance += a * b
    oneVariance += a * a
    otherVariance += b * b
  }
  return oneVariance === 0 || otherVariance === 0 ? null : covariance / Math.sqrt(oneVariance * otherVariance)
}

/** Differences from row to row; NaN if either value is missing. */
export const dailyChanges = (values: Float64Array): Float64Array =>
  values.map((value, row) => (row === 0 ? Number.NaN : value - values[row - 1]!))
