import { z } from 'zod'
import { intervals, usualInterval } from '#contract/intervals.ts'
import { isoDate } from '#root/days.ts'
import { aggregates } from '#root/kinds.ts'
import { metricId, mostFields, parameters, timeParameters } from '../answers/parameters.ts'
import { seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import { rowsIn } from '../answers/window.ts'
import type { Call } from '../client/call.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

export const series = defineTool({
  name: 'get_series',
  title: 'Any metrics and formulas',
  description:
    'Any metrics of the catalogue by id, and a formula over metric ids, such as price / realized_price, zscore(mvrv, 365) or percent_change(lth_supply, 30). Functions: sma, ema, median, sum, std, min, max, shift, diff, percent_change (series, days), cumsum, cummean, cumstd, cummax, cummin, zscore, rsi, abs, log, log10, exp, sqrt, pow, if, and + - * / ^. A formula sees only the days that the caller may see. Find ids with search_metrics.',
  input: parameters({
    metrics: z.array(metricId).max(mostFields).default([]).describe('Ids of metrics, such as mvrv'),
    formula: z.string().min(1).max(1_000).optional().describe('Answered as the field formula'),
    interval: z
      .enum(intervals)
      .default(usualInterval)
      .describe('Rows per day, week (from Monday) or month: levels are the last value, flows the sum, rates the mean'),
    aggregate: z.enum(aggregates).optional().describe('Instead of that, for all fields'),
    ...timeParameters,
  }),
  output: seriesSchema,
  run: async ({ metrics, formula, interval, aggregate, ...range }, call) => {
    if (metrics.length === 0 && formula === undefined) {
      throw new ToolError('neither metrics nor formula is given', 'give one of them, or both')
    }
    const ids = [...new Set(metrics)]
    const history = await readSeries(ids, call, formula)
    const { from, to } = rowsIn(history.days, range)
    const periods =
      interval === usualInterval || from >= to
        ? undefined
        : await readSeries(ids, call, formula, {
            interval,
            aggregate,
            start_date: isoDate(history.days[from]!),
            end_date: isoDate(history.days[to - 1]!),
          })
    const fields = await fieldsOf(ids, call)
    const formulaField = { name: 'formula', column: 'formula', metricId: null, unit: null }
    return {
      structured: seriesAnswer(history, formula === undefined ? fields : [...fields, formulaField], {
        range,
        ...(periods && { periods }),
      }),
    }
  },
})

/** The columns of metrics in an answer, with their units. */
export async function fieldsOf(ids: readonly string[], { catalogue, rest, signal }: Call) {
  const known = await catalogue.read(rest, signal)
  return ids.map((id) => ({ name: id, column: id, metricId: id, unit: known.find(id)?.unit ?? null }))
}
