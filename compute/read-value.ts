import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'

/** First column of the first row of a query; `undefined` without rows. */
export async function readValue(
  connection: DuckDBConnection,
  sql: string,
  values?: Record<string, DuckDBValue>,
): Promise<DuckDBValue | undefined> {
  const result = await connection.runAndReadAll(sql, values)
  return result.getRows()[0]?.[0]
}
