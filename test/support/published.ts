import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'

/** Reads published tables as any reader would: with DuckDB. */

let shared: Promise<DuckDBConnection> | undefined

async function connection(): Promise<DuckDBConnection> {
  shared ??= DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())
  return shared
}

/** Rows of a query as arrays of text; NULL stays null. */
export async function rowsOf(sql: string): Promise<(string | null)[][]> {
  const reader = await (await connection()).runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM (${sql})`)
  return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))))
}

/** Rows of a query, with DuckDB's values. */
export async function objectsOf(sql: string): Promise<Record<string, DuckDBValue>[]> {
  return (await (await connection()).runAndReadAll(sql)).getRowObjects()
}

/**
 * Rows of a query without NULL, one comma-separated line each, which is faster for thousands of
 * rows.
 */
export async function linesOf(sql: string): Promise<string[]> {
  const rows = await rowsOf(`SELECT concat_ws(',', *COLUMNS(*)) FROM (${sql})`)
  return rows.map(([line]) => line!)
}

/** Columns of a query with numbers or NULL. */
export async function columnsOf(sql: string): Promise<(number | null)[][]> {
  const reader = await (await connection()).runAndReadAll(`SELECT COLUMNS(*)::DOUBLE FROM (${sql})`)
  return reader.getColumns().map((column) => column.map((value) => (value === null ? null : Number(value))))
}

export const currentFolder = (dataDir: string): string => path.join(dataDir, 'published', 'current')

/** A table of the current generation, for a FROM clause. */
export const publishedTable = (dataDir: string, name: string): string =>
  `'${path.join(currentFolder(dataDir), `${name}.parquet`)}'`

/**
 * The tables whose rows differ between the current generations of two data folders, with the number
 * of rows.
 */
export async function tableDifferences(
  dataDir: string,
  other: string,
  names: readonly string[] = tablesOf(dataDir),
): Promise<Record<string, number>> {
  if (tablesOf(dataDir).join() !== tablesOf(other).join())
    throw new Error(`other tables in ${other} than in ${dataDir}`)
  const differences: Record<string, number> = {}
  for (const name of names) {
    // Equal bytes are equal rows; comparing hundreds of columns takes longer than publishing them.
    const [bytes, others] = [dataDir, other].map((folder) =>
      readFileSync(path.join(currentFolder(folder), `${name}.parquet`)),
    )
    if (bytes!.equals(others!)) continue
    // Rows are sorted, and comparing them in order takes less than half the time of counting them.
    const [same] = await rowsOf(
      `SELECT count(*) = 0 FROM (SELECT one FROM ${publishedTable(dataDir, name)} AS one)
       POSITIONAL JOIN (SELECT another FROM ${publishedTable(other, name)} AS another)
       WHERE one IS DISTINCT FROM another`,
    )
    if (same?.[0] === 'true') continue
    // Compares whole rows, because matching hundreds of columns one by one takes ten times as long.
    const rows = (folder: string, count: number): string =>
      `SELECT one, ${count} AS count FROM ${publishedTable(folder, name)} AS one`
    const [row] = await rowsOf(
      `SELECT coalesce(sum(abs(count)), 0) FROM (
         SELECT sum(count) AS count FROM (${rows(dataDir, 1)} UNION ALL ${rows(other, -1)}) GROUP BY one
       )`,
    )
    if (row?.[0] !== '0') differences[name] = Number(row?.[0])
  }
  return differences
}

export const tablesOf = (dataDir: string): string[] =>
  readdirSync(currentFolder(dataDir))
    .filter((name) => name.endsWith('.parquet'))
    .sort()
    .map((name) => path.basename(name, '.parquet'))

/** Checksums of all published files by path, and the target of the link. */
export function publishedBytes(dataDir: string): Record<string, string> {
  const folder = path.join(dataDir, 'published')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) return [[file, readlinkSync(file)] as const]
    return entry.isFile() ? [[file, createHash('sha256').update(readFileSync(file)).digest('hex')] as const] : []
  })
  return Object.fromEntries(entries.sort())
}
