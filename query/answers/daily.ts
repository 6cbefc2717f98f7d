import { ApiError } from '#contract/api-error.ts'
import { coinCohortEnd } from '#contract/cohorts.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { type EndpointId, endpoints } from '#contract/endpoints.ts'
import { answeringIds } from '#contract/metric-ids.ts'
import type { DailyRange } from '#contract/parameters.ts'
import { servedCohorts } from '#contract/served-cohorts.ts'
import { type Catalogue, describeColumn, type Metric } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import type { PeriodicColumn } from '../published.ts'
import type { Column } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData, withheldMeta } from './answer.ts'
import { type DailySeries, daysAnswer, recomputedInterval } from './days.ts'

const date = (days: Float64Array): Column => ({ name: 'date', kind: 'date', values: days })
const dateProcessed = (days: Float64Array): Column => ({ name: 'date_processed', kind: 'date', values: days })
const constant = (name: string, value: string, rows: number): Column => ({
  name,
  kind: 'text',
  values: new Array<string>(rows).fill(value),
})

export const onlyDate = (days: Float64Array): Column[] => [date(days)]

/** Columns before the metrics. */
const leadingColumns: Readonly<Partial<Record<EndpointId, (days: Float64Array) => Column[]>>> = {
  prices: (days) => [date(days), constant('symbol', 'BTC', days.length)],
  'holder/supply': (days) => [date(days), dateProcessed(days)],
  'holder/valuation': (days) => [date(days), dateProcessed(days)],
  'holder/profit': (days) => [date(days), dateProcessed(days)],
}

/** Fields besides those of the endpoint's category. */
const extraMetrics: Readonly<Partial<Record<EndpointId, readonly string[]>>> = {
  'holder/valuation': ['lth_unrealized_pl', 'sth_unrealized_pl'],
  coindays: ['transferred_price'],
  blockchain: ['inputs'],
}

const toField = (metric: Metric, name: string) => ({ ...metric, name, columnNotes: describeColumn(metric) })

function servedFields(catalogue: Catalogue, id: EndpointId) {
  const others = (extraMetrics[id] ?? []).flatMap((name) => {
    const metric = catalogue.find(name)
    return metric ? [toField(metric, name)] : []
  })
  return [...catalogue.servedBy(id).map((metric) => toField(metric, metric.field)), ...others]
}

/** Metrics that the catalogue assigns to an endpoint, also by other ids. */
export function endpointAnswer({ id, path }: { readonly id: EndpointId; readonly path: string }) {
  return (view: View, range: DailyRange, wanted: Fields): Promise<Answer> => {
    const named = servedFields(view.catalogue, id)
    const taken = new Set(named.map(({ name }) => name))
    const aliases = named.flatMap((field) =>
      answeringIds(field).flatMap((name) => (taken.has(name) ? [] : [{ ...field, name, alias: true }])),
    )
    return metricsAnswer(view, range, path, [...named, ...aliases], wanted, leadingColumns[id])
  }
}

export async function cohortAnswer(
  view: View,
  range: EndpointParameters<typeof endpoints.cohortMetrics>,
  wanted: Fields,
): Promise<Answer> {
  const cohort = servedCohorts.find((id) => id === range.cohort)
  if (cohort === undefined) {
    const message = `there is no cohort '${range.cohort}' here; the cohorts are ${servedCohorts.join(', ')}. ${endpoints.series.path} serves the metrics of other cohorts`
    throw new ApiError('not_found', message, { parameter: 'cohort', allowed: servedCohorts })
  }
  const metrics = view.catalogue.metrics.filter((metric) => metric.cohort === cohort)
  const byColumn = new Map(metrics.map((metric) => [metric.column_name, metric]))
  const isOfCoins = coinCohortEnd.test(`_${cohort}`)
  // Cohorts by age have a column of every other measure, some under the id of another metric.
  const own = view.catalogue.measures.filter(({ column_name }) =>
    isOfCoins ? byColumn.has(column_name) : !column_name.startsWith('created_'),
  )
  const fields = own.map(({ column_name, grade }) => {
    const metric = byColumn.get(column_name)
    const { aggregate = 'last', formula = null } = metric ?? view.catalogue.find(`${column_name}_${cohort}`) ?? {}
    const columnNotes = describeColumn(metric)
    return { name: column_name, columnNotes, grade, table_name: 'cohorts', column_name, cohort, aggregate, formula }
  })
  const path = endpoints.cohortMetrics.path.replace('{cohort}', cohort)
  return metricsAnswer(view, range, path, fields, wanted, (days) => [
    date(days),
    dateProcessed(days),
    constant('cohort', cohort, days.length),
  ])
}

export function blockchainMetricAnswer(
  view: View,
  range: EndpointParameters<typeof endpoints.blockchainMetric>,
  wanted: Fields,
): Promise<Answer> {
  const served = servedFields(view.catalogue, endpoints.blockchain.id)
  const found = served.find((field) => field.name === range.metric || answeringIds(field).includes(range.metric))
  if (!found) {
    const allowed = served.map(({ name }) => name)
    const message = `${endpoints.blockchain.path} has no field '${range.metric}'; it has ${allowed.join(', ')}`
    throw new ApiError('not_found', message, { parameter: 'metric', allowed })
  }
  return metricsAnswer(view, range, `${endpoints.blockchain.path}/${found.name}`, [found], wanted)
}

interface Field extends Omit<DailySeries, 'values'>, Omit<PeriodicColumn, 'aggregate'> {
  readonly grade: number
  readonly alias?: boolean
}

/** Without metrics that the tier may not see. */
export async function metricsAnswer(
  view: View,
  range: DailyRange,
  path: string,
  all: readonly Field[],
  wanted: Fields,
  before = onlyDate,
): Promise<Answer> {
  const fields = wanted.of(all)
  // Without selected metrics, rows are days on which any visible metric has a value.
  const { visible, withheld } = view.split(
    fields.length > 0 ? fields : all.filter((one) => !one.alias && view.maySee(one)),
    path,
  )
  if (visible.length === 0) return noData
  const values = await view.valuesOf(visible, recomputedInterval(range))
  const series = visible.map((field, i) => ({ ...field, values: values[i]! }))
  const { table, meta } = await daysAnswer(view, series, { range, before })
  return {
    table,
    meta: { ...meta, ...withheldMeta(withheld) },
    fields: [...all.map(({ name }) => name), ...table.columns.map(({ name }) => name)],
  }
}
