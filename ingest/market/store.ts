import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBAppender, type DuckDBConnection, DuckDBDateValue, DuckDBTimestampValue } from '@duckdb/node-api'
import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { runExclusive } from '#sql/exclusive.ts'
import { removeUnfinished, syncPath, unfinishedPath, unfinishedPrefix } from '#sql/files.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { addChecksum } from '#sql/parquet-checksum.ts'
import { quotedString } from '#sql/quote.ts'
import { verifyFile } from './checksum.ts'
import { type Cells, type ColumnType, type ObservationTable, simulatedSource, tables } from './observations.ts'

export interface Appended {
  readonly added: number
  readonly corrected: number
  readonly unchanged: number
}

/** `fetchedAt` in milliseconds since 1970. */
export type Provenance = z.infer<typeof provenance>
const provenance = z.object({ source: z.string(), fetchedAt: z.number() })

const marketFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'market')

/**
 * Adds observations to the raw store: one append-only Parquet file per kind, source and month. A
 * known value adds nothing; another becomes the next `revision`. Files are replaced atomically: a
 * killed run leaves complete months, and repeating the call completes it. Several sources may
 * append concurrently over one connection. Throws `data_folder_mismatch` if simulated and real data
 * would mix, and like every function that reads here `data_folder_damaged`.
 * @param fetchedAt milliseconds since 1970
 */
export async function appendObservations<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  table: ObservationTable<Row>,
  source: string,
  rows: readonly NoInfer<Row>[],
  fetchedAt: number,
): Promise<Appended> {
  refuseMixture(dataDir, source)
  if (rows.length === 0) return { added: 0, corrected: 0, unchanged: 0 }
  return runExclusive(connection, () => append(connection, dataDir, table, source, rows, fetchedAt))
}

async function append<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  { kind, columns, key }: ObservationTable<Row>,
  source: string,
  rows: readonly Row[],
  fetchedAt: number,
): Promise<Appended> {
  const names = Object.keys(columns)
  const folder = path.join(marketFolder(dataDir), kind, source)
  mkdirSync(folder, { recursive: true })
  removeUnfinished(folder)
  // The last row of an observation counts.
  const incoming = new Map(rows.map((row) => [key.map((name) => row[name]).join('\n'), row]))
  const months = Map.groupBy(incoming.values(), formatMonth)
  // Ordered, so a killed run only misses the end.
  let counts = [...months.keys()].sort().map((month) => ({ month, added: months.get(month)!.length, corrected: 0 }))

  await connection.run(`CREATE OR REPLACE TEMP TABLE incoming (${declarations(columns)}, month VARCHAR)`)
  const appender = await connection.createAppender('incoming')
  for (const [month, own] of months) for (const row of own) appendRow(appender, columns, row, month)
  appender.closeSync()

  // Repeated and corrected rows have equal instants, so they share the month's file.
  const stored = monthFiles(dataDir, kind, source, (month) => months.has(month))
  let pending = 'SELECT *, 1::INTEGER AS revision FROM incoming'
  if (stored.length > 0) {
    const values = names.filter((name) => !key.includes(name))
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE pending AS
       SELECT i.*, (coalesce(n.revision, 0) + 1)::INTEGER AS revision
       FROM incoming i LEFT JOIN (${newestSql(storedRows(stored, columns), key)}) n USING (${key.join(', ')})
       WHERE n.revision IS NULL OR ${values.map((name) => `i.${name} IS DISTINCT FROM n.${name}`).join(' OR ')}`,
    )
    pending = 'FROM pending'
    counts = z.array(z.object({ month: z.string(), added: z.number(), corrected: z.number() })).parse(
      await readRows(
        connection,
        `SELECT month, count(*) FILTER (revision = 1)::INTEGER AS added, count(*) FILTER (revision > 1)::INTEGER AS corrected
         FROM pending GROUP BY month ORDER BY month`,
      ),
    )
  }
  const made = `SELECT ${names.join(', ')}, ${quotedString(source)} AS source, epoch_ms(${fetchedAt}::BIGINT) AS fetched_at,
    revision, month FROM (${pending})`
  const order = [...key, 'revision'].join(', ')
  const changed = counts.map(({ month }) => month)
  if (stored.length === 0 && counts.every((count) => count.added <= maxRowsPerMonth)) {
    for (let first = 0; first < changed.length; first += monthsPerStatement)
      await writeNewMonths(connection, folder, changed.slice(first, first + monthsPerStatement), made, order)
  } else for (const month of changed) await writeMonth(connection, folder, month, made, order)
  syncPath(folder)
  await connection.run('DROP TABLE incoming; DROP TABLE IF EXISTS pending')
  const added = counts.reduce((sum, count) => sum + count.added, 0)
  const corrected = counts.reduce((sum, count) => sum + count.corrected, 0)
  return { added, corrected, unchanged: rows.length - added - corrected }
}

async function writeMonth(
  connection: DuckDBConnection,
  folder: string,
  month: string,
  rows: string,
  order: string,
): Promise<void> {
  const file = path.join(folder, `${month}.parquet`)
  const before = existsSync(file) ? `FROM ${parquetFiles([file])} UNION ALL BY NAME ` : ''
  const unfinished = unfinishedPath(file)
  const added = `SELECT * EXCLUDE month FROM (${rows}) WHERE month = ${quotedString(month)}`
  await writeParquet(connection, unfinished, `${before}${added} ORDER BY ${order}`)
  addChecksum(unfinished)
  renameSync(unfinished, file)
}

/** DuckDB keeps up to 100 files open and would write further ones in two parts. */
const monthsPerStatement = 96

/** With more, DuckDB may write some out of order. */
const maxRowsPerMonth = 63

/** One statement for new months: one per month takes longer than writing the file. */
async function writeNewMonths(
  connection: DuckDBConnection,
  folder: string,
  months: readonly string[],
  rows: string,
  order: string,
): Promise<void> {
  const unfinished = unfinishedPath(path.join(folder, 'months'))
  await writeParquet(
    connection,
    unfinished,
    `FROM (${rows}) WHERE month BETWEEN ${quotedString(months[0]!)} AND ${quotedString(months.at(-1)!)} ORDER BY month, ${order}`,
    { partitionBy: 'month' },
  )
  for (const month of months) {
    const [written, ...more] = readdirSync(path.join(unfinished, `month=${month}`))
    if (written === undefined || more.length > 0) throw new Error(`${month} was written in ${more.length + 1} files`)
    const file = path.join(unfinished, `month=${month}`, written)
    addChecksum(file)
    renameSync(file, path.join(folder, `${month}.parquet`))
  }
  rmSync(unfinished, { recursive: true })
}

/** Newest revision of each observation of a kind, ordered by key and source. */
export async function readObservations<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  table: ObservationTable<Row>,
): Promise<(Row & Provenance)[]> {
  const { columns, key, row } = table
  const stored = storedObservations(dataDir, table)
  if (stored === undefined) return []
  const selection = Object.entries(columns).map(([name, type]) => `${toNumberSql(name, type)} AS ${name}`)
  const rows = await read(
    connection,
    `SELECT ${selection.join(', ')}, source, epoch_ms(fetched_at)::DOUBLE AS "fetchedAt"
     FROM (${stored})
     ORDER BY ${key.join(', ')}, source`,
  )
  return z.array(z.intersection(row, provenance)).parse(rows)
}

/**
 * SQL of `readObservations` with stored types; undefined without files. With `since` (milliseconds
 * since 1970), only from its month on.
 */
export function storedObservations(
  dataDir: string,
  { kind, columns, key }: ObservationTable,
  since = 0,
): string | undefined {
  const first = formatMonth({ time: since })
  const files = storedSources(dataDir, kind).flatMap((source) =>
    monthFiles(dataDir, kind, source, (month) => month >= first),
  )
  return files.length > 0 ? newestSql(storedRows(files, columns), ['source', ...key]) : undefined
}

/** Milliseconds since 1970, ascending, of a source's observations with this identity. */
export async function storedInstants<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  { kind, columns }: ObservationTable<Row>,
  source: string,
  identity: Cells,
): Promise<number[]> {
  const files = monthFiles(dataDir, kind, source)
  if (files.length === 0) return []
  const instant = `epoch_ms(${'date' in columns ? 'date' : 'time'}::TIMESTAMP)::DOUBLE`
  const conditions = Object.entries(identity).map(([name, value]) => ` AND ${name} = ${quotedString(String(value))}`)
  const rows = await read(
    connection,
    `SELECT DISTINCT ${instant} AS instant FROM ${parquetFiles(files)} WHERE true${conditions.join('')} ORDER BY 1`,
  )
  return z
    .array(z.object({ instant: z.number() }))
    .parse(rows)
    .map(({ instant: at }) => at)
}

/** Instants in milliseconds since 1970. */
export async function storedExtent<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  { kind, columns }: ObservationTable<Row>,
  source: string,
): Promise<{ observations: number; first: number; last: number } | undefined> {
  const files = monthFiles(dataDir, kind, source)
  if (files.length === 0) return undefined
  const instant = `${'date' in columns ? 'date' : 'time'}::TIMESTAMP`
  const rows = await read(
    connection,
    `SELECT count(*) FILTER (revision = 1)::INTEGER AS observations, epoch_ms(min(${instant}))::DOUBLE AS first,
       epoch_ms(max(${instant}))::DOUBLE AS last FROM ${parquetFiles(files)}`,
  )
  return z.tuple([z.object({ observations: z.int(), first: z.number(), last: z.number() })]).parse(rows)[0]
}

export function storedSources(
  dataDir: string,
  kind: string,
  isAsked: (source: string) => boolean = () => true,
): string[] {
  const folder = path.join(marketFolder(dataDir), kind)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((source) => isAsked(source) && readdirSync(path.join(folder, source)).some(isMonthFile))
    .sort()
}

/**
 * Changes whenever something of the kind is stored: each append replaces a file in its source's
 * folder.
 */
export const storedStamp = (dataDir: string, { kind }: ObservationTable): string =>
  storedSources(dataDir, kind)
    .map((source) => `${source} ${statSync(path.join(marketFolder(dataDir), kind, source)).mtimeMs}`)
    .join(' ')

/** Hash of a kind's stored months before an instant (milliseconds since 1970). */
export function storedDigest(dataDir: string, { kind }: ObservationTable, before: number): string {
  const end = formatMonth({ time: before })
  return hashFiles(listFiles(dataDir, kind, (month) => month < end))
}

/** Verifies every file; returns the hash of all observations. */
export const verifyStored = (dataDir: string): string =>
  hashFiles(Object.keys(tables).flatMap((kind) => listFiles(dataDir, kind)))

function hashFiles(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) {
    const [month, source, kind] = file.split(path.sep).reverse()
    hash.update(`${kind} ${source} ${month} ${verifyFile(file)}\n`)
  }
  return hash.digest('hex')
}

type IsWanted = (month: string) => boolean

const listFiles = (dataDir: string, kind: string, isWanted?: IsWanted): string[] =>
  storedSources(dataDir, kind).flatMap((source) => findFiles(dataDir, kind, source, isWanted))

/** Verifies the files it returns. */
function monthFiles(dataDir: string, kind: string, source: string, isWanted?: IsWanted): string[] {
  const files = findFiles(dataDir, kind, source, isWanted)
  for (const file of files) verifyFile(file)
  return files
}

function findFiles(dataDir: string, kind: string, source: string, isWanted: IsWanted = () => true): string[] {
  const folder = path.join(marketFolder(dataDir), kind, source)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => isMonthFile(name) && isWanted(path.basename(name, '.parquet')))
    .sort()
    .map((name) => path.join(folder, name))
}

const isMonthFile = (name: string): boolean => name.endsWith('.parquet') && !name.startsWith(unfinishedPrefix)

/** Fails if simulated and real data would mix. */
export function refuseMixture(dataDir: string, source: string): void {
  const isOther = (name: string): boolean => (name === simulatedSource) !== (source === simulatedSource)
  const [other] = Object.keys(tables).flatMap((kind) => storedSources(dataDir, kind, isOther))
  if (other === undefined) return
  throw new CoinstrataError(
    'data_folder_mismatch',
    `${dataDir} holds market data from ${other}; data from ${source} cannot be added, since simulated and real data never mix`,
    { cure: 'use another data folder (--data-dir or DATA_DIR)' },
  )
}

function formatMonth(row: Cells): string {
  const instant = typeof row.date === 'number' ? row.date * msPerDay : Number(row.time)
  return new Date(instant).toISOString().slice(0, 7)
}

const declarations = (columns: Readonly<Record<string, ColumnType>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')

/** Nulls for columns newer than a file. */
const storedRows = (files: readonly string[], columns: Readonly<Record<string, ColumnType>>): string => {
  const nothing = Object.entries(columns).map(([name, type]) => `NULL::${type} AS ${name}`)
  const read = `FROM ${parquetFiles(files, { byName: true })}`
  return `${read} UNION ALL BY NAME (SELECT ${nothing.join(', ')} LIMIT 0)`
}

const newestSql = (rows: string, key: readonly string[]): string =>
  `FROM (${rows}) QUALIFY row_number() OVER (PARTITION BY ${key.join(', ')} ORDER BY revision DESC) = 1`

function toNumberSql(name: string, type: ColumnType): string {
  if (type === 'DATE') return `(${name} - DATE '1970-01-01')::INTEGER`
  return type === 'TIMESTAMP' ? `epoch_ms(${name})::DOUBLE` : name
}

const read = (connection: DuckDBConnection, sql: string): Promise<unknown[]> =>
  runExclusive(connection, () => readRows(connection, sql))

async function readRows(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS()
}

function appendRow(
  appender: DuckDBAppender,
  columns: Readonly<Record<string, ColumnType>>,
  row: Cells,
  month: string,
): void {
  for (const [name, type] of Object.entries(columns)) {
    const cell = row[name]
    if (cell === null) appender.appendNull()
    else if (typeof cell === 'string') appender.appendVarchar(cell)
    else if (cell === undefined || Number.isNaN(cell)) throw new Error(`observation without ${name}`)
    else if (type === 'DATE') appender.appendDate(new DuckDBDateValue(cell))
    else if (type === 'TIMESTAMP') appender.appendTimestamp(new DuckDBTimestampValue(BigInt(cell) * 1000n))
    else if (type === 'INTEGER') appender.appendInteger(cell)
    else appender.appendDouble(cell)
  }
  appender.appendVarchar(month)
  appender.endRow()
}
