import files from 'duckdb:files'
import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from '@duckdb/duckdb-wasm'
import { parseDay } from '#base/days.ts'
import { type FullRow, request } from '../../data/client.ts'

export type SqlTable = FullRow<'tables'>
export type SqlResult = Awaited<ReturnType<typeof ask>>

export const isNumber = (type: string): boolean => /^(DOUBLE|FLOAT|DECIMAL\(\d+,\d+\)|\w*INT(EGER)?)$/.test(type)

/** No files and no network, whatever a query says; so does the worker's content policy. */
const settings = `SET memory_limit = '1GB'; SET autoload_known_extensions = false;
SET allowed_paths = ['table.csv.gz', 'result.csv']; SET enable_external_access = false; SET lock_configuration = true`

let worker: Worker | undefined
let engine: ReturnType<typeof startEngine> | undefined
let stop: ((reason: Error) => void) | undefined

/** Frees its memory; the next query starts again. */
export function stopEngine(): void {
  worker?.terminate()
  engine = undefined
  stop?.(new Error('The query was stopped.'))
}

async function startEngine() {
  const address = new URL(files[0], document.baseURI).href
  const policy = window.trustedTypes?.createPolicy('duckdb', { createScriptURL: () => address })
  worker = new Worker(policy?.createScriptURL(address) ?? address)
  const database = new AsyncDuckDB(new VoidLogger(), worker)
  await database.instantiate(new URL(files[1], document.baseURI).href)
  const connection = await database.connect()
  await connection.query(settings)
  return { database, connection }
}

/** Loads the tables that the query names. Errors have the words of DuckDB or of the API. */
export function runQuery(text: string, tables: readonly SqlTable[]): Promise<SqlResult> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  stop = reject
  return Promise.race([ask(text.replace(/[;\s]+$/, ''), tables), stopped])
}

async function ask(sql: string, tables: readonly SqlTable[]) {
  engine ??= startEngine()
  // The next query tries a failed start again.
  engine.catch(() => {
    engine = undefined
  })
  const { database, connection } = await engine
  for (;;) {
    try {
      await (await connection.prepare(sql)).close()
      break
    } catch (error) {
      // DuckDB names the first table that it does not find.
      const [, name] = /Table with name (\w+) does not exist/.exec(String(error)) ?? []
      const missing = tables.find((table) => table.name === name?.toLowerCase())
      if (!missing) throw error
      await load(database, connection, missing)
    }
  }
  // Lines of errors are those of the query.
  await connection.query(`CREATE OR REPLACE TEMP TABLE result AS FROM (${sql}\n)`)
  const [names = [], types = []] = await readText(connection, 'DESCRIBE result')
  const columns = names.map((name, i) => ({ name: name!, type: types[i]! }))
  const [[count] = []] = await readText(connection, 'SELECT count(*) FROM result')
  const cells = await readText(connection, 'FROM result LIMIT 200')
  return { columns, cells, count: Number(count), lines: await readLines(connection, columns) }
}

async function load(database: AsyncDuckDB, connection: AsyncDuckDBConnection, { name, columns = [] }: SqlTable) {
  const answer = await request(`v1/tables/${name}.csv.gz`)
  await database.registerFileBuffer('table.csv.gz', new Uint8Array(await answer.arrayBuffer()))
  const known = new Map(columns.map((column) => [column.split(' ')[0]!, column.split(' ')[1]!]))
  // A tier may see some of the columns.
  const [seen = []] = await readText(
    connection,
    `DESCRIBE FROM read_csv('table.csv.gz', header = true, all_varchar = true)`,
  )
  const types = seen.map((column) => `"${column}": '${known.get(column!)}'`)
  await connection.query(
    `CREATE TABLE ${name} AS FROM read_csv('table.csv.gz', auto_detect = false, header = true, delim = ',', quote = '"',
       escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types.join()}})`,
  )
  await database.dropFile('table.csv.gz')
}

/** By column, as DuckDB writes it: exact in every type. */
async function readText(connection: AsyncDuckDBConnection, query: string): Promise<(string | null)[][]> {
  const answer = await connection.query(`SELECT COLUMNS(*)::VARCHAR FROM (${query})`)
  return answer.schema.fields.map((_, i) => Array.from(answer.getChildAt(i) ?? []))
}

/** Undefined without a date or numbers, or if a date has several rows. */
async function readLines(connection: AsyncDuckDBConnection, columns: readonly { name: string; type: string }[]) {
  const date = columns.findIndex(({ type }) => type === 'DATE') + 1
  // More lines than eight have no colors that differ.
  const numbers = columns.flatMap(({ type }, i) => (isNumber(type) ? [i] : [])).slice(0, 8)
  if (date === 0 || numbers.length === 0) return undefined
  // In a join, columns of the result follow both days.
  const [days = [], ...read] = await readText(
    connection,
    `SELECT #1, ${numbers.map((i) => `last_value(#${i + 3}::DOUBLE IGNORE NULLS) OVER (ORDER BY #1)`).join()}
     FROM (SELECT unnest(generate_series(min(#${date}), max(#${date}), INTERVAL 1 DAY))::DATE AS day FROM result) AS days
     LEFT JOIN (SELECT #${date} AS result_day, * FROM result) AS rows ON rows.result_day = days.day ORDER BY days.day`,
  )
  const [firstDay, lastDay] = [parseDay(days[0] ?? ''), parseDay(days.at(-1) ?? '')]
  if (lastDay - firstDay !== days.length - 1) return undefined
  const toNumbers = (column = 0) => Float64Array.from(read[column] ?? [], (cell) => Number(cell ?? Number.NaN))
  return { firstDay, lastDay, values: new Map(numbers.map((place, i) => [columns[place]!.name, toNumbers(i)])) }
}

/** All rows of the last result. */
export async function readCsv(): Promise<Blob> {
  if (!engine) throw new Error('The data have changed: run the query again.')
  const { database, connection } = await engine
  await connection.query(`COPY result TO 'result.csv' (HEADER)`)
  return new Blob([new Uint8Array(await database.copyFileToBuffer('result.csv'))])
}
