import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { MetricDefinition, Origin } from '../catalogue/definition.ts'

/** Columns that were computed in memory: by table, then by column. */
export type ComputedTables = ReadonlyMap<string, ReadonlyMap<string, Float64Array>>

/** The column that tells the series of a long table apart. */
const keyColumns: Readonly<Record<string, string>> = {
  cycle_performance: 'family',
  funding: 'exchange',
  open_interest: 'exchange',
  etf: 'ticker',
  treasuries: 'entity_id',
}

/**
 * The columns of all metrics without a formula, by metric id, on the closed days: from memory, or from the tables and
 * views of the session. A table that is not there has only nulls, since market data may never have been fetched.
 */
export async function originColumns(
  connection: DuckDBConnection,
  definitions: readonly MetricDefinition[],
  computed: ComputedTables,
  days: number,
): Promise<Map<string, Float64Array>> {
  const columns = new Map<string, Float64Array>()
  const present = await tableNames(connection)
  const stored: { id: string; from: Origin }[] = []
  for (const { id, from } of definitions) {
    if (!from) continue
    const table = computed.get(from.table)
    if (!table) stored.push({ id, from })
    else columns.set(id, computedColumn(table, from))
  }
  for (const series of Map.groupBy(stored, ({ from }) => `${from.table} ${from.key}`).values()) {
    const read = present.has(series[0]!.from.table) ? await readSeries(connection, series) : undefined
    for (const { id } of series) columns.set(id, read?.get(id) ?? new Float64Array(days).fill(Number.NaN))
  }
  return columns
}

function computedColumn(table: ReadonlyMap<string, Float64Array>, { column, key, ...from }: Origin): Float64Array {
  const values = table.get(key === undefined ? column : `${column} ${key}`)
  if (!values) throw new Error(`${from.table} has no column ${column} ${key ?? ''}`)
  return values
}

async function tableNames(connection: DuckDBConnection): Promise<Set<string>> {
  const result = await connection.runAndReadAll('SELECT table_name FROM information_schema.tables')
  return new Set(result.getRows().map(([name]) => String(name)))
}

/** Columns of one series of a table, by metric id. */
async function readSeries(
  connection: DuckDBConnection,
  series: readonly { id: string; from: Origin }[],
): Promise<Map<string, Float64Array>> {
  const { table, key } = series[0]!.from
  const selected = series.map(
    ({ id, from }) => `series.${quotedIdentifier(from.column)}::DOUBLE AS ${quotedIdentifier(id)}`,
  )
  const where = key === undefined ? '' : `WHERE ${keyColumns[table]}::VARCHAR = $key`
  const columns = await readColumns(
    connection,
    `SELECT ${selected.join(', ')}
     FROM days LEFT JOIN (FROM ${quotedIdentifier(table)} ${where}) AS series USING (date) ORDER BY days.date`,
    key === undefined ? {} : { key },
  )
  return new Map(
    Object.entries(columns).map(([id, values]) => [
      id,
      values instanceof Float64Array ? values : Float64Array.from(values),
    ]),
  )
}
