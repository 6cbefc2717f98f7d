import { dayOf, isoDate } from '#base/days.ts'
import { type Columns, fullDigits, maxMetricsPerRequest, readColumns } from './columns.ts'

export const daysPerYear = 365

/** Values of as many metrics as there are, of some days and the last one. Throws `RequestFailure`. */
export async function readRecentDays(metrics: readonly string[], lastDate: string, days: number): Promise<Columns> {
  const from = isoDate(dayOf(lastDate) - days)
  const parts = Array.from({ length: Math.ceil(metrics.length / maxMetricsPerRequest) }, (_, i) =>
    readColumns(metrics.slice(i * maxMetricsPerRequest, (i + 1) * maxMetricsPerRequest), { from, digits: fullDigits }),
  )
  const [first, ...others] = await Promise.all(parts)
  if (!first) return { firstDay: 0, lastDay: 0, isCut: false, values: new Map(), withheld: [], withheldTier: undefined }
  return { ...first, values: new Map([first, ...others].flatMap(({ values }) => [...values])) }
}
