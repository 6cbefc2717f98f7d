import { parseDay } from '#base/days.ts'
import type { MaybePromise } from '#base/maybe-promise.ts'
import { mapInTurns, pacedTurns } from '#base/own-turn.ts'
import { coinCohortEnd } from '#contract/cohorts.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import type { endpoints } from '#contract/endpoints.ts'
import { packIndex } from '#contract/metric-index.ts'
import { ownCategory } from '#contract/metric-kinds.ts'
import { rows } from '#contract/rows.ts'
import { prepareSearch, searchMetrics } from '#contract/search/search.ts'
import { servedCohorts } from '#contract/served-cohorts.ts'
import { endpointPath, isVariant } from '#contract/variants.ts'
import type { Catalogue, Metric } from '../catalogue.ts'
import { type Column, type Table, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import type { Answer } from './answer.ts'
import { requireMetric } from './series.ts'

type ListParameters = Pick<EndpointParameters<typeof endpoints.metricCategories>, 'variants' | 'active_only'>

const maxFound = 50

const tablesByCatalogue = new WeakMap<Catalogue, Map<string, MaybePromise<Table>>>()

/** Going through thousands of metrics takes milliseconds. */
async function answerOnce({ catalogue }: View, name: string, make: () => MaybePromise<Table>): Promise<Answer> {
  const tables = tablesByCatalogue.get(catalogue) ?? new Map<string, MaybePromise<Table>>()
  const table = tables.get(name) ?? make()
  tablesByCatalogue.set(catalogue, tables.set(name, table))
  return { table: await table }
}

const nameOf = (what: string, { variants, active_only }: ListParameters): string => `${what} ${variants} ${active_only}`

const selectMetrics = ({ catalogue }: View, active_only: boolean): readonly Metric[] =>
  active_only ? catalogue.metrics.filter(({ active }) => active) : catalogue.metrics

const withoutCohorts = (metrics: readonly Metric[]): Map<Metric, string[]> =>
  new Map(metrics.map((metric) => [metric, []]))

/**
 * Measures with their cohorts by age, without metrics of single exchanges, funds and entities;
 * cohorts by size, script and origin would double the list.
 */
function listMeasures(view: View, { variants, active_only }: ListParameters): Map<Metric, string[]> {
  const metrics = selectMetrics(view, active_only)
  if (variants === 'all') return withoutCohorts(metrics)
  const { catalogue } = view
  const cohorts = new Set([...servedCohorts, ...catalogue.metrics.flatMap(({ cohort }) => cohort ?? [])])
  // The longest first: lth_smooth before lth.
  const anyCohort = [...cohorts].sort((a, b) => b.length - a.length).join('|')
  const pattern = new RegExp(`^(?:(?<before>${anyCohort})_(?<of>.+)|(?<measure>.+)_(?<after>${anyCohort}))$`)
  const measures = new Map<Metric, string[]>()
  for (const metric of metrics) {
    const isOwn = metric.category === ownCategory
    // `blocks_mined` is no variant, and is not about mined coins.
    if (isVariant(metric) && coinCohortEnd.test(metric.id)) continue
    const { before, of, measure, after } = (isOwn ? null : pattern.exec(metric.id))?.groups ?? {}
    const base = of ?? measure
    const all = catalogue.find(base === 'supply' ? 'circulating_supply' : (base ?? ''))
    const cohort = before ?? after
    if (all && cohort !== undefined) measures.set(all, [...(measures.get(all) ?? []), cohort])
    else if (!measures.has(metric) && !isVariant(metric)) measures.set(metric, [])
  }
  return measures
}

export async function metricsListAnswer(
  view: View,
  { q, ...parameters }: EndpointParameters<typeof endpoints.metrics>,
): Promise<Answer> {
  if (q === undefined) {
    const make = () => tableOf(definitionColumns(listMeasures(view, parameters)))
    return answerOnce(view, nameOf('metrics', parameters), make)
  }
  // The same array each time: the search caches its index.
  await prepareSearch(view.catalogue.metrics, pacedTurns())
  const found = searchMetrics(view.catalogue.metrics, q, Number.POSITIVE_INFINITY)
  const { notTracked } = found
  const metrics = found.metrics.filter(({ active }) => active || !parameters.active_only).slice(0, maxFound)
  const note = notTracked ?? (metrics.length === 0 ? `no metric fits '${q}'` : undefined)
  return { table: tableOf(definitionColumns(withoutCohorts(metrics))), ...(note !== undefined && { meta: { note } }) }
}

export const definitionAnswer = (view: View, { metric_id }: { readonly metric_id: string }): Answer => ({
  table: tableOf(
    definitionColumns(withoutCohorts([requireMetric(view, metric_id, 'metric_id')])).filter(
      ({ name }) => name !== 'cohorts',
    ),
  ),
})

const indexEntry = rows.metricIndex.omit({ cohorts: true })

export const metricIndexAnswer = (view: View): Promise<Answer> => answerOnce(view, 'index', () => indexTable(view))

async function indexTable({ catalogue }: View): Promise<Table> {
  const toEntry = (metric: Metric) => ({ ...indexEntry.parse(metric), endpoint: endpointPath(metric) })
  const entries = await mapInTurns(catalogue.metrics, toEntry)
  const packed = packIndex(entries, ({ id }) => catalogue.find(id)?.cohort ?? null)
  return tableOf([
    ...textColumns(packed, 'id', 'name', 'category', 'unit', 'dimension', 'kind', 'aggregate', 'endpoint', 'style'),
    { name: 'grade', kind: 'integer', values: Float64Array.from(packed, ({ grade }) => grade) },
    { name: 'aliases', kind: 'list', values: packed.map(({ aliases }) => aliases) },
    { name: 'cohorts', kind: 'list', values: packed.map(({ cohorts }) => cohorts) },
  ])
}

export const categoriesAnswer = (view: View, parameters: ListParameters): Promise<Answer> =>
  answerOnce(view, nameOf('categories', parameters), () => {
    const categories = [...Map.groupBy(listMeasures(view, parameters).keys(), ({ category }) => category)]
    const metrics = categories.map(([, members]) => members.map(({ id }) => id))
    return tableOf([
      { name: 'name', kind: 'text', values: categories.map(([name]) => name) },
      { name: 'count', kind: 'integer', values: Float64Array.from(metrics, (ids) => ids.length) },
      { name: 'metrics', kind: 'list', values: metrics },
    ])
  })

function definitionColumns(measures: ReadonlyMap<Metric, readonly string[]>): Column[] {
  const metrics = [...measures.keys()]
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
    { name: 'intervals', kind: 'list', values: metrics.map(({ intervals }) => intervals) },
    // In a long list only on request.
    ...textColumns(metrics, 'table_name', 'column_name', 'cohort').map((column) => ({
      ...column,
      alias: metrics.length > 1,
    })),
    { name: 'cohorts', kind: 'list', values: [...measures.values()] },
  ]
}

const textColumns = <Name extends string>(
  rows: readonly Readonly<Record<Name, string | null>>[],
  ...names: readonly Name[]
): Column[] => names.map((name) => ({ name, kind: 'text', values: rows.map((row) => row[name]) }))
