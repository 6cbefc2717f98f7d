import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { parquetFiles } from './parquet.ts'
import { quotedIdentifier, quotedString } from './quote.ts'

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

/**
 * A few rows as part of the text of the statements that read them. Dates are `YYYY-MM-DD`.
 * @param types DuckDB types by column, in order
 */
export function rowsRelation<const Name extends string, const Column extends string>(
  name: Name,
  types: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<Column, string | number | boolean | null>>[],
): Relation<Name> {
  const [json, structure] = [rows, [types]].map((value) => quotedString(JSON.stringify(value)))
  return { name, from: `(SELECT unnest(from_json(${json}, ${structure}), max_depth := 2))` }
}

export interface QueryInputs {
  /** All tables that the query reads. */
  readonly from: readonly Relation[]
  /** For `getvariable`: whole numbers as INTEGER, and dates. */
  readonly values?: Readonly<Record<string, number | DuckDBDateValue>>
}

/**
 * Returns a SELECT that needs neither views nor variables of the session: relations become its
 * WITH clause, values replace `getvariable('name')`. Fails if a value is missing.
 */
export function bindInputs(query: string, { from, values = {} }: QueryInputs): string {
  const filled = query.replace(/getvariable\('(\w+)'\)/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the query needs a value for ${name}`)
    return toLiteral(value)
  })
  if (from.length === 0) return filled
  // By default DuckDB computes an input that is used twice as a whole, without filters.
  const inputs = from.map(
    ({ name, from: rows }) => `${quotedIdentifier(name)} AS NOT MATERIALIZED (SELECT * FROM ${rows})`,
  )
  // A query may have a WITH clause and begin or end with a comment.
  return `WITH ${inputs.join(', ')} FROM (\n${filled}\n)`
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

/** A query as an input of others, computed by each of them. */
export const boundRelation = <const Name extends string>(
  name: Name,
  query: string,
  inputs: QueryInputs,
): Relation<Name> => ({ name, from: `(${bindInputs(query, inputs)})` })

/** Stores a query's rows as a temporary table, replacing one of the same name. */
export async function queryRelation<const Name extends string>(
  connection: DuckDBConnection,
  name: Name,
  query: string,
  inputs: QueryInputs,
): Promise<Relation<Name>> {
  const table = quotedIdentifier(`queried_${name}`)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${bindInputs(query, inputs)}`)
  return { name, from: table }
}

function toLiteral(value: number | DuckDBDateValue): string {
  if (value instanceof DuckDBDateValue) return `(DATE '1970-01-01' + ${value.days})`
  // DuckDB would round it silently.
  if (!Number.isInteger(value)) throw new Error(`${value} is not a whole number`)
  return `${value}::INTEGER`
}

/** Sends all in one text: a round trip takes as long as running a statement. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await connection.run(statements.join('; '))
}
