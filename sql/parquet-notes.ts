import { version } from '#base/version.ts'
import type { Column, ColumnType } from '#contract/tables/column.ts'
import type { Table } from '#contract/tables/table.ts'
import { arrowSchema } from './arrow-schema.ts'

export interface ColumnNotes extends Pick<Column, 'title' | 'formula' | 'source'> {
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

export const tableNotes = ({ name, rowFor, holds, columns }: Table): TableNotes => ({
  table: name,
  description: `One row for each ${rowFor}: ${holds}.`,
  columns: Object.entries(columns).map(([column, declared]) => ({ name: column, ...declared })),
})

/**
 * Key-value pairs for the footer: JSON under `coinstrata` for all readers, and under `ARROW:schema` field metadata, which
 * PyArrow, pandas and other readers of Arrow show.
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
