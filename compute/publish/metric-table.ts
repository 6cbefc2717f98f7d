import { type Category, metricTables, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { appendColumns, type ColumnValues } from '#sql/columns.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import type { Draft } from './draft.ts'
import { publishedColumns } from './published-columns.ts'

/** The whole declaration of `metrics_<category>`. */
export const declaredMetrics = (
  category: Category,
  metrics: readonly MetricDefinition[],
): Table<`metrics_${Category}`> =>
  withColumns(
    metricTables[category],
    metrics.map(({ column, unit, whole, description }) => ({
      column,
      unit,
      whole,
      description,
    })),
  )

/** Writes `metrics_<category>`: date and one column per metric, NULL where a metric has no value. */
export async function writeMetricTable(
  draft: Draft,
  firstDay: number,
  category: Category,
  metrics: readonly (readonly [MetricDefinition, Float64Array])[],
): Promise<void> {
  const { connection } = draft
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
  const declared = declaredMetrics(
    category,
    metrics.map(([definition]) => definition),
  )
  await draft.write(
    declared,
    `SELECT DATE '1970-01-01' + day AS date, ${publishedColumns(declared)} FROM metric_values ORDER BY day`,
  )
  await connection.run('DROP TABLE metric_values')
}
