import { type Category, metricTables, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
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

export function writeMetricTable(
  draft: Draft,
  days: NewDays,
  category: Category,
  metrics: readonly (readonly [MetricDefinition, Float64Array])[],
): void {
  const definitions = metrics.map(([definition]) => definition)
  const columns = metrics.map(([{ column }, values]) => [column, onNewDays(days, values)] as const)
  const cells = { ...Object.fromEntries(columns), date: newDates(days) }
  draft.growColumns(declaredMetrics(category, definitions), days, cells)
}
