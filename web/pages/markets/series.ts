import { dayOf, isoDate } from '#root/days.ts'
import { type Columns, readColumns } from '../../data/columns.ts'

/** Most metrics of one request. */
const mostAtOnce = 50

export const year = 365

/** Values of as many metrics as there are, of some days and the last one. Throws `RequestFailure`. */
export async function readDays(metrics: readonly string[], lastDate: string, days: number): Promise<Columns> {
  const from = isoDate(dayOf(lastDate) - days)
  const parts = Array.from({ length: Math.ceil(metrics.length / mostAtOnce) }, (_, i) =>
    readColumns(metrics.slice(i * mostAtOnce, (i + 1) * mostAtOnce), { from }),
  )
  const [first, ...others] = await Promise.all(parts)
  if (!first) return { firstDay: 0, lastDay: 0, isCut: false, values: new Map() }
  return { ...first, values: new Map([first, ...others].flatMap(({ values }) => [...values])) }
}

/** The last known value of a column; undefined where none is known. */
export const lastOf = (values: Float64Array | undefined): number | undefined =>
  values?.findLast((value) => !Number.isNaN(value))

/** The change of a column within so many days to the last known value; undefined where one of both is not known. */
export function changeWithin(values: Float64Array | undefined, days: number): number | undefined {
  if (!values) return undefined
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  const change = values[last]! - (values[last - days] ?? Number.NaN)
  return Number.isNaN(change) ? undefined : change
}

/** The sum of a column over its last days, of those that are known; undefined where none is. */
export function sumOfLast(values: Float64Array | undefined, days: number): number | undefined {
  const known = values?.slice(-days).filter((value) => !Number.isNaN(value))
  return known && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : undefined
}
