import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
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
  /** What `getvariable` gives it. */
  readonly values?: Readonly<Record<string, DuckDBValue>>
}

/** Runs `work` in a session that knows the inputs by their names, and forgets them afterwards. */
export async function withInputs<T>(
  connection: DuckDBConnection,
  { from, values = {} }: QueryInputs,
  work: () => Promise<T>,
): Promise<T> {
  const names = from.map(({ name }) => quotedIdentifier(name))
  try {
    for (const [i, name] of names.entries()) {
      await connection.run(`CREATE TEMP VIEW ${name} AS SELECT * FROM ${from[i]!.from}`)
    }
    for (const [name, value] of Object.entries(values)) await connection.run(`SET VARIABLE ${name} = $value`, { value })
    return await work()
  } finally {
    for (const name of names) await connection.run(`DROP VIEW IF EXISTS ${name}`)
    for (const name of Object.keys(values)) await connection.run(`RESET VARIABLE ${name}`)
  }
}
