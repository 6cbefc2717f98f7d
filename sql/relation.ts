import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { parquetFiles } from './parquet.ts'
import { quotedIdentifier } from './quote.ts'

/** Parquet files or a session table, queried under a name. */
export interface Relation<Name extends string = string> {
  readonly name: Name
  /** For a FROM clause; the name works in queries that `bindInputs` returns. */
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
