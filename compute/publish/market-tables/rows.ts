import { isoDate } from '#base/days.ts'
import type { Provenance } from '#ingest/market/store.ts'

export const dated = <Row extends { readonly date: number }>(
  rows: readonly Row[],
): readonly (Omit<Row, 'date'> & { readonly date: string })[] =>
  rows.map((row) => ({ ...row, date: isoDate(row.date) }))

/** Returns a function that lists the sources with observations of a key, comma-separated. */
export function sourcesBy<Row extends Provenance>(
  rows: readonly Row[],
  key: (row: Row) => string,
): (key: string) => string {
  const sources = new Map<string, Set<string>>()
  for (const row of rows) {
    const known = sources.get(key(row))
    if (known) known.add(row.source)
    else sources.set(key(row), new Set([row.source]))
  }
  return (name) => [...(sources.get(name) ?? [])].sort().join(', ')
}
