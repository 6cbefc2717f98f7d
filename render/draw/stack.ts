import type { ChartSeries } from './specification.ts'

export interface StackedBand {
  readonly series: ChartSeries
  /** Lower and upper edge per day; NaN where the series has no value. */
  readonly bases: Float64Array
  readonly tops: Float64Array
}

/**
 * Stacks the stacked ones of `series` per axis, in their order; negative values downwards. Missing
 * values add nothing.
 */
export function stackSeries(series: readonly ChartSeries[]): StackedBand[] {
  const heights = new Map<string, { readonly above: Float64Array; readonly below: Float64Array }>()
  return series
    .filter(({ stacked }) => stacked)
    .map((one) => {
      const { length } = one.values
      const height = heights.get(one.axisId) ?? { above: new Float64Array(length), below: new Float64Array(length) }
      heights.set(one.axisId, height)
      const bases = new Float64Array(length).fill(Number.NaN)
      const tops = new Float64Array(length).fill(Number.NaN)
      one.values.forEach((value, i) => {
        if (!Number.isFinite(value)) return
        const edges = value < 0 ? height.below : height.above
        bases[i] = edges[i]!
        edges[i] = edges[i]! + value
        tops[i] = edges[i]!
      })
      return { series: one, bases, tops }
    })
}
