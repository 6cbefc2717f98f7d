import { z } from 'zod'
import type { Endpoint } from '#contract/endpoint.ts'
import type { ColumnType } from '#contract/tables/column.ts'
import type { TableNotes } from '#sql/parquet-notes.ts'
import type { Column } from './columns.ts'

/** In Parquet. */
const columnTypes: Readonly<Record<Column['kind'], ColumnType>> = {
  number: 'DOUBLE',
  integer: 'BIGINT',
  date: 'DATE',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  list: 'VARCHAR[]',
}

/** What a file with the answer of an endpoint tells of itself: of metrics as the catalogue does, of all else as OpenAPI. */
export const notesOfAnswer = ({ id, summary, row, more }: Endpoint, columns: readonly Column[]): TableNotes => ({
  table: id,
  description: summary,
  columns: columns.map(({ name, kind, told }) => ({
    name,
    type: columnTypes[kind],
    nullable: true,
    ...(told ?? { description: descriptionOf({ ...row.shape, ...more.shape }, name) }),
  })),
})

function descriptionOf(shape: z.core.$ZodShape, name: string): string | undefined {
  const field = shape[name]
  const known = field instanceof z.ZodOptional ? field.unwrap() : field
  return known instanceof z.ZodType ? known.meta()?.description : undefined
}
