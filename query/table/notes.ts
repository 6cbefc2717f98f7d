import { z } from 'zod'
import type { Endpoint } from '#contract/endpoint.ts'
import type { ColumnType } from '#contract/tables/column.ts'
import type { TableNotes } from '#sql/parquet-notes.ts'
import type { Column } from './columns.ts'

const columnTypes: Readonly<Record<Column['kind'], ColumnType>> = {
  number: 'DOUBLE',
  integer: 'BIGINT',
  date: 'DATE',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  list: 'VARCHAR[]',
}

/** Parquet metadata of an answer: metrics are described as in the catalogue, other columns as in OpenAPI. */
export const answerNotes = ({ id, summary, row, more }: Endpoint, columns: readonly Column[]): TableNotes => ({
  table: id,
  description: summary,
  columns: columns.map(({ name, kind, columnNotes }) => ({
    name,
    type: columnTypes[kind],
    nullable: true,
    ...(columnNotes ?? { description: descriptionOf({ ...row.shape, ...more.shape }, name) }),
  })),
})

function descriptionOf(shape: z.core.$ZodShape, name: string): string | undefined {
  const field = shape[name]
  const known = field instanceof z.ZodOptional ? field.unwrap() : field
  return known instanceof z.ZodType ? known.meta()?.description : undefined
}
