/** Pearson's correlation over rows with both values; null for fewer than three or no spread. */
export function correlation(one: Float64Array, other: Float64Array): number | null {
  let [count, oneSum, otherSum] = [0, 0, 0]
  for (let row = 0; row < one.length; row++) {
    const a = one[row]!
    const b = other[row]!
    if (Number.isNaN(a + b)) continue
    count++
    oneSum += a
    otherSum += b
  }
  const oneMean = oneSum / count
  const otherMean = otherSum / count
  let [covariance, oneVariance, otherVariance] = [0, 0, 0]
  for (let row = 0; row < one.length; row++) {
    const a = one[row]! - oneMean
    const b = other[row]! - otherMean
    if (Number.isNaN(a + b)) continue
    covariance += a * b
    oneVariance += a * a
    otherVariance += b * b
  }
  return count < 3 || oneVariance * otherVariance === 0 ? null : covariance / Math.sqrt(oneVariance * otherVariance)
}
