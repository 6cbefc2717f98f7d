import type { z } from 'zod'
import { type KnownIds, MetricNames } from '#contract/metric-ids.ts'
import { metricPlace, rows } from '#contract/rows.ts'
import { isSearchPrepared, type SearchResult, searchMetrics } from '#contract/search/search.ts'
import { endpointPath } from '#contract/variants.ts'
import type { ColumnDescription } from './table/columns.ts'

export const metricSchema = rows.metric.extend(metricPlace.shape)

/** With the table and column of its values. */
export type Metric = z.infer<typeof metricSchema>

/** A distribution has no daily value, but its own endpoint. */
export const isSeries = ({ table_name }: Metric): boolean => table_name !== 'cost_basis'

/** For Parquet. */
export const describeColumn = (metric: Metric | undefined): ColumnDescription | undefined =>
  metric && {
    title: metric.name,
    description: metric.description,
    unit: metric.unit,
    formula: metric.formula ?? undefined,
    source: metric.source ?? undefined,
  }

/** Callers of `Generations.read` never see it: it prepares the search, and repeats the request. */
export class SearchUnprepared extends Error {}

export class Catalogue {
  /** In their published order. */
  readonly metrics: readonly Metric[]
  readonly ids: KnownIds
  readonly names: MetricNames<Metric>
  readonly #byEndpoint: ReadonlyMap<string, readonly Metric[]>

  constructor(metrics: readonly Metric[]) {
    this.metrics = metrics
    this.names = new MetricNames(this.metrics)
    this.ids = {
      has: (id) => this.find(id) !== undefined,
      suggest: (id) => this.search(id, 1).metrics[0]?.id,
    }
    this.#byEndpoint = Map.groupBy(this.metrics, endpointPath)
  }

  /** By id, or by a name or alias that no other metric has. */
  find(id: string): Metric | undefined {
    return this.names.find(id)
  }

  /** To prepare the first search would keep other requests waiting. Throws `SearchUnprepared`. */
  search(text: string, max: number): SearchResult<Metric> {
    if (!isSearchPrepared(this.metrics)) throw new SearchUnprepared('the search is not prepared')
    return searchMetrics(this.metrics, text, max)
  }

  servedBy(endpoint: string): readonly Metric[] {
    return this.#byEndpoint.get(endpoint) ?? []
  }

  /** Columns of `cohorts` that every cohort has, in the order of the catalogue. */
  get measures(): readonly { readonly column_name: string; readonly grade: number }[] {
    const measures = this.metrics.filter(({ table_name }) => table_name === 'cohorts')
    return [...new Map(measures.map((metric) => [metric.column_name, metric])).values()]
  }
}
