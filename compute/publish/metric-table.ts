import { type Category, metricTables, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { createTable } from '#sql/columns.ts'
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
  const columns = metrics.map(([{ column }, values]) => [column, onNewDays(days, values)] as const)
  await createTable(connection, 'metric_values', { day: newDates(days), ...Object.fromEntries(columns) })
  const declared = declaredMetrics(
    category,
    metrics.map(([definition]) => definition),
  )
  // DuckDB keeps the insertion order. Sorting hundreds of columns would take as long as writing
  // them.
  await draft.growCast(declared, days, "(SELECT DATE '1970-01-01' + day AS date, * FROM metric_values)")
  await connection.run('DROP TABLE metric_values')
}
