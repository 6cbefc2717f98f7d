import { bisectRight, deviation, mean } from 'd3-array'
import type { Normalization } from '#contract/chart-options.ts'
import type { RequestedSeries } from './request.ts'

/**
 * Makes series comparable over displayed days: first value = 100, sample standard deviations from
 * the mean, or percentile rank.
 */
export function normalize(series: RequestedSeries, method: Normalization): RequestedSeries {
  const known = series.values.filter((value) => !Number.isNaN(value))
  return {
    ...series,
    unit: units[method],
    dimension: units[method],
    values: series.values.map(normalizers[method](known)),
  }
}

export const indexUnit = 'first day = 100'

const units: Record<Normalization, string> = {
  index: indexUnit,
  zscore: 'standard deviations',
  percentile: 'percentile',
}

const normalizers: Record<Normalization, (known: Float64Array) => (value: number) => number> = {
  index:
    ([first = Number.NaN]) =>
    (value) =>
      first > 0 ? (100 * value) / first : Number.NaN,
  zscore: (known) => {
    const [center, spread] = [mean(known) ?? Number.NaN, deviation(known) ?? 0]
    return (value) => (spread > 0 ? (value - center) / spread : Number.NaN)
  },
  percentile: (known) => {
    const sorted = known.slice().sort()
    return (value) => (Number.isNaN(value) ? value : (100 * bisectRight(sorted, value)) / sorted.length)
  },
}

/**
 * Converts stacked series to percent of the sum of their absolute values per day; NaN if the sum is
 * zero.
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
    return { ...one, unit: '%', dimension: '%', values }
  })
}
