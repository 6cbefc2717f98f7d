import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { parquetFiles } from './parquet.ts'
import { quotedIdentifier } from './quote.ts'

/** Parquet files or a session table, queried under a name. */
export interface Relation<Name extends string = string> {
  readonly name: Name
  /** For a FROM clause; the name works only inside `withInputs`. */
  readonly from: string
}

export const filesRelation = <const Name extends string>(name: Name, files: readonly string[]): Relation<Name> => ({
  name,
  from: parquetFiles(files),
})

export interface QueryInputs {
  /** All tables that the query reads. */
  readonly from: readonly Relation[]
  /** For `getvariable`: whole numbers as INTEGER, and dates. */
  readonly values?: Readonly<Record<string, number | DuckDBDateValue>>
}

/** Runs `work` with the inputs as views and variables of the session, then drops them. */
export async function withInputs<T>(
  connection: DuckDBConnection,
  { from, values = {} }: QueryInputs,
  work: () => Promise<T>,
): Promise<T> {
  const views = from.map((relation) => ({ ...relation, name: quotedIdentifier(relation.name) }))
  try {
    await runAll(connection, [
      ...views.map((view) => `CREATE TEMP VIEW ${view.name} AS SELECT * FROM ${view.from}`),
      ...Object.entries(values).map(([name, value]) => `SET VARIABLE ${name} = ${toLiteral(value)}`),
    ])
    return await work()
  } finally {
    await runAll(connection, [
      ...views.map(({ name }) => `DROP VIEW IF EXISTS ${name}`),
      ...Object.keys(values).map((name) => `RESET VARIABLE ${name}`),
    ])
  }
}

/** Stores a query's rows as a temporary table, replacing one of the same name. */
export async function queryRelation<const Name extends string>(
  connection: DuckDBConnection,
  name: Name,
  query: string,
  inputs: QueryInputs,
): Promise<Relation<Name>> {
  const table = quotedIdentifier(`queried_${name}`)
  await withInputs(connection, inputs, () => connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${query}`))
  return { name, from: table }
}

function toLiteral(value: number | DuckDBDateValue): string {
  if (value instanceof DuckDBDateValue) return `DATE '1970-01-01' + ${value.days}`
  // DuckDB would round it silently.
  if (!Number.isInteger(value)) throw new Error(`${value} is not a whole number`)
  return `${value}::INTEGER`
}

/** Sends all in one text: a round trip takes as long as running a statement. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await connection.run(statements.join('; '))
}
