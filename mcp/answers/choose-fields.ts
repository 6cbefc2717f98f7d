import { nearest } from '#base/suggestions.ts'
import { idsOf } from '#contract/aliases.ts'
import { searchMetrics } from '#contract/search/search.ts'
import type { Catalogue, Metric } from '../client/catalogue.ts'
import { ToolError } from '../client/tool-error.ts'
import type { Field } from './series-answer.ts'

/**
 * The metrics of an endpoint that are asked for by field or id, and others of the catalogue by id; without any asked for, those of
 * `headline` that there are. Throws `ToolError` with the fields that were probably meant.
 */
export function chooseFields(
  metrics: readonly Metric[],
  requested: readonly string[] | undefined,
  defaults: readonly string[],
  catalogue: Pick<Catalogue, 'find'>,
): Field[] {
  const find = (name: string): Metric | undefined =>
    metrics.find((metric) => metric.field === name || idsOf(metric).includes(name)) ?? catalogue.find(name)
  const chosen = requested
    ? [...new Set(requested)].map((name) => find(name) ?? unknownField(name, metrics))
    : defaults.flatMap((name) => find(name) ?? [])
  return chosen.map((metric) => {
    const { id, field, unit, kind } = metric
    return { name: metrics.includes(metric) ? field : id, column: id, metricId: id, unit, kind }
  })
}

/** So many fields are named that may be meant. */
const maxSuggestions = 5

function unknownField(name: string, metrics: readonly Metric[]): never {
  const found = searchMetrics(metrics, name.replaceAll('_', ' '), maxSuggestions).metrics
  const similar = nearest(
    name,
    metrics.map(({ field }) => field),
    maxSuggestions,
  )
  const close = new Set([...found.map(({ field }) => field), ...similar])
  throw new ToolError(
    `there is no field '${name}' here`,
    `use fields such as ${[...close].slice(0, maxSuggestions).join(', ')}; search_metrics finds others, and get_series answers any metric by its id`,
  )
}
