import { tables } from '#contract/tables/tables.ts'
import { sessionRelation } from '#sql/rows.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { relatedMetrics, shortDescription } from '../catalogue/definition.ts'
import { affectedMetrics, type MetricChange, metricHistory } from '../catalogue/metric-history.ts'
import { findIntervals } from '../catalogue/metric-intervals.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { Draft } from './draft.ts'

/**
 * @param firstDates first day (YYYY-MM-DD) with a value, by metric; other metrics are not active
 */
export async function writeCatalogueTable(
  draft: Draft,
  catalogue: Catalogue,
  firstDates: ReadonlyMap<string, string>,
): Promise<void> {
  const { definitions, formulas } = catalogue
  const intervals = findIntervals(catalogue)
  const rows = definitions.map((definition, row) => ({
    ...definition,
    row,
    short_description: shortDescription(definition.description),
    formula: definition.formula ?? null,
    variant: definition.variant ?? null,
    source: definition.source ?? null,
    first_date: firstDates.get(definition.id) ?? null,
    related: relatedMetrics(definition, formulas.get(definition.id)?.references.keys() ?? []),
    active: firstDates.has(definition.id),
    intervals: intervals.get(definition.id)!,
    table_name: definition.table,
    column_name: definition.column,
    cohort: definition.cohort ?? null,
  }))
  const columns = { row: 'INTEGER', ...tables.catalogue.columns } as const
  const { from } = await sessionRelation(draft.connection, 'catalogue', columns, rows)
  await draft.write(tables.catalogue, `SELECT * EXCLUDE (row) FROM ${from} AS listed ORDER BY listed.row`)
}

export async function writeHistoryTable(
  draft: Draft,
  { formulas }: Catalogue,
  cohorts: readonly Cohort[],
  history: readonly MetricChange[] = metricHistory,
): Promise<void> {
  const rows = history.map((change, i) => ({
    ...change,
    number: i + 1,
    metrics: affectedMetrics(change, formulas, cohorts),
  }))
  await draft.writeRows(tables.metric_history, rows)
}
