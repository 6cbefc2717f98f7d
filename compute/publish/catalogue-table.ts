import { tables } from '#contract/tables/tables.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { relatedMetrics, shortDescription } from '../catalogue/definition.ts'
import { affectedMetrics, type MetricChange, metricHistory } from '../catalogue/metric-history.ts'
import { findIntervals } from '../catalogue/metric-intervals.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { Draft } from './draft.ts'

/**
 * @param firstDates first day (YYYY-MM-DD) with a value, by metric; other metrics are not active
 */
export function writeCatalogueTable(draft: Draft, catalogue: Catalogue, firstDates: ReadonlyMap<string, string>): void {
  const { definitions, formulas } = catalogue
  const intervals = findIntervals(catalogue)
  const rows = definitions.map((definition) => ({
    ...definition,
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
  draft.writeRows(tables.catalogue, rows)
}

export function writeHistoryTable(
  draft: Draft,
  { formulas }: Catalogue,
  cohorts: readonly Cohort[],
  history: readonly MetricChange[] = metricHistory,
): void {
  const rows = history.map((change, i) => ({
    ...change,
    number: i + 1,
    metrics: affectedMetrics(change, formulas, cohorts),
  }))
  draft.writeRows(tables.metric_history, rows)
}
