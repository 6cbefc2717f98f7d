import { type Category, metricTables, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { appendColumns, type ColumnValues } from '#sql/columns.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import { type NewDays, newDates, onNewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

export const declaredMetrics = (
  category: Category,
  metrics: readonly MetricDefinition[],
): Table<`metrics_${Category}`> =>
  withColumns(
    metricTables[`metrics_${category}`],
    metrics.map(({ name, ...definition }) => ({ ...definition, title: name })),
  )

export async function writeMetricTable(
  draft: Draft,
  days: NewDays,
  category: Category,
  metrics: readonly (readonly [MetricDefinition, Float64Array])[],
): Promise<void> {
  const { connection } = draft
  const columns: Record<string, ColumnValues> = { date: newDates(days) }
  for (const [{ column }, values] of metrics) columns[column] = onNewDays(days, values)
  const names = metrics.map(([{ column }]) => quotedIdentifier(column))
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE metric_values (date DATE, ${names.map((name) => `${name} DOUBLE`).join(', ')})`,
  )
  await appendColumns(connection, 'metric_values', columns)
  const declared = declaredMetrics(
    category,
    metrics.map(([definition]) => definition),
  )
  // DuckDB keeps the order of insertion. Sorting hundreds of columns would take as long as writing
  // them.
  await draft.growCast(declared, days, 'metric_values')
  await connection.run('DROP TABLE metric_values')
}
