import { rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import type { ColumnType } from '#contract/tables/column.ts'
import type { Table } from '#contract/tables/table.ts'
import type { PublishedTable } from './generation.ts'
import { finishParquet, hashRowGroups, type RowGroups, readRowGroups } from './join-parquet.ts'
import { parquetFiles, writeParquet } from './parquet.ts'
import { nullCounter, type ParquetType, readColumnTypes } from './parquet-columns.ts'
import { rowCount } from './parquet-footer.ts'
import { type FileNotes, tableNotes, toKeyValues } from './parquet-notes.ts'
import { quotedIdentifier } from './quote.ts'

/**
 * Writes a query's rows to a new Parquet file. The query must return the declared names, order,
 * types and non-null values, and have an ORDER BY, so that the same rows give the same bytes.
 */
export async function writeTable(
  connection: DuckDBConnection,
  file: string,
  table: Table,
  query: string,
  facts?: FileNotes,
): Promise<PublishedTable> {
  const written = await writePart(connection, file, table, query)
  return finishParquet(hashRowGroups(written), toKeyValues(tableNotes(table), facts))
}

/** As `writeTable`, without column notes. */
export async function writePart(
  connection: DuckDBConnection,
  file: string,
  table: Table,
  query: string,
): Promise<RowGroups> {
  await writeParquet(connection, file, query, table)
  return checkFile(connection, file, table, query)
}

/**
 * As `writePart`, from a FROM clause whose columns are cast to the declared types. Omits the type
 * check, which takes a quarter of the writing time for hundreds of columns.
 */
export async function writeCast(
  connection: DuckDBConnection,
  table: Table,
  from: string,
  file: string,
): Promise<RowGroups> {
  const columns = Object.entries(table.columns).map(([column, { type }]) => {
    const name = quotedIdentifier(column)
    return `${name}::${type} AS ${name}`
  })
  try {
    return await writePart(connection, file, table, `SELECT ${columns.join(', ')} FROM ${from}`)
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('Binder Error')) {
      refuse(table, findMissing(table, namesOf(await describeQuery(connection, `SELECT * FROM ${from}`))))
    }
    throw cause
  }
}

/**
 * Checks a file against the table's declaration. Removes one with wrong columns. Only then
 * describes its query, for which DuckDB plans it again.
 */
export async function checkFile(
  connection: DuckDBConnection,
  file: string,
  table: Table,
  query = `FROM ${parquetFiles([file])}`,
): Promise<RowGroups> {
  const written = readRowGroups(file)
  if (!hasColumns(written.metadata, table)) {
    const differences = findDifferences(table, await describeQuery(connection, query))
    rmSync(file)
    refuse(table, differences.length > 0 ? differences : ['Parquet has no such types'])
  }
  await checkValues(connection, written, table)
  return written
}

function hasColumns(metadata: RowGroups['metadata'], { columns }: Table): boolean {
  const declared = Object.entries(columns).map(([name, { type }]) => [name, parquetTypes[type]])
  try {
    return JSON.stringify(readColumnTypes(metadata)) === JSON.stringify(declared)
  } catch {
    // It has a type that no table declares.
    return false
  }
}

const parquetTypes: Readonly<Record<ColumnType, ParquetType>> = {
  BOOLEAN: 'boolean',
  INTEGER: 'int32',
  BIGINT: 'int64',
  DOUBLE: 'double',
  'DECIMAL(38,0)': { precision: 38, scale: 0 },
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  VARCHAR: 'string',
  'VARCHAR[]': { listOf: 'string' },
}

type QueryColumns = Awaited<ReturnType<typeof describeQuery>>

async function describeQuery(connection: DuckDBConnection, select: string) {
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

const namesOf = (columns: QueryColumns): string[] => columns.map(({ name }) => name)

export function findMissing({ columns }: Table, names: readonly string[]): string[] {
  const found = new Set(names)
  return Object.keys(columns)
    .filter((name) => !found.has(name))
    .map((name) => `column ${name} is declared but missing`)
}

export const findUndeclared = ({ columns }: Table, names: readonly string[]): string[] =>
  names.filter((name) => !columns[name]).map((name) => `column ${name} is not declared`)

export const describeNulls = (column: string, nulls: number, rows: number): string =>
  `column ${column} is NULL in ${nulls} of ${rows} rows, declared never to be`

function findDifferences(table: Table, found: QueryColumns): string[] {
  const declared = Object.entries(table.columns)
  const names = namesOf(found)
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const wrong = [
    ...findMissing(table, names),
    ...findUndeclared(table, names),
    ...declared.flatMap(([name, { type }]) => {
      const actual = types.get(name) ?? type
      return actual === type ? [] : [`column ${name} is ${actual}, declared ${type}`]
    }),
  ]
  const order = declared.map(([name]) => name).join(', ')
  const actual = names.join(', ')
  return wrong.length > 0 || actual === order ? wrong : [`its columns stand in the order ${actual}, declared ${order}`]
}

async function checkValues(connection: DuckDBConnection, { file, metadata }: RowGroups, table: Table): Promise<void> {
  const nullsOf = nullCounter(metadata)
  const wrong: string[] = []
  for (const [name, { nullable }] of Object.entries(table.columns)) {
    if (nullable) continue
    const nulls = nullsOf(name) ?? (await countNulls(connection, file, name))
    if (nulls > 0) wrong.push(describeNulls(name, nulls, rowCount(metadata)))
  }
  refuse(table, wrong)
}

/** Needed if the metadata lacks counts. */
async function countNulls(connection: DuckDBConnection, file: string, column: string): Promise<number> {
  const result = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE FROM ${parquetFiles([file])} WHERE ${quotedIdentifier(column)} IS NULL`,
  )
  return Number(result.getRows()[0]![0])
}

/** Throws `schema_mismatch` if anything is wrong. */
export function refuse({ name }: Table, wrong: readonly string[]): void {
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
