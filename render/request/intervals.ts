import type { IntervalName } from '#contract/chart-words.ts'
import { type Interval, periodOf } from '#contract/intervals.ts'
import type { Candles } from '../draw/specification.ts'
import type { RequestedSeries } from './request.ts'

/** Rows of consecutive days: from the first to before the second number. */
export type Period = readonly [from: number, to: number]

const intervals: Record<IntervalName, Interval> = { day: '1d', week: '1w', month: '1m' }

/** Weeks end on Sundays and months on their last day; the newest period may be unfinished. `days` are unix days, ascending. */
export function periodsOf(interval: IntervalName, days: Int32Array): Period[] {
  if (interval === 'day') return Array.from(days, (_, row): Period => [row, row + 1])
  const periods: Period[] = []
  const starts = days.map((day) => periodOf(day, intervals[interval]))
  let start = 0
  for (let row = 1; row <= days.length; row++) {
    if (row < days.length && starts[row] === starts[start]) continue
    periods.push([start, row])
    start = row
  }
  return periods
}

/** How the days of a period become one value: flows drawn as bars are added up, or averaged if rates; of all else the last stays. */
export function summarize({ style, unit, values, isFlow }: RequestedSeries, periods: readonly Period[]): Float64Array {
  if (style !== 'bar' || !isFlow || areDays(values, periods)) return lastOf(values, periods)
  const isRate = unit === 'ratio' || unit === '%'
  return Float64Array.from(periods, ([from, to]) => {
    let [sum, count] = [0, 0]
    for (let row = from; row < to; row++) {
      if (Number.isNaN(values[row]!)) continue
      sum += values[row]!
      count++
    }
    if (count === 0) return Number.NaN
    return isRate ? sum / count : sum
  })
}

/** The last value of each period that is known. */
export function lastOf(values: Float64Array, periods: readonly Period[]): Float64Array {
  if (areDays(values, periods)) return values
  return Float64Array.from(periods, ([from, to]) => {
    let row = to - 1
    while (row > from && Number.isNaN(values[row]!)) row--
    return values[row]!
  })
}

/** Every row is a period of its own. */
const areDays = (values: Float64Array, periods: readonly Period[]): boolean => periods.length === values.length

/** Open of the first day of each period, highest high, lowest low; `cut` takes the days of the chart out of a column. */
export function candlesIn(
  periods: readonly Period[],
  { open, high, low }: Candles,
  cut: (values: Float64Array) => Float64Array,
): Candles {
  const [opens, highs, lows] = [cut(open), cut(high), cut(low)]
  return {
    open: Float64Array.from(
      periods,
      ([from, to]) => opens!.subarray(from, to).find((value) => !Number.isNaN(value)) ?? Number.NaN,
    ),
    high: Float64Array.from(periods, ([from, to]) => extreme(highs!.subarray(from, to), Math.max)),
    low: Float64Array.from(periods, ([from, to]) => extreme(lows!.subarray(from, to), Math.min)),
  }
}

function extreme(values: Float64Array, choose: (one: number, other: number) => number): number {
  return values.reduce(
    (found, value) => (Number.isNaN(value) ? found : Number.isNaN(found) ? value : choose(found, value)),
    Number.NaN,
  )
}
