import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Endpoint } from '#contract/endpoint.ts'
import type { ColumnType } from '#contract/tables/column.ts'
import type { CallerWork } from '#limits/admission.ts'
import { writeParquet } from '#sql/parquet.ts'
import type { TableNotes } from '#sql/parquet-notes.ts'
import { quotedString } from '#sql/quote.ts'
import type { Database } from './database.ts'
import { encodeTable } from './encode-table.ts'
import type { Column, Table } from './table/columns.ts'
import { addNotesInThread } from './threads.ts'

const columnTypes: Readonly<Record<Column['kind'], ColumnType>> = {
  number: 'DOUBLE',
  integer: 'BIGINT',
  date: 'DATE',
  time: 'TIMESTAMP',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  list: 'VARCHAR[]',
}

/**
 * Writes a file in the database's temporary folder, which the caller removes. DuckDB reads the
 * answer as JSON: to give it the values one by one, and to end that, would block the event loop.
 */
export async function writeTable(
  database: Database,
  table: Table,
  endpoint: Endpoint,
  work: CallerWork,
): Promise<string> {
  const { columns } = table
  const file = path.join(database.temporaryFolder, `answer_${randomUUID()}.parquet`)
  const source = `${file}.json`
  const types = columns.map(({ name, kind }) => `${quotedString(name)}: '${columnTypes[kind]}'`)
  // Parquet needs a column.
  if (types.length === 0) types.push(`'empty': 'INTEGER'`)
  try {
    await writeFile(source, jsonPieces(table, work))
    const rows = `read_json(${quotedString(source)}, format = 'array', columns = {${types.join(', ')}})`
    await database.use((connection) => writeParquet(connection, file, `FROM ${rows}`))
    if (columns.length > 0) await addNotesInThread({ file, notes: answerNotes(endpoint, columns) })
    return file
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await rm(source, { force: true })
  }
}

async function* jsonPieces(table: Table, work: CallerWork): AsyncGenerator<Uint8Array | string> {
  yield '['
  yield* encodeTable(table, 'json', work)
  yield ']'
}

/** Metrics are described as in the catalogue, other columns as in OpenAPI. */
const answerNotes = ({ id, summary, row, more }: Endpoint, columns: readonly Column[]): TableNotes => ({
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
