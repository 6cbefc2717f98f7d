import type { DuckDBConnection } from '@duckdb/node-api'
import type { Table } from '#contract/tables/table.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { PublishedTable } from './generation.ts'
import { parquetFiles, writeParquet } from './parquet.ts'
import { noteParquet } from './parquet-footer.ts'
import { keyValuesOf, notesOfTable } from './parquet-notes.ts'
import { fileDigest } from './published-table.ts'
import { quotedIdentifier } from './quote.ts'

/**
 * Writes a published table to a new Parquet file: the rows of a query, whose columns must have the names, the order and
 * the types that the table declares, and a value in every row where it declares one. The query must have an ORDER BY,
 * so that the same rows give the same bytes. Throws `schema_mismatch`, `disk_full`.
 */
export async function writeTable(
  connection: DuckDBConnection,
  file: string,
  table: Table,
  query: string,
): Promise<PublishedTable> {
  const rows = await writeParts(connection, table, query, [{ file, of: (select) => select }])
  noteParquet(file, keyValuesOf(notesOfTable(table)))
  return { rows, ...(await fileDigest(file)) }
}

/** A file with some of the rows of a query. */
export interface TablePart {
  readonly file: string
  readonly of: (select: string) => string
}

/** The same for files that hold a part of its rows each. Returns the number of rows of all. */
export async function writeParts(
  connection: DuckDBConnection,
  table: Table,
  query: string,
  parts: readonly TablePart[],
): Promise<number> {
  const select = query.trim().replace(/;$/, '')
  refuse(table, differences(table, await columnsOf(connection, select)))
  for (const { file, of } of parts) await writeParquet(connection, file, of(select), table.rowsPerGroup)
  return checkValues(
    connection,
    parts.map(({ file }) => file),
    table,
  )
}

/** Holds files against what the table declares. Returns the number of their rows. Throws `schema_mismatch`. */
export async function checkRows(connection: DuckDBConnection, files: readonly string[], table: Table): Promise<number> {
  refuse(table, differences(table, await columnsOf(connection, `SELECT * FROM ${parquetFiles(files)}`)))
  return checkValues(connection, files, table)
}

interface QueryColumn {
  readonly name: string
  readonly type: string
}

async function columnsOf(connection: DuckDBConnection, select: string): Promise<QueryColumn[]> {
  const prepared = await connection.prepare(select)
  try {
    return Array.from({ length: prepared.columnCount }, (_, i) => ({
      name: prepared.columnName(i),
      type: prepared.columnType(i).toString(),
    }))
  } finally {
    prepared.destroySync()
  }
}

function differences({ columns }: Table, found: readonly QueryColumn[]): string[] {
  const declared = Object.entries(columns)
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const wrong = [
    ...declared.filter(([name]) => !types.has(name)).map(([name]) => `column ${name} is declared but missing`),
    ...found.filter(({ name }) => !columns[name]).map(({ name }) => `column ${name} is not declared`),
    ...declared.flatMap(([name, { type }]) => {
      const actual = types.get(name) ?? type
      return actual === type ? [] : [`column ${name} is ${actual}, declared ${type}`]
    }),
  ]
  const order = declared.map(([name]) => name).join(', ')
  const actual = found.map(({ name }) => name).join(', ')
  return wrong.length > 0 || actual === order ? wrong : [`its columns stand in the order ${actual}, declared ${order}`]
}

async function checkValues(connection: DuckDBConnection, files: readonly string[], table: Table): Promise<number> {
  const required = Object.entries(table.columns).flatMap(([name, { nullable }]) => (nullable ? [] : [name]))
  const counts = required.map((name) => `count(${quotedIdentifier(name)})::DOUBLE`)
  const result = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE, ${counts.join(', ')} FROM ${parquetFiles(files)}`,
  )
  const [rows = 0, ...known] = result.getRows()[0]!.map(Number)
  const missing = required.flatMap((name, i) => {
    const nulls = rows - known[i]!
    return nulls === 0 ? [] : [`column ${name} is NULL in ${nulls} of ${rows} rows, declared never to be`]
  })
  refuse(table, missing)
  return rows
}

function refuse({ name }: Table, wrong: readonly string[]): void {
  if (wrong.length === 0) return
  throw new CoinstrataError(
    'schema_mismatch',
    `table ${name} is not as contract/tables declares it: ${wrong.join('; ')}`,
    {
      cure:
        'nothing was published. Mend the query or the code that makes the table; or, if readers are to get this from now ' +
        'on, change the declaration, run "npm run docs:text" and tell them in CHANGELOG.md',
    },
  )
}
