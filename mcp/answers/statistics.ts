import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { percentileRank } from '#base/percentile-rank.ts'
import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Rank } from '../client/read-series.ts'
import { extremeRow, knownRows, round, significant } from './rows.ts'

const extreme = z.object({
  value: z.number(),
  date: z.string(),
  only_since: z.string().optional().describe('If present: only of days from then on, since earlier ones are not seen'),
})

/** Only the percentile counts all history. */
export const statisticsSchema = z.object({
  first: z.number().nullable().optional().describe('First value of the range; a single day has only last'),
  last: z.number().nullable(),
  last_date: z.string().optional().describe('If it is not the last day of the range'),
  min: extreme.optional(),
  max: extreme.optional(),
  mean: z.number().optional(),
  sum: z.number().optional().describe('Flows only: they add up over days'),
  change: z.number().optional().describe('last minus first; flows have a sum instead'),
  change_percent: z.number().optional().describe('Absent if first is not far above zero'),
  percentile: z
    .object({
      value: z.number().describe('Percent of days below last, and half of those equal to it'),
      since: z.string(),
    })
    .nullable()
    .optional()
    .describe('Of last in all history up to it; null if that history is not seen'),
  known: z.string().optional().describe('If the range has no value: the days that have one'),
})

export type Statistics = z.infer<typeof statisticsSchema>

export interface SeriesRange {
  /** Unix days, ascending. */
  readonly days: Int32Array
  /** NaN if missing. */
  readonly values: Float64Array
  readonly from: number
  readonly to: number
  readonly kind: MetricKind
  /** Amounts, such as USD: percent changes mean something even from small values. */
  readonly isAmount: boolean
  /** First visible day, if there are earlier ones. */
  readonly cutAt?: string | undefined
  readonly isRangeCut?: boolean
  /** Omits extremes, the first value, and means except of rates. */
  readonly isBrief?: boolean | undefined
  /** Replaces a computed rank if history is cut. */
  readonly rank?: Rank | undefined
}

export function describeSeries(series: SeriesRange): Statistics {
  const { days, values, from, to, kind, cutAt, isRangeCut = false, isBrief = false } = series
  const rows = knownRows(values, { from, to })
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return { first: null, last: null, known: knownDays(days, values) }
  const newest = {
    last: significant(values[last]!),
    ...(last < to - 1 && { last_date: isoDate(days[last]!) }),
    percentile: cutAt === undefined ? rankAmong(days, values, last) : seenRank(series, last),
  }
  if (to - from === 1) return newest
  const sum = rows.reduce((total, row) => total + values[row]!, 0)
  const mean = sum / rows.length
  // The change between two single days' flows is noise.
  const change = kind === 'flow' ? undefined : values[last]! - values[first]!
  const brief = {
    ...newest,
    ...(kind === 'rate' && { mean: significant(mean) }),
    ...(change === undefined && { sum: significant(sum) }),
    ...(change !== undefined &&
      isComparable(series, rows, first, mean) && { change_percent: significant((100 * change) / values[first]!) }),
  }
  if (isBrief) return brief
  const readExtreme = (sign: 1 | -1) => {
    const row = extremeRow(values, rows, sign)
    const found = { value: significant(values[row]!), date: isoDate(days[row]!) }
    return isRangeCut && cutAt !== undefined ? { ...found, only_since: cutAt } : found
  }
  return {
    first: significant(values[first]!),
    ...brief,
    min: readExtreme(-1),
    max: readExtreme(1),
    mean: significant(mean),
    ...(change !== undefined && { change: significant(change) }),
  }
}

const isKnown = (value: number): boolean => !Number.isNaN(value)

/** Percent changes from near zero, or of possibly negative values, mean nothing. */
function isComparable({ values, kind, isAmount }: SeriesRange, rows: readonly number[], first: number, mean: number) {
  if (rows.some((row) => values[row]! <= 0)) return false
  return (isAmount && kind === 'level') || values[first]! > mean / 20
}

function rankAmong(days: Int32Array, values: Float64Array, last: number) {
  const value = percentileRank(values.subarray(0, last + 1), values[last]!)
  return { value: round(value, 1), since: isoDate(days[values.findIndex(isKnown)]!) }
}

function seenRank({ days, rank }: SeriesRange, last: number) {
  if (rank === undefined || rank.date !== isoDate(days[last]!)) return null
  return { value: round(rank.percentile, 1), since: rank.since }
}

export function knownDays(days: Int32Array, values: Float64Array): string {
  const [first, last] = [values.findIndex(isKnown), values.findLastIndex(isKnown)]
  return first < 0 ? 'no value on any day' : `from ${isoDate(days[first]!)} to ${isoDate(days[last]!)}`
}
