import { z } from 'zod'
import { isoDate } from '#root/days.ts'

const point = z.object({ date: z.string(), value: z.number() }).nullable().meta({ id: 'Point' })
const change = z
  .object({
    absolute: z.number(),
    percent: z.number().nullable().describe('Null where the earlier value is not above zero'),
  })
  .nullable()
  .meta({ id: 'Change', description: 'Of the last value against that of so many days before; null without one' })

/** first, last, min, max and count are of the range; the rest looks at all history up to the last value. */
export const statisticsSchema = z.object({
  first: point,
  last: point,
  min: point,
  max: point,
  count: z.number(),
  percentile_of_last: z.number().nullable().describe('Percent of the days of history with a value not above the last'),
  history_from: z.string().nullable(),
  history_days: z.number(),
  change_7d: change,
  change_30d: change,
  change_365d: change,
})

export type Statistics = z.infer<typeof statisticsSchema>

/**
 * What a whole series says: of the rows from `from` to before `to`, and of its last value there against all of its
 * history up to that day. `days` are unix days, ascending; NaN is no value.
 */
export function describeSeries(days: Int32Array, values: Float64Array, from: number, to: number): Statistics {
  let [first, last, least, greatest, count] = [-1, -1, -1, -1, 0]
  for (let row = from; row < to; row++) {
    const value = values[row]!
    if (Number.isNaN(value)) continue
    if (count === 0) [first, least, greatest] = [row, row, row]
    if (value < values[least]!) least = row
    if (value > values[greatest]!) greatest = row
    last = row
    count++
  }
  const at = (row: number) => (row < 0 ? null : { date: isoDate(days[row]!), value: values[row]! })
  return {
    first: at(first),
    last: at(last),
    min: at(least),
    max: at(greatest),
    count,
    ...rankInHistory(days, values, last),
    change_7d: changeSince(days, values, last, 7),
    change_30d: changeSince(days, values, last, 30),
    change_365d: changeSince(days, values, last, 365),
  }
}

function rankInHistory(days: Int32Array, values: Float64Array, last: number) {
  const known = values.subarray(0, last + 1).filter((value) => !Number.isNaN(value))
  if (known.length === 0) return { percentile_of_last: null, history_from: null, history_days: 0 }
  const notAbove = known.filter((value) => value <= values[last]!).length
  return {
    percentile_of_last: round((100 * notAbove) / known.length, 2),
    history_from: isoDate(days[values.findIndex((value) => !Number.isNaN(value))]!),
    history_days: known.length,
  }
}

function changeSince(days: Int32Array, values: Float64Array, last: number, daysBefore: number) {
  if (last < 0) return null
  const earlier = values[days.indexOf(days[last]! - daysBefore)] ?? Number.NaN
  if (Number.isNaN(earlier)) return null
  const absolute = values[last]! - earlier
  return { absolute, percent: earlier > 0 ? round((100 * absolute) / earlier, 4) : null }
}

export const round = (value: number, decimals: number): number => Number(value.toFixed(decimals))
