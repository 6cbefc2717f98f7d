import type { Normalization } from '#contract/chart-words.ts'
import type { RequestedSeries } from './request.ts'

/**
 * A series in a measure that can be compared with any other, over the days that the chart shows: its first value as 100,
 * distances from its mean in sample standard deviations, or the share of values that are not above it.
 */
export function normalize(series: RequestedSeries, method: Normalization): RequestedSeries {
  const known = series.values.filter((value) => !Number.isNaN(value))
  return { ...series, unit: units[method], values: series.values.map(normalizers[method](known)) }
}

const units: Record<Normalization, string> = {
  index: 'first day = 100',
  zscore: 'standard deviations',
  percentile: 'percentile',
}

const normalizers: Record<Normalization, (known: Float64Array) => (value: number) => number> = {
  index:
    ([first = Number.NaN]) =>
    (value) =>
      first > 0 ? (100 * value) / first : Number.NaN,
  zscore: (known) => {
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length
    const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    const deviation = Math.sqrt(squares / (known.length - 1))
    return (value) => (deviation > 0 ? (value - mean) / deviation : Number.NaN)
  },
  percentile: (known) => {
    const sorted = known.slice().sort()
    return (value) => (Number.isNaN(value) ? value : (100 * countUpTo(sorted, value)) / sorted.length)
  },
}

/** How many of the ascending values are not above `value`. */
function countUpTo(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}
