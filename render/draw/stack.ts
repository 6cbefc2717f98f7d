import type { ChartSeries } from './specification.ts'

export interface StackedBand {
  readonly series: ChartSeries
  /** Per day; NaN where the series has no value. */
  readonly bases: Float64Array
  readonly tops: Float64Array
}

export interface Stack {
  readonly bands: readonly StackedBand[]
  /** Sums above and below zero; NaN on days without values. */
  readonly highs: Float64Array
  readonly lows: Float64Array
}

const known = new WeakMap<readonly ChartSeries[], readonly Stack[]>()

/**
 * Stacks the stacked ones of `series` per axis, in order; negative values downwards. Missing values
 * add nothing. Remembers stacks, because many parts of a picture need them. D3's stack creates an
 * array per value, which takes 30 times as long.
 */
export function stackSeries(series: readonly ChartSeries[]): readonly Stack[] {
  const stacks =
    known.get(series) ??
    [
      ...Map.groupBy(
        series.filter(({ stacked }) => stacked),
        ({ axisId }) => axisId,
      ).values(),
    ].map(stackBands)
  known.set(series, stacks)
  return stacks
}

function stackBands(members: readonly ChartSeries[]): Stack {
  const createColumn = () => new Float64Array(members[0]!.values.length).fill(Number.NaN)
  const [highs, lows] = [createColumn(), createColumn()]
  const bands = members.map((series) => {
    const [bases, tops] = [createColumn(), createColumn()]
    series.values.forEach((value, i) => {
      if (!Number.isFinite(value)) return
      const heights = value < 0 ? lows : highs
      bases[i] = heights[i] || 0
      tops[i] = bases[i]! + value
      heights[i] = tops[i]!
    })
    return { series, bases, tops }
  })
  return { bands, highs, lows }
}
