import { metricTables, ownMetrics, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import { type NewDays, newDates, onNewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

const tables = { ...metricTables, own_metrics: ownMetrics }
type MetricTable = keyof typeof tables

export const declaredMetrics = (table: MetricTable, metrics: readonly MetricDefinition[]): Table<MetricTable> =>
  withColumns<Table<MetricTable>>(
    tables[table],
    metrics.map(({ name, ...definition }) => ({ ...definition, title: name })),
  )

export function writeMetricTable(
  draft: Draft,
  days: NewDays,
  table: MetricTable,
  metrics: readonly (readonly [MetricDefinition, Float64Array | undefined])[],
): void {
  const definitions = metrics.map(([definition]) => definition)
  const date = newDates(days)
  const nothing = { length: date.length, slice: () => undefined }
  const columns = metrics.map(([{ column }, values]) => [column, values ? onNewDays(days, values) : nothing] as const)
  const cells = { ...Object.fromEntries(columns), date }
  draft.growColumns(declaredMetrics(table, definitions), days, cells)
}
