import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedIdentifier } from './quote.ts'

/**
 * Creates a temporary table from row objects, replacing one of that name. For some thousand rows; `createTable` takes
 * long columns. `types` names the columns in order with their DuckDB types. Dates are `YYYY-MM-DD`.
 */
export async function createTableOfRows<Column extends string>(
  connection: DuckDBConnection,
  table: string,
  types: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${quotedIdentifier(table)} AS
     SELECT unnest(from_json($rows::JSON, $types), max_depth := 2)`,
    { rows: JSON.stringify(rows), types: JSON.stringify([types]) },
  )
}
