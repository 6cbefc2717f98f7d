import type { DuckDBConnection } from '@duckdb/node-api'
import { appendColumns, type ColumnValues } from '#sql/columns.ts'
import { writeParquet } from '#sql/parquet.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'

/** Writes `metrics_<category>.parquet`: date and one column per metric, NULL where a metric has no value. */
export async function writeMetricTable(
  connection: DuckDBConnection,
  file: string,
  firstDay: number,
  metrics: readonly (readonly [MetricDefinition, Float64Array])[],
): Promise<void> {
  const days = metrics[0]?.[1].length ?? 0
  const columns: Record<string, ColumnValues> = {
    day: Int32Array.from({ length: days }, (_, day) => firstDay + day),
  }
  for (const [{ column }, values] of metrics) columns[column] = values
  const names = metrics.map(([{ column }]) => quotedIdentifier(column))
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE metric_values (day INTEGER, ${names.map((name) => `${name} DOUBLE`).join(', ')})`,
  )
  await appendColumns(connection, 'metric_values', columns)
  const selected = metrics.map(([definition], i) => publishedColumn(names[i]!, isInteger(definition)))
  await writeParquet(
    connection,
    file,
    `SELECT DATE '1970-01-01' + day AS date, ${selected.join(', ')} FROM metric_values ORDER BY day`,
  )
  await connection.run('DROP TABLE metric_values')
}

/** Amounts in satoshis, and counts that are read and not computed, are published as integers. */
function isInteger({ unit, formula }: Pick<MetricDefinition, 'unit' | 'formula'>): boolean {
  return unit === 'sats' || (unit === 'count' && formula === undefined)
}

/** Select list item that turns NaN into NULL. */
export function publishedColumn(name: string, integer: boolean): string {
  const known = `CASE WHEN isnan(${name}) THEN NULL ELSE ${name} END`
  return integer ? `(${known})::BIGINT AS ${name}` : `${known} AS ${name}`
}
