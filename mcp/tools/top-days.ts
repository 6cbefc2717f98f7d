import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { onlySince, seriesNotes, withNotes } from '../answers/notes.ts'
import { metricId, parameters, rangeParameters } from '../answers/parameters.ts'
import { significant } from '../answers/rounding.ts'
import { knownRows, rowsIn } from '../answers/rows.ts'
import { formulaField } from '../answers/series-answer.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { formula } from './series.ts'
import { defineTool } from './tool.ts'

export const topDays = defineTool({
  name: 'top_days',
  title: 'Highest and lowest days',
  description:
    'The days with the highest or lowest values of a metric, or of a formula such as percent_change(price, 1) for the largest moves.',
  input: parameters({
    metric: metricId.optional(),
    formula: formula.optional(),
    order: z.enum(['highest', 'lowest']).default('highest'),
    limit: z.int().min(1).max(100).default(10),
    ...rangeParameters,
    days: rangeParameters.days.default(10_000),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    top: z.object({
      only_since: z.string().optional().describe('If present: earlier days are not seen, so these are no records'),
      days: z.array(z.array(z.union([z.string(), z.number()]))).describe('Date and value'),
    }),
    unit: z.string().optional(),
    of_days: z.number().describe('Days with a value that were looked at'),
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  run: async ({ metric, formula: text, order, limit, ...range }, call) => {
    if ((metric === undefined) === (text === undefined)) {
      throw new ToolError('there must be one of metric and formula', 'give one of them')
    }
    const { days, columns, meta } = await readSeries(metric === undefined ? [] : [metric], call, text)
    const values = columns.get(metric ?? formulaField) ?? new Float64Array()
    const rows = knownRows(values, rowsIn(days, range))
    const sign = order === 'highest' ? -1 : 1
    const best = rows.toSorted((one, other) => sign * (values[one]! - values[other]!) || one - other)
    const known = metric && (await call.catalogue.read(call.rest, call.signal)).find(metric)
    return {
      ...withNotes(seriesNotes(meta)),
      top: {
        ...onlySince(meta),
        days: best.slice(0, limit).map((row) => [isoDate(days[row]!), significant(values[row]!)]),
      },
      ...(known && { unit: known.unit }),
      of_days: rows.length,
      from: rows.length > 0 ? isoDate(days[rows[0]!]!) : null,
      to: rows.length > 0 ? isoDate(days[rows.at(-1)!]!) : null,
    }
  },
})
