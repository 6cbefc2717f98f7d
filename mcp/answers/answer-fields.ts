import { findClosest } from '#base/suggestions.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { answeringIds } from '#contract/metric-ids.ts'
import { searchMetrics } from '#contract/search/search.ts'
import type { Call } from '../client/call.ts'
import type { Catalogue, Metric } from '../client/catalogue.ts'
import { readRanks, readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import type { Range, Rows } from './rows.ts'
import { type Field, metricField, type SeriesAnswer, seriesAnswer } from './series-answer.ts'

export interface FieldsRequest extends Range {
  readonly rows?: Rows | undefined
}

/** The columns of `fields` are metric ids. */
export async function answerFields(
  call: Call,
  fields: readonly Field[],
  { rows, ...range }: FieldsRequest,
  notes: readonly string[] = [],
): Promise<SeriesAnswer> {
  const ids = fields.map(({ column }) => column)
  const history = await readSeries(ids, call)
  const ranks = await readRanks(history, ids, call)
  return seriesAnswer(history, fields, { range, rows, ranks, notes })
}

interface DailyRequest extends FieldsRequest {
  readonly fields?: readonly string[] | undefined
}

/** Fields of an endpoint, or metrics by id; default: `defaultFields`. */
export async function answerDaily(
  call: Call,
  endpoint: EndpointId,
  { fields, ...request }: DailyRequest,
  defaultFields: readonly string[],
): Promise<SeriesAnswer> {
  const catalogue = await call.catalogue.read(call)
  const metrics = catalogue.servedBy(endpoint)
  const chosen = chooseFields(metrics, fields, defaultFields, catalogue)
  const others = metrics.filter(({ id }) => !chosen.some(({ metricId }) => metricId === id)).length
  const notes = others > 0 && !fields ? [`${others} more by get_series; search_metrics finds them.`] : []
  return answerFields(call, chosen, request, notes)
}

function chooseFields(
  metrics: readonly Metric[],
  requested: readonly string[] | undefined,
  defaultFields: readonly string[],
  catalogue: Catalogue,
): Field[] {
  const answersTo = (metric: Metric, name: string): boolean => answeringIds(metric).includes(name)
  const find = (name: string): Field | undefined => {
    const metric =
      metrics.find((one) => one.field === name) ?? metrics.find((one) => answersTo(one, name)) ?? catalogue.find(name)
    if (!metric) return undefined
    const own = metrics.includes(metric) ? metric.field : metric.id
    return metricField(metric, answersTo(metric, name) ? name : own)
  }
  return requested
    ? [...new Set(requested)].map((name) => find(name) ?? unknownField(name, metrics))
    : defaultFields.flatMap((name) => find(name) ?? [])
}

const maxSuggestions = 5

function unknownField(name: string, metrics: readonly Metric[]): never {
  const { metrics: found } = searchMetrics(metrics, name, maxSuggestions)
  const typed = findClosest(name, metrics.flatMap(answeringIds))
  const close = new Set([...(typed ? [typed] : []), ...[...found, ...metrics].map(({ field }) => field)])
  throw new ToolError(
    `there is no field '${name}' here`,
    `use fields such as ${[...close].slice(0, maxSuggestions).join(', ')}; search_metrics finds others, and get_series answers any metric by its id`,
  )
}
