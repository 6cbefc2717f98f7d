import { parseDay } from '#base/days.ts'
import { pacedTurns } from '#base/own-turn.ts'
import type { Meta } from '#contract/envelope.ts'

/** Daily columns within the caller's tier. */
export interface History {
  /** Unix days, ascending. */
  readonly days: Int32Array
  /** ISO 8601, for hours and blocks. */
  readonly times?: readonly string[]
  /** By the API's field names; NaN if missing. */
  readonly columns: ReadonlyMap<string, Float64Array>
  readonly meta: Meta
}

/** `url` is the address of its rows and ends in a query. */
export type LinkedHistory = History & { readonly url: string }

export interface DailyRow {
  readonly date: string
  readonly [field: string]: unknown
}

/** `data`: newest day first. */
export async function toHistory({
  data,
  meta,
}: {
  readonly data: readonly DailyRow[]
  readonly meta: Meta
}): Promise<History> {
  const newestFirst = (row: number): number => data.length - 1 - row
  const days = Int32Array.from(data, (_, row) => parseDay(data[newestFirst(row)]!.date))
  const names = new Set<string>()
  const columns = new Map<string, Float64Array>()
  const turn = pacedTurns()
  for (const row of data) {
    for (const name of Object.keys(row)) names.add(name)
    await turn()
  }
  for (const name of names) {
    await turn()
    if (data.some((row) => typeof row[name] === 'string')) continue
    columns.set(
      name,
      Float64Array.from(data, (_, row) => {
        const value = data[newestFirst(row)]![name]
        return typeof value === 'number' ? value : Number.NaN
      }),
    )
  }
  const times = data.flatMap(({ time }) => (typeof time === 'string' ? [time] : [])).reverse()
  return { days, columns, meta, ...(times.length > 0 && { times }) }
}
