import type { ChartSeries } from './specification.ts'

export interface StackedBand {
  readonly series: ChartSeries
  /** Lower and upper edge per day; NaN where the series has no value. */
  readonly bases: Float64Array
  readonly tops: Float64Array
}

/** Lays the stacked ones of `series` upon each other, per axis and in their order. A missing value adds nothing. */
export function stackSeries(series: readonly ChartSeries[]): StackedBand[] {
  const heights = new Map<string, Float64Array>()
  return series
    .filter(({ stacked }) => stacked)
    .map((one) => {
      const height = heights.get(one.axisId) ?? new Float64Array(one.values.length)
      heights.set(one.axisId, height)
      const bases = new Float64Array(one.values.length).fill(Number.NaN)
      const tops = new Float64Array(one.values.length).fill(Number.NaN)
      one.values.forEach((value, i) => {
        if (!Number.isFinite(value)) return
        bases[i] = height[i]!
        height[i] = height[i]! + value
        tops[i] = height[i]!
      })
      return { series: one, bases, tops }
    })
}
