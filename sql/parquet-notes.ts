import { version } from '#base/version.ts'
import type { Column, ColumnType } from '#contract/tables/column.ts'
import type { Table } from '#contract/tables/table.ts'
import { arrowSchema } from './arrow-schema.ts'

/** What a Parquet file tells of a column. */
export interface ColumnNotes extends Pick<Column, 'title' | 'formula' | 'source'> {
  readonly name: string
  readonly description?: string | undefined
  readonly unit?: string | undefined
  readonly type: ColumnType
  readonly nullable: boolean
}

/** What it tells of the table, in a sentence or two, and of its columns. */
export interface TableNotes {
  readonly table: string
  readonly description: string
  readonly columns: readonly ColumnNotes[]
}

/** Those of a published table. */
export const tableNotes = ({ name, rowFor, holds, columns }: Table): TableNotes => ({
  table: name,
  description: `One row for each ${rowFor}: ${holds}.`,
  columns: Object.entries(columns).map(([column, declared]) => ({ name: column, ...declared })),
})

/**
 * The notes as key and value in the footer of a file: as JSON under `coinstrata`, for all readers; and under `ARROW:schema`
 * as metadata of each field, which PyArrow, pandas and other readers of Arrow show.
 */
export function toKeyValues({ table, description, columns }: TableNotes): ReadonlyMap<string, string> {
  const described = columns.map(({ name, title, description: about, unit, formula, source }) => {
    const notes = { title, description: about, unit, formula, source, version }
    const known = Object.entries(notes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    return [name, Object.fromEntries(known)] as const
  })
  const notes = Object.fromEntries(described)
  const fields = columns.map(({ name, type, nullable }) => ({ name, type, nullable, notes: notes[name] ?? {} }))
  return new Map([
    ['coinstrata', JSON.stringify({ table, description, version, columns: notes })],
    ['ARROW:schema', arrowSchema(fields)],
  ])
}
