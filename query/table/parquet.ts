import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBDataChunk, DuckDBDateValue, DuckDBTimestampValue, type DuckDBValue, listValue } from '@duckdb/node-api'
import { z } from 'zod'
import { ownTurn } from '#base/own-turn.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { ColumnType } from '#contract/tables/column.ts'
import { writeParquet } from '#sql/parquet.ts'
import { readFooter, writeKeyValues } from '#sql/parquet-footer.ts'
import { type TableNotes, toKeyValues } from '#sql/parquet-notes.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { Database } from '../database.ts'
import { type Column, inRowOrder, type Table } from './columns.ts'

/** DuckDB's maximum. */
const maxRowsPerChunk = 2048
/** Converted in a few milliseconds. */
const cellsPerChunk = 5_000

const columnTypes: Readonly<Record<Column['kind'], ColumnType>> = {
  number: 'DOUBLE',
  integer: 'BIGINT',
  date: 'DATE',
  time: 'TIMESTAMP',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  list: 'VARCHAR[]',
}

/** Writes a file in the database's temporary folder, which the caller removes. */
export function writeTable(database: Database, table: Table, endpoint: Endpoint): Promise<string> {
  const { columns, rows } = inRowOrder(table)
  const rowsPerChunk = Math.min(maxRowsPerChunk, Math.ceil(cellsPerChunk / (columns.length + 1)))
  const name = `answer_${randomUUID().replaceAll('-', '')}`
  const file = path.join(database.temporaryFolder, `${name}.parquet`)
  const declared = columns.map((column) => `${quotedIdentifier(column.name)} ${columnTypes[column.kind]}`)
  // Parquet needs a column.
  if (declared.length === 0) declared.push('empty INTEGER')
  return database.use(async (connection) => {
    await connection.run(`CREATE TEMP TABLE ${name} (position INTEGER, ${declared.join(', ')})`)
    try {
      const appender = await connection.createAppender(name)
      const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i))
      for (let first = 0; first < rows; first += rowsPerChunk) {
        if (first > 0) await ownTurn()
        const count = Math.min(rowsPerChunk, rows - first)
        const chunk = DuckDBDataChunk.create(types, count)
        chunk.setColumns([
          Array.from({ length: count }, (_, i) => first + i),
          ...columns.map((column) => valuesOf(column, first, first + count)),
        ])
        appender.appendDataChunk(chunk)
      }
      appender.closeSync()
      await writeParquet(connection, file, `SELECT * EXCLUDE (position) FROM ${name} ORDER BY position`)
      if (columns.length > 0) writeKeyValues(file, readFooter(file), toKeyValues(answerNotes(endpoint, columns)))
      return file
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await connection.run(`DROP TABLE ${name}`)
    }
  })
}

const toDuckdb = {
  number: (value: number) => value,
  integer: BigInt,
  date: (day: number) => new DuckDBDateValue(day),
  time: (seconds: number) => new DuckDBTimestampValue(BigInt(seconds * 1e6)),
} as const

function valuesOf(column: Column, first: number, end: number): DuckDBValue[] {
  switch (column.kind) {
    case 'list':
      return column.values.slice(first, end).map((texts) => listValue(texts))
    case 'text':
    case 'flag':
      return column.values.slice(first, end)
    default: {
      const convert = toDuckdb[column.kind]
      return Array.from(column.values.subarray(first, end), (value) => (Number.isNaN(value) ? null : convert(value)))
    }
  }
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
