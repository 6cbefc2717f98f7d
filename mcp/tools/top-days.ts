import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { historyNote, metaNotes } from '../answers/notes.ts'
import { metricId, parameters, rangeParameters } from '../answers/parameters.ts'
import { significant } from '../answers/significant.ts'
import { rowsIn } from '../answers/window.ts'
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
      only_since: z.string().optional().describe('There: earlier days are not seen here, so these are no records'),
      days: z.array(z.array(z.union([z.string(), z.number()]))).describe('Date and value'),
    }),
    unit: z.string().optional(),
    of_days: z.number().describe('Days with a value that were looked at'),
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  run: async ({ metric, formula: asked, order, limit, ...range }, call) => {
    if ((metric === undefined) === (asked === undefined)) {
      throw new ToolError('there must be one of metric and formula', 'give one of them')
    }
    const { days, columns, meta } = await readSeries(metric === undefined ? [] : [metric], call, asked)
    const values = columns.get(metric ?? 'formula')
    const { from, to } = rowsIn(days, range)
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter(
      (row) => values && !Number.isNaN(values[row]!),
    )
    const sign = order === 'highest' ? -1 : 1
    const best = rows.toSorted((one, other) => sign * (values![one]! - values![other]!) || one - other)
    const cutAt = meta.history_limited_to
    const notes = [...metaNotes(meta), ...(cutAt === undefined ? [] : [historyNote(cutAt)])]
    const known = metric && (await call.catalogue.read(call.rest, call.signal)).find(metric)
    return {
      structured: {
        ...(notes.length > 0 && { notes }),
        top: {
          ...(cutAt !== undefined && { only_since: cutAt }),
          days: best.slice(0, limit).map((row) => [isoDate(days[row]!), significant(values![row]!)]),
        },
        ...(known && { unit: known.unit }),
        of_days: rows.length,
        from: rows.length > 0 ? isoDate(days[rows[0]!]!) : null,
        to: rows.length > 0 ? isoDate(days[rows.at(-1)!]!) : null,
      },
    }
  },
})
