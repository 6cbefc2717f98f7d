import { dayOf } from '#base/days.ts'
import type { Meta } from '#contract/envelope.ts'

/** Columns over time, as far as the caller may see them. */
export interface History {
  /** Unix days, ascending. */
  readonly days: Int32Array
  /** By the names of the API, one value per day; NaN where there is none. */
  readonly columns: ReadonlyMap<string, Float64Array>
  readonly meta: Meta
}

interface Answer {
  /** Newest first. */
  readonly data: readonly { readonly date: string; readonly [field: string]: unknown }[]
  readonly meta: Meta
}

/** Turns rows into columns; fields that hold no numbers are left out. */
export function toHistory({ data, meta }: Answer): History {
  const newestFirst = (row: number): number => data.length - 1 - row
  const days = Int32Array.from(data, (_, row) => dayOf(data[newestFirst(row)]!.date))
  const names = new Set(data.flatMap((row) => Object.keys(row)))
  const columns = new Map<string, Float64Array>()
  for (const name of names) {
    if (data.some((row) => typeof row[name] === 'string')) continue
    columns.set(
      name,
      Float64Array.from(data, (_, row) => {
        const value = data[newestFirst(row)]![name]
        return typeof value === 'number' ? value : Number.NaN
      }),
    )
  }
  return { days, columns, meta }
}
