import { version } from '#base/version.ts'
import type { Column, ColumnType } from '#contract/tables/column.ts'
import type { Table } from '#contract/tables/table.ts'
import { arrowSchema } from './arrow-schema.ts'

export interface ColumnNotes
  extends Pick<Column, 'title' | 'kind' | 'formula' | 'variant' | 'definitionVersion' | 'source'> {
  readonly name: string
  readonly description?: string | undefined
  readonly unit?: string | undefined
  readonly type: ColumnType
  readonly nullable: boolean
}

export interface TableNotes {
  readonly table: string
  readonly description: string
  readonly columns: readonly ColumnNotes[]
}

/** Origin of a table's file, kept in copies. */
export interface FileFacts {
  /** Generation that wrote it; later ones keep the file of an unchanged table. */
  readonly generation: string
  readonly network: string
  /** Chain and prices are simulated. */
  readonly simulated: boolean
  readonly tip_height: number
  readonly tip_hash: string
  /** How coins are valued: `hourly` where hourly prices are known, or by `daily` closes. */
  readonly pricing: string
  readonly price_sources: readonly string[]
}

export type FileNotes = FileFacts | Pick<FileFacts, 'simulated'>

export const tableNotes = ({ name, rowFor, holds, columns }: Table): TableNotes => ({
  table: name,
  description: `One row for each ${rowFor}: ${holds}.`,
  columns: Object.entries(columns).map(([column, declared]) => ({ name: column, ...declared })),
})

/**
 * Key-value pairs for the footer: JSON under `coinstrata` for all readers, and field metadata under
 * `ARROW:schema`, which PyArrow, pandas and other Arrow readers show.
 */
export function toKeyValues(
  { table, description, columns }: TableNotes,
  file?: FileNotes,
): ReadonlyMap<string, string> {
  const described = columns.map(({ name, description: about, ...column }) => {
    const { title, unit, kind, formula, variant, source, definitionVersion: definition_version } = column
    const notes = { title, description: about, unit, kind, formula, variant, definition_version, source, version }
    const known = Object.entries(notes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    return [name, Object.fromEntries(known)] as const
  })
  const notes = Object.fromEntries(described)
  const fields = columns.map(({ name, type, nullable }) => ({ name, type, nullable, notes: notes[name] ?? {} }))
  return new Map([
    ['coinstrata', JSON.stringify({ table, description, version, file, columns: notes })],
    ['ARROW:schema', arrowSchema(fields)],
  ])
}
