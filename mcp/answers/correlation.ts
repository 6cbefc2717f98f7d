/** Pearson's correlation of two columns over the rows where both have a value; null for fewer than three, or no spread. */
export function correlation(one: Float64Array, other: Float64Array): number | null {
  const rows = Array.from(one.keys()).filter((row) => !Number.isNaN(one[row]!) && !Number.isNaN(other[row]!))
  if (rows.length < 3) return null
  const mean = (values: Float64Array): number => rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length
  const [oneMean, otherMean] = [mean(one), mean(other)]
  let [together, oneSpread, otherSpread] = [0, 0, 0]
  for (const row of rows) {
    const [a, b] = [one[row]! - oneMean, other[row]! - otherMean]
    together += a * b
    oneSpread += a * a
    otherSpread += b * b
  }
  return oneSpread === 0 || otherSpread === 0 ? null : together / Math.sqrt(oneSpread * otherSpread)
}

/** Each value less the one before it; NaN where either is missing. */
export const dailyChanges = (values: Float64Array): Float64Array =>
  values.map((value, row) => (row === 0 ? Number.NaN : value - values[row - 1]!))
