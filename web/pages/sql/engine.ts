import files from 'duckdb:files'
import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from '@duckdb/duckdb-wasm'
import { parseDay } from '#base/days.ts'
import { isTooLargeForCsv } from '#contract/tables/csv-limit.ts'
import { request } from '../../data/client.ts'

export interface SqlTable {
  readonly name: string
  readonly holds: string
  readonly rows: number
  readonly bytes: number
  readonly tier: string
  /** Name, type and unit of each. */
  readonly columns: readonly (readonly [name: string, type: string, unit: string])[]
}

export interface SqlResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Of the first rows, by column. */
  readonly cells: readonly (readonly (string | null)[])[]
  readonly count: number
  readonly ms: number
  /** Undefined without a date or numbers, or if a date has several rows. */
  readonly lines: ResultLines | undefined
}

/** A value for each day; between two rows on the straight line between theirs. */
export interface ResultLines {
  readonly firstDay: number
  readonly columns: readonly { readonly name: string; readonly values: Float64Array }[]
}

export const maxShownRows = 200
/** For tables and results; the build lets the engine as a whole have 2 GB. */
const memory = '1GB'

/** No files and no network, whatever a query says; the worker's content policy says the same. */
const settings = [
  `memory_limit = '${memory}'`,
  'autoload_known_extensions = false',
  `allowed_paths = ['table.csv', 'result.csv']`,
  'enable_external_access = false',
  'lock_configuration = true',
]

interface Engine {
  readonly database: AsyncDuckDB
  readonly connection: AsyncDuckDBConnection
}

let worker: Worker | undefined
let engine: Promise<Engine> | undefined
let stop: ((reason: Error) => void) | undefined

/** Frees everything; the next query starts again. */
export function stopEngine(): void {
  worker?.terminate()
  worker = undefined
  engine = undefined
  stop?.(new Error('The query was stopped.'))
}

async function startEngine(): Promise<Engine> {
  const toAddress = (file: string): string => new URL(file, document.baseURI).href
  const address = toAddress(files.worker)
  worker = new Worker(
    window.trustedTypes?.createPolicy('duckdb', { createScriptURL: () => address }).createScriptURL('') ?? address,
  )
  const database = new AsyncDuckDB(new VoidLogger(), worker)
  await database.instantiate(toAddress(files.wasm))
  const connection = await database.connect()
  for (const setting of settings) await connection.query(`SET ${setting}`)
  return { database, connection }
}

/** Loads the tables that the query names. Throws the errors of DuckDB and of the API. */
export async function runQuery(
  text: string,
  tables: readonly SqlTable[],
  onProgress: (what: string) => void,
): Promise<SqlResult> {
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const run = async (): Promise<SqlResult> => {
    onProgress('DuckDB is starting')
    engine ??= startEngine()
    const { database, connection } = await engine
    const sql = text.replace(/[;\s]+$/, '')
    for (;;) {
      const missing = await findMissing(connection, sql, tables)
      if (!missing) break
      onProgress(`${missing.name} is loading`)
      await load(database, connection, missing)
    }
    onProgress('The query is running')
    const start = performance.now()
    await connection.query(`CREATE OR REPLACE TEMP TABLE result AS FROM (\n${sql}\n)`).catch(fromFirstLine)
    const ms = performance.now() - start
    const [names = [], types = []] = await readText(connection, 'DESCRIBE result')
    const [[count] = []] = await readText(connection, 'SELECT count(*) FROM result')
    const columns = names.map((name, i) => ({ name: name ?? '', type: types[i] ?? '' }))
    return {
      columns,
      lines: await readLines(connection, columns),
      cells: await readText(connection, `FROM result LIMIT ${maxShownRows}`),
      count: Number(count),
      ms,
    }
  }
  return Promise.race([run(), stopped])
}

/** DuckDB binds the query and names the first table that it does not find. */
async function findMissing(connection: AsyncDuckDBConnection, sql: string, tables: readonly SqlTable[]) {
  try {
    await (await connection.prepare(sql)).close()
    return undefined
  } catch (error) {
    const name = /Table with name "?(\w+)"? does not exist/.exec(String(error))?.[1]?.toLowerCase()
    const missing = tables.find((table) => table.name === name)
    if (!missing) throw error
    return missing
  }
}

async function load(database: AsyncDuckDB, connection: AsyncDuckDBConnection, table: SqlTable) {
  const { name, columns } = table
  if (isTooLargeForCsv(table)) {
    throw new Error(`${name} is too large for this page: download v1/tables/${name}.parquet.`)
  }
  const answer = await request(`v1/tables/${name}.csv`)
  await database.registerFileBuffer('table.csv', new Uint8Array(await answer.arrayBuffer()))
  const types = columns.map(([column, type]) => `"${column}": '${type}'`).join(', ')
  await connection.query(
    `CREATE TABLE ${name} AS FROM read_csv('table.csv', auto_detect = false, header = true, delim = ',', quote = '"',
       escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types}})`,
  )
  await database.dropFile('table.csv')
}

/** Errors count lines as the reader does. */
function fromFirstLine(error: unknown): never {
  throw new Error(
    String(error instanceof Error ? error.message : error).replaceAll(
      /^LINE (\d+):/gm,
      (_, line: string) => `LINE ${Number(line) - 1}:`,
    ),
  )
}

/** As DuckDB writes it, exact in every type; by column. */
export async function readText(connection: AsyncDuckDBConnection, query: string): Promise<(string | null)[][]> {
  const answer = await connection.query(`SELECT COLUMNS(*)::VARCHAR FROM (${query})`)
  return answer.schema.fields.map((_, i) =>
    Array.from(answer.getChildAt(i) ?? [], (cell) => (cell === null ? null : String(cell))),
  )
}

const isNumber = /^(DOUBLE|FLOAT|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DECIMAL)/

/** More have no colors that differ. */
const maxLines = 8

async function readLines(
  connection: AsyncDuckDBConnection,
  columns: SqlResult['columns'],
): Promise<ResultLines | undefined> {
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
  const date = columns.find(({ type }) => type === 'DATE')
  const numbers = columns.filter(({ type }) => isNumber.test(type)).slice(0, maxLines)
  if (!date || numbers.length === 0) return undefined
  const selected = numbers.map(({ name }) => `${quote(name)}::DOUBLE`).join(', ')
  const [dates = [], ...read] = await readText(
    connection,
    `SELECT ${quote(date.name)}, ${selected} FROM result WHERE ${quote(date.name)} IS NOT NULL ORDER BY 1`,
  )
  const days = dates.map((text) => parseDay(text ?? ''))
  const [first = 0, last = 0] = [days[0], days.at(-1)]
  if (days.length < 2 || new Set(days).size < days.length) return undefined
  return {
    firstDay: first,
    columns: numbers.map(({ name }, i) => ({ name, values: fillDays(days, read[i] ?? [], last - first + 1) })),
  }
}

function fillDays(days: readonly number[], cells: readonly (string | null)[], length: number): Float64Array {
  const values = new Float64Array(length).fill(Number.NaN)
  const [first = 0] = days
  for (const [row, day] of days.entries()) {
    const before = days[row - 1] ?? day - 1
    const [from, to] = [values[before - first] ?? Number.NaN, Number(cells[row] ?? Number.NaN)]
    for (let i = before + 1; i <= day; i++)
      values[i - first] = i === day ? to : from + ((to - from) * (i - before)) / (day - before)
  }
  return values
}

/** All rows of the last result. */
export async function readCsv(): Promise<Blob> {
  const { database, connection } = await engine!
  await database.registerEmptyFileBuffer('result.csv')
  await connection.query(`COPY result TO 'result.csv' (HEADER)`)
  const bytes = await database.copyFileToBuffer('result.csv')
  await database.dropFile('result.csv')
  return new Blob([new Uint8Array(bytes)], { type: 'text/csv' })
}
