import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { seriesNotes, withNotes } from '../answers/notes.ts'
import { metricId, parameters } from '../answers/parameters.ts'
import { significant, significantOrNull } from '../answers/rounding.ts'
import { extremeRow, knownRows } from '../answers/rows.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { family, readBoundaries } from './cycles.ts'
import { defineTool } from './tool.ts'

const value = z.number().nullable()

export const compareCycles = defineTool({
  name: 'compare_cycles',
  title: 'Cycles on the same day',
  description:
    'Any metric on the same day of each halving cycle (or since each all-time high or low): its value, the multiple of the value on the first day, and the highest value of the whole cycle. There are only a few cycles, so a likeness is not a rule.',
  input: parameters({
    metric: metricId.default('price'),
    family: family.default('halving'),
    day: z
      .int()
      .min(0)
      .max(5_000)
      .optional()
      .describe('Days since the cycle began; default: those of the running cycle'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    metric: z.string(),
    unit: z.string().optional(),
    day: z.int(),
    cycles: z
      .array(
        z.object({
          cycle: z.int(),
          start_date: z.string(),
          date: z
            .string()
            .nullable()
            .describe('That day of the cycle; null if the cycle was shorter or has not reached it'),
          value,
          times_start: value,
          highest: z
            .object({ value: z.number(), date: z.string(), day: z.int(), only_since: z.string().optional() })
            .nullable()
            .describe('In the whole cycle; so far if it is running'),
        }),
      )
      .describe('Newest first; the first is running'),
  }),
  run: async ({ metric, family: cycleFamily, day: requestedDay }, call) => {
    const [{ data: cycles }, { days, columns, meta }] = await Promise.all([
      readBoundaries(cycleFamily, call.rest, call.signal),
      readSeries([metric], call),
    ])
    const values = columns.get(metric)
    const [running] = cycles
    const newest = days.at(-1)
    if (!values || !running || newest === undefined) {
      throw new ToolError(`nothing is known of ${metric} by cycles`, 'see get_status for what is published')
    }
    const day = requestedDay ?? newest - parseDay(running.start_date)
    const at = (unixDay: number): number | null => {
      const found = values[unixDay - days[0]!] ?? Number.NaN
      return Number.isNaN(found) ? null : found
    }
    const cutAt = meta.history_limited_to
    const highestIn = (start: number, end: number) => {
      const rows = knownRows(values, { from: start - days[0]!, to: end - days[0]! + 1 })
      if (rows.length === 0) return null
      const row = extremeRow(values, rows, 1)
      const [date, since] = [days[row]!, cutAt !== undefined && start < parseDay(cutAt) ? { only_since: cutAt } : {}]
      return { value: significant(values[row]!), date: isoDate(date), day: date - start, ...since }
    }
    const known = (await call.catalogue.read(call.rest, call.signal)).find(metric)
    return {
      ...withNotes(seriesNotes(meta)),
      metric,
      ...(known && { unit: known.unit }),
      day,
      cycles: cycles.map(({ cycle, start_date, end_date }) => {
        const start = parseDay(start_date)
        const end = end_date === null ? newest : parseDay(end_date)
        const isWithin = start + day <= end
        const [current, first] = [isWithin ? at(start + day) : null, at(start)]
        return {
          cycle,
          start_date,
          date: isWithin ? isoDate(start + day) : null,
          value: significantOrNull(current),
          times_start: current !== null && first !== null && first > 0 ? significant(current / first) : null,
          highest: highestIn(start, end),
        }
      }),
    }
  },
})
