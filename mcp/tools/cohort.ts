import { z } from 'zod'
import { findNearest } from '#base/suggestions.ts'
import { servedCohorts } from '#contract/cohorts.ts'
import { answeringIds } from '#contract/metric-ids.ts'
import { answerFields } from '../answers/answer-fields.ts'
import { fields as fieldsParameter, normalizeName, parameters, timeParameters } from '../answers/parameters.ts'
import { metricField, seriesSchema } from '../answers/series-answer.ts'
import type { Catalogue, Metric } from '../client/catalogue.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const defaultFields = [
  ...['supply', 'supply_percent', 'supply_change_30d', 'realized_cap', 'realized_price', 'mvrv', 'nupl'],
  ...['supply_in_profit_percent', 'sopr', 'realized_profit', 'realized_loss', 'spent_volume', 'coindays_destroyed'],
]

const cohortAliases: Readonly<Record<string, string>> = {
  long_term_holders: 'lth',
  long_term_holder: 'lth',
  short_term_holders: 'sth',
  short_term_holder: 'sth',
}

export const cohortMetrics = defineTool({
  name: 'get_cohort_metrics',
  title: 'One group of coins',
  description: `supply (BTC), realized_price (USD), mvrv, nupl, sopr, spent_volume and more of one cohort of coins: an age band (${servedCohorts.join(', ')}: long- and short-term holders), older or younger than an age (over_1y, under_6m), of a year (y2017) or halving epoch (epoch_4). Profit and loss need a key of tier pro or higher.`,
  more: `Default fields: ${defaultFields.join(', ')}.`,
  input: parameters({
    cohort: z
      .string()
      .overwrite((text) => cohortAliases[normalizeName(text)] ?? normalizeName(text))
      .regex(/^\w{1,30}$/, 'must be a cohort such as 1y_2y, lth or over_1y'),
    ...timeParameters,
    fields: fieldsParameter,
  }),
  output: seriesSchema,
  run: async ({ cohort, fields, ...request }, call) => {
    const catalogue = await call.catalogue.read(call.rest, call.signal)
    const known = listCohorts(catalogue)
    if (!known.has(cohort)) {
      const near = findNearest(cohort, known)
      throw new ToolError(
        `there is no cohort '${cohort}'`,
        `use one of ${servedCohorts.join(', ')}; there are more, such as ${near.join(', ')}`,
      )
    }
    const measures = [...new Set(fields ?? defaultFields)]
    const chosen = measures.flatMap((measure) => {
      const metric = findCohortMetric(catalogue, measure, cohort)
      if (metric) return [metricField(metric, measure)]
      if (!fields) return []
      throw new ToolError(
        `there is no measure '${measure}' of cohort ${cohort}`,
        `use measures such as ${defaultFields.join(', ')}`,
      )
    })
    return await answerFields(call, chosen, request)
  },
})

/** Ids begin with lth or sth, and end with any other cohort. */
export const findCohortMetric = (catalogue: Catalogue, measure: string, cohort: string): Metric | undefined =>
  catalogue.find(`${measure}_${cohort}`) ?? catalogue.find(`${cohort}_${measure}`)

/** Finds the cohorts, which alone have both a UTXO count and a realized price. */
function listCohorts(catalogue: Catalogue): Set<string> {
  const found = catalogue.metrics
    .flatMap(answeringIds)
    .flatMap((id) => /^utxo_count_(\w+)$/.exec(id)?.[1] ?? /^(\w+)_utxo_count$/.exec(id)?.[1] ?? [])
  return new Set(found.filter((cohort) => findCohortMetric(catalogue, 'realized_price', cohort)))
}
