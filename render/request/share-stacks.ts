import type { RequestedSeries } from './request.ts'

/**
 * Stacked series as shares, in percent, of the sum of all of them on each day; amounts below zero count by their size. Where
 * the sum is zero or nothing is known there is no share.
 */
export function shareStacks(series: readonly RequestedSeries[]): readonly RequestedSeries[] {
  const stacked = series.filter((one) => one.stacked)
  const totals = new Float64Array(stacked[0]?.values.length ?? 0)
  for (const { values } of stacked) {
    values.forEach((value, i) => {
      if (Number.isFinite(value)) totals[i] = totals[i]! + Math.abs(value)
    })
  }
  return series.map((one) => {
    if (!one.stacked) return one
    const values = one.values.map((value, i) => (totals[i]! > 0 ? (100 * value) / totals[i]! : Number.NaN))
    return { ...one, unit: '%', values }
  })
}
