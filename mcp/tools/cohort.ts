import { z } from 'zod'
import { idsOf } from '#contract/aliases.ts'
import { servedCohorts } from '#contract/cohorts.ts'
import { nearest } from '#root/suggestions.ts'
import { mostFields, parameters, timeParameters } from '../answers/parameters.ts'
import { seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import type { Catalogue, Metric } from '../client/catalogue.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const headline = [
  ...['supply', 'supply_percent', 'supply_change_30d', 'realized_cap', 'realized_price', 'mvrv', 'nupl'],
  ...['supply_in_profit_percent', 'sopr', 'realized_profit', 'realized_loss', 'spent_volume', 'coindays_destroyed'],
]

export const cohortMetrics = defineTool({
  name: 'get_cohort_metrics',
  title: 'One group of coins',
  description: `Supply (BTC), realized cap and price (USD), MVRV, profit and spending of one cohort, which is coins of one age band (${servedCohorts.join(', ')}), of long-term (lth) or short-term holders (sth), older or younger than an age (over_1y, under_6m), or created in one year (y2017) or halving epoch (epoch_4). Profit and loss need an API key of tier pro or higher.`,
  input: parameters({
    cohort: z.string().regex(/^\w{1,30}$/, 'must be a cohort such as 1y_2y, lth or over_1y'),
    ...timeParameters,
    fields: z
      .array(z.string().max(100))
      .min(1)
      .max(mostFields)
      .optional()
      .describe(`Measures to answer; without it ${headline.join(', ')}`),
  }),
  output: seriesSchema,
  run: async ({ cohort, fields, ...range }, call) => {
    const catalogue = await call.catalogue.read(call.rest, call.signal)
    const known = cohortsOf(catalogue)
    if (!known.has(cohort)) {
      const near = nearest(cohort, known)
      throw new ToolError(
        `there is no cohort '${cohort}'`,
        `use one of ${servedCohorts.join(', ')}, or ${near.join(', ')}`,
      )
    }
    const measures = [...new Set(fields ?? headline)]
    const chosen = measures.flatMap((measure) => {
      const metric = metricOf(catalogue, measure, cohort)
      if (metric) return [{ name: measure, column: metric.id, metricId: metric.id, unit: metric.unit }]
      if (!fields) return []
      throw new ToolError(
        `there is no measure '${measure}' of cohort ${cohort}`,
        `use measures such as ${headline.join(', ')}`,
      )
    })
    const history = await readSeries(
      chosen.map(({ column }) => column),
      call,
    )
    return { structured: seriesAnswer(history, chosen, { range }) }
  },
})

/** Ids carry the holders before the measure, and every other cohort after it. */
const idsWith = (measure: string, cohort: string): string[] => [`${measure}_${cohort}`, `${cohort}_${measure}`]

const metricOf = (catalogue: Catalogue, measure: string, cohort: string): Metric | undefined =>
  idsWith(measure, cohort)
    .map((id) => catalogue.find(id))
    .find((metric) => metric !== undefined)

/** Every cohort has these two measures, and nothing else has both. */
function cohortsOf(catalogue: Catalogue): Set<string> {
  const found = catalogue.metrics
    .flatMap(idsOf)
    .flatMap((id) => /^utxo_count_(\w+)$/.exec(id)?.[1] ?? /^(\w+)_utxo_count$/.exec(id)?.[1] ?? [])
  return new Set(found.filter((cohort) => metricOf(catalogue, 'realized_price', cohort)))
}
