import { z } from 'zod'
import { type KnownIds, MetricNames } from '#contract/metric-ids.ts'
import { metricPlace, rows } from '#contract/rows.ts'
import { searchMetrics } from '#contract/search/search.ts'
import { endpointPath } from '#contract/variants.ts'
import type { ColumnDescription } from './table/columns.ts'

const metricSchema = rows.metric.extend(metricPlace.shape)

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

export class Catalogue {
  /** In their published order. */
  readonly metrics: readonly Metric[]
  readonly ids: KnownIds
  readonly names: MetricNames<Metric>
  readonly #byEndpoint: ReadonlyMap<string, readonly Metric[]>

  constructor(rows: unknown) {
    this.metrics = z.array(metricSchema).parse(rows)
    this.names = new MetricNames(this.metrics)
    this.ids = {
      has: (id) => this.find(id) !== undefined,
      suggest: (id) => searchMetrics(this.metrics, id, 1).metrics[0]?.id,
    }
    this.#byEndpoint = Map.groupBy(this.metrics, endpointPath)
  }

  /** By id, or by a name or alias that no other metric has. */
  find(id: string): Metric | undefined {
    return this.names.find(id)
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
