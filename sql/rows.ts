import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedIdentifier } from './quote.ts'

/** Rows that stand as text in memory at a time. */
const rowsPerInsert = 5_000

/**
 * Creates a temporary table from row objects, replacing one of that name. For up to some hundred thousand rows;
 * `createTable` takes longer columns. `types` names the columns in order with their DuckDB types; other properties of
 * the rows are left out. Dates are `YYYY-MM-DD`, and NaN becomes NULL.
 */
export async function createTableOfRows<Column extends string>(
  connection: DuckDBConnection,
  table: string,
  types: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<NoInfer<Column>, unknown>>[],
): Promise<void> {
  const name = quotedIdentifier(table)
  const columns = Object.entries(types).map(([column, type]) => `${quotedIdentifier(column)} ${type}`)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${columns.join(', ')})`)
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await connection.run(`INSERT INTO ${name} SELECT unnest(from_json($rows::JSON, $types), max_depth := 2)`, {
      rows: JSON.stringify(rows.slice(start, start + rowsPerInsert)),
      types: JSON.stringify([types]),
    })
  }
}
