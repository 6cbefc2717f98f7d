import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column, Value } from '#contract/tables/column.ts'
import { quotedIdentifier } from './quote.ts'
import type { Relation } from './relation.ts'

/** Rows that stand as text in memory at a time. */
const rowsPerInsert = 5_000

/** Columns in order, by their declarations or only their DuckDB types. */
export type RowColumns = Readonly<Record<string, string | Column>>

/** Rows of such columns; they may have further properties. */
export type RowsOf<Columns extends RowColumns> = readonly {
  readonly [Name in keyof Columns]: Columns[Name] extends Column ? Value<Columns[Name]> : unknown
}[]

/**
 * Creates a temporary table from row objects, replacing one of that name. For up to some hundred thousand rows;
 * `createTable` takes longer columns. Properties of the rows that are no columns are left out. Dates are `YYYY-MM-DD`,
 * and NaN becomes NULL.
 */
export async function createTableOfRows<const Columns extends RowColumns>(
  connection: DuckDBConnection,
  table: string,
  columns: Columns,
  rows: RowsOf<NoInfer<Columns>>,
): Promise<void> {
  const name = quotedIdentifier(table)
  const types = Object.entries<string | Column>(columns).map(
    ([column, type]) => [column, typeof type === 'string' ? type : type.type] as const,
  )
  const declared = types.map(([column, type]) => `${quotedIdentifier(column)} ${type}`)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${declared.join(', ')})`)
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    // From a row of its own: a constant DuckDB would convert while it plans, which takes five times as long.
    await connection.run(
      `INSERT INTO ${name} SELECT unnest(from_json(made, $types), max_depth := 2) FROM (VALUES ($rows::JSON)) AS text(made)`,
      {
        rows: JSON.stringify(rows.slice(start, start + rowsPerInsert)),
        types: JSON.stringify([Object.fromEntries(types)]),
      },
    )
  }
}

/** The same for queries that take it by `withInputs`. */
export async function sessionRelation<const Name extends string, const Columns extends RowColumns>(
  connection: DuckDBConnection,
  name: Name,
  columns: Columns,
  rows: RowsOf<NoInfer<Columns>>,
): Promise<Relation<Name>> {
  const table = `rows_of_${name}`
  await createTableOfRows(connection, table, columns, rows)
  return { name, from: quotedIdentifier(table) }
}
