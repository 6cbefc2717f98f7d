import { z } from 'zod'
import { correlation } from '#base/correlation.ts'
import { metricId, parameters, timeParameters } from '../answers/parameters.ts'
import { round, rowsIn } from '../answers/rows.ts'
import { seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import { readRanks, readSeries } from '../client/read-series.ts'
import { readFields } from './series.ts'
import { defineTool } from './tool.ts'

const coefficient = z.number().nullable().describe('Pearson, -1 to 1; null if too few days have both values')

export const compareMetrics = defineTool({
  name: 'compare_metrics',
  title: 'Compare metrics',
  description:
    'Two to six metrics side by side, with the correlation of each pair: of values, and of changes from day to day. Values that both trend correlate without being related; changes tell more, and neither says what causes what.',
  input: parameters({
    metrics: z.array(metricId).min(2).max(6),
    ...timeParameters,
    days: timeParameters.days.default(365),
  }),
  output: seriesSchema.extend({
    correlations: z.array(
      z.object({ metrics: z.array(z.string()), of_values: coefficient, of_daily_changes: coefficient }),
    ),
  }),
  run: async ({ metrics, rows, ...range }, call) => {
    const ids = [...new Set(metrics)]
    const history = await readSeries(ids, call)
    const ranks = await readRanks(history, ids, call)
    const { from, to } = rowsIn(history.days, range)
    const columns = ids.flatMap((id) => {
      const values = history.columns.get(id)?.subarray(from, to)
      return values ? [{ id, values, changes: dailyChanges(values) }] : []
    })
    const rounded = (value: number | null): number | null => (value === null ? null : round(value, 4))
    const correlations = columns.flatMap((one, i) =>
      columns.slice(i + 1).map((other) => ({
        metrics: [one.id, other.id],
        of_values: rounded(correlation(one.values, other.values)),
        of_daily_changes: rounded(correlation(one.changes, other.changes)),
      })),
    )
    return {
      ...(await seriesAnswer(history, await readFields(ids, call), { range, rows, ranks, otherParts: correlations })),
      correlations,
    }
  },
})

/** NaN if either value is missing. */
export const dailyChanges = (values: Float64Array): Float64Array =>
  values.map((value, row) => (row === 0 ? Number.NaN : value - values[row - 1]!))
