import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { parquetFiles } from './parquet.ts'
import { quotedIdentifier } from './quote.ts'

/** Something that a query can read under a name: Parquet files, or a table of the session. */
export interface Relation<Name extends string = string> {
  readonly name: Name
  /** For a FROM clause, where it stands; the name does not work there. */
  readonly from: string
}

export const filesRelation = <const Name extends string>(name: Name, files: readonly string[]): Relation<Name> => ({
  name,
  from: parquetFiles(files),
})

/** What a query reads besides constants. */
export interface QueryInputs {
  /** By these names, and no others, it finds tables. */
  readonly from: readonly Relation[]
  /** What `getvariable` gives it: whole numbers as INTEGER, and dates. */
  readonly values?: Readonly<Record<string, number | DuckDBDateValue>>
}

/** Runs `work` in a session that knows the inputs by their names, and forgets them afterwards. */
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

function toLiteral(value: number | DuckDBDateValue): string {
  if (value instanceof DuckDBDateValue) return `DATE '1970-01-01' + ${value.days}`
  // DuckDB would round it without a word.
  if (!Number.isInteger(value)) throw new Error(`${value} is not a whole number`)
  return `${value}::INTEGER`
}

/** As one text: each that is sent to DuckDB by itself takes as long as it takes to run. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await connection.run(statements.join('; '))
}
