import { dayOf, isoDate } from '#base/days.ts'
import { allDigits, type Columns, mostAtOnce, readColumns } from './columns.ts'

export const year = 365

/** Values of as many metrics as there are, of some days and the last one. Throws `RequestFailure`. */
export async function readDays(metrics: readonly string[], lastDate: string, days: number): Promise<Columns> {
  const from = isoDate(dayOf(lastDate) - days)
  const parts = Array.from({ length: Math.ceil(metrics.length / mostAtOnce) }, (_, i) =>
    readColumns(metrics.slice(i * mostAtOnce, (i + 1) * mostAtOnce), { from, digits: allDigits }),
  )
  const [first, ...others] = await Promise.all(parts)
  if (!first) return { firstDay: 0, lastDay: 0, isCut: false, values: new Map(), withheld: [], withheldTier: undefined }
  return { ...first, values: new Map([first, ...others].flatMap(({ values }) => [...values])) }
}
