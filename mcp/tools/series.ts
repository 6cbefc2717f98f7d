import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { formulaLanguage, formulaSummary } from '#contract/formula-language.ts'
import { defaultInterval } from '#contract/intervals.ts'
import { aggregates } from '#contract/metric-kinds.ts'
import { seriesInterval } from '#contract/parameters.ts'
import { maxFields, metricId, parameters, timeParameters } from '../answers/parameters.ts'
import { rowsIn } from '../answers/rows.ts'
import { formulaField, seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import type { Call } from '../client/call.ts'
import { readRanks, readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

export const formula = z.string().min(1).max(1_000)

const periodNote = 'Rows are of weeks, months or years; the newest has only the days so far. Statistics are of days.'
const fineNote =
  'Rows are of hours or blocks, which of the open day are of the day so far. Statistics are of closed days.'

export const series = defineTool({
  name: 'get_series',
  title: 'Any metrics and formulas',
  description: `Any metrics of the catalogue by id (search_metrics finds them), and a formula over ids, such as price / realized_price or percent_change(lth_supply, 30), in percent. Functions: ${formulaSummary}, + - * / ^, < <= > >= == !=, and or not; s is a series, n days. A formula sees only the days that the caller may see.`,
  more: formulaLanguage,
  input: parameters({
    metrics: z.array(metricId).max(maxFields).default([]),
    formula: formula.optional().describe('Answered as the field formula'),
    interval: seriesInterval
      .default(defaultInterval)
      .describe(
        'Rows by block, hour, day, week, month or year: levels are the last value, flows the sum, ratios of flows those of the sums; get_metric says which metrics have 1h and block',
      ),
    aggregate: z.enum(aggregates).optional().describe('Overrides the rule of interval'),
    ...timeParameters,
  }),
  output: seriesSchema,
  run: async ({ metrics, formula: text, interval, aggregate, rows, ...range }, call) => {
    if (metrics.length === 0 && text === undefined) {
      throw new ToolError('neither metrics nor formula is given', 'give one of them, or both')
    }
    const ids = [...new Set(metrics)]
    const history = await readSeries(ids, call, text)
    const ranks = await readRanks(history, ids, call)
    const { from, to } = rowsIn(history.days, range)
    const [first, last] = from < to ? [history.days[from]!, history.days[to - 1]!].map(isoDate) : []
    const isFine = interval === 'block' || interval === '1h'
    // The open day has blocks, too.
    const start_date = isFine ? (range.start_date ?? first) : first
    const end_date = isFine ? range.end_date : last
    const periods =
      interval === defaultInterval || start_date === undefined
        ? undefined
        : await readSeries(ids, call, text, { interval, aggregate, start_date, end_date })
    const { available_from } = periods?.meta ?? {}
    const notes = [
      isFine ? fineNote : periodNote,
      ...(isFine || aggregate === undefined ? [] : [`Each row is the ${aggregate} of its days, as requested.`]),
      ...(available_from === undefined ? [] : [`Rows after blocks begin at ${available_from}.`]),
    ]
    const fields = await readFields(ids, call)
    const column = { name: formulaField, column: formulaField, metricId: null, unit: null, kind: 'rate' as const }
    const allFields = text === undefined ? fields : [...fields, { ...column, formula: text }]
    return seriesAnswer(history, allFields, { range, rows, ranks, ...(periods && { periods, notes }) })
  },
})

export async function readFields(ids: readonly string[], call: Call) {
  const known = await call.catalogue.read(call)
  return ids.map((id) => {
    const metric = known.find(id)
    const { unit = null, kind = 'level' } = metric ?? {}
    return { name: id, column: id, metricId: metric?.id ?? id, unit, kind }
  })
}
