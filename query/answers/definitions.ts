import { parseDay } from '#base/days.ts'
import { packIndex } from '#contract/metric-index.ts'
import { rows } from '#contract/rows.ts'
import { searchMetrics } from '#contract/search/search.ts'
import type { Metric } from '../catalogue.ts'
import { type Column, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import type { Answer } from './answer.ts'
import { requireMetric } from './series.ts'

interface ListParameters {
  readonly active_only: boolean
}

interface SearchParameters extends ListParameters {
  readonly q?: string | undefined
}

const maxFound = 50

const listed = ({ catalogue }: View, { active_only }: ListParameters): readonly Metric[] =>
  active_only ? catalogue.metrics.filter(({ active }) => active) : catalogue.metrics

/** All metrics, or those that match a search, best first. */
export function metricsListAnswer(view: View, { q, ...parameters }: SearchParameters): Answer {
  const all = listed(view, parameters)
  if (q === undefined) return { table: tableOf(definitionColumns(all)) }
  // Always the same array, for which the search caches its index.
  const found = searchMetrics(view.catalogue.metrics, q, Number.POSITIVE_INFINITY)
  const { notTracked } = found
  const wanted = new Set(all)
  const metrics = found.metrics.filter((metric) => wanted.has(metric)).slice(0, maxFound)
  const note = notTracked ?? (metrics.length === 0 ? `no metric fits '${q}'` : undefined)
  return { table: tableOf(definitionColumns(metrics)), ...(note !== undefined && { meta: { note } }) }
}

export const definitionAnswer = (view: View, { metric_id }: { readonly metric_id: string }): Answer => ({
  table: tableOf(definitionColumns([requireMetric(view, metric_id, 'metric_id')])),
})

const indexEntry = rows.metricIndex.omit({ cohorts: true })

/** All metrics in compact form, the cohorts of a measure together. */
export function metricIndexAnswer({ catalogue }: View): Answer {
  const entries = catalogue.metrics.map((metric) => indexEntry.parse(metric))
  const packed = packIndex(entries, ({ id }) => catalogue.find(id)?.cohort ?? null)
  return {
    table: tableOf([
      ...textColumns(packed, 'id', 'name', 'category', 'unit', 'dimension', 'kind', 'aggregate', 'endpoint', 'style'),
      { name: 'grade', kind: 'integer', values: Float64Array.from(packed, ({ grade }) => grade) },
      { name: 'aliases', kind: 'list', values: packed.map(({ aliases }) => aliases) },
      { name: 'cohorts', kind: 'list', values: packed.map(({ cohorts }) => cohorts) },
    ]),
  }
}

export function categoriesAnswer(view: View, parameters: ListParameters): Answer {
  const categories = [...Map.groupBy(listed(view, parameters), ({ category }) => category)]
  const metrics = categories.map(([, members]) => members.map(({ id }) => id))
  return {
    table: tableOf([
      { name: 'name', kind: 'text', values: categories.map(([name]) => name) },
      { name: 'count', kind: 'integer', values: Float64Array.from(metrics, (ids) => ids.length) },
      { name: 'metrics', kind: 'list', values: metrics },
    ]),
  }
}

function definitionColumns(metrics: readonly Metric[]): Column[] {
  const firstDay = ({ first_date }: Metric): number => (first_date === null ? Number.NaN : parseDay(first_date))
  return [
    ...textColumns(metrics, 'id', 'name', 'short_description', 'description', 'category'),
    ...textColumns(metrics, 'unit', 'dimension', 'kind', 'aggregate', 'endpoint', 'field'),
    { name: 'grade', kind: 'integer', values: Float64Array.from(metrics, ({ grade }) => grade) },
    ...textColumns(metrics, 'formula', 'variant', 'source'),
    { name: 'first_date', kind: 'date', values: Float64Array.from(metrics, firstDay) },
    ...textColumns(metrics, 'style', 'scale'),
    { name: 'related', kind: 'list', values: metrics.map(({ related }) => related) },
    { name: 'aliases', kind: 'list', values: metrics.map(({ aliases }) => aliases) },
    { name: 'active', kind: 'flag', values: metrics.map(({ active }) => active) },
  ]
}

const textColumns = <Name extends string>(
  rows: readonly Readonly<Record<Name, string | null>>[],
  ...names: readonly Name[]
): Column[] => names.map((name) => ({ name, kind: 'text', values: rows.map((row) => row[name]) }))
