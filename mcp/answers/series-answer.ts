import { z } from 'zod'
import { dayOf, isoDate } from '#root/days.ts'
import type { History } from '../client/history.ts'
import { ToolError } from '../client/tool-error.ts'
import { type Cell, thinToFit } from './bounded.ts'
import { historyNote, metaNotes } from './notes.ts'
import { describeSeries, statisticsSchema } from './statistics.ts'
import { type Range, rowsIn } from './window.ts'

/** A column of an answer. */
export interface Field {
  readonly name: string
  /** In the history. */
  readonly column: string
  readonly metricId: string | null
  readonly unit: string | null
}

export const cell = z.union([z.string(), z.number(), z.null()])

export const seriesSchema = z.object({
  notes: z.array(z.string()).describe('What limits the use of the numbers'),
  statistics: z
    .array(
      z.object({
        field: z.string(),
        metric_id: z.string().nullable(),
        unit: z.string().nullable(),
        ...statisticsSchema.shape,
      }),
    )
    .describe('Of all days, also of those thinned out of rows'),
  row_count: z.number().describe('Before thinning'),
  thinning: z.string().nullable(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)).describe('Newest first'),
  generation: z.string(),
})

export type SeriesAnswer = z.infer<typeof seriesSchema>

interface Request {
  readonly range: Range
  /** Rows of weeks or months, in place of those of the days of the range. */
  readonly periods?: History
  readonly notes?: readonly string[]
  /** What else the answer will hold, so that room is left for it. */
  readonly beside?: unknown
}

/** The rows of a range, newest first and thinned to fit, with statistics of the whole. */
export function seriesAnswer(history: History, fields: readonly Field[], request: Request): SeriesAnswer {
  const { range, periods } = request
  if (range.start_date !== undefined && range.end_date !== undefined && range.start_date > range.end_date) {
    throw new ToolError(`start_date ${range.start_date} is later than end_date ${range.end_date}`, 'exchange them')
  }
  const { days, columns, meta } = history
  const shown = fields.flatMap((field) => {
    const values = columns.get(field.column)
    return values === undefined ? [] : [{ ...field, values }]
  })
  const { from, to } = rowsIn(days, range)
  const rows = periods ? rowsOf(periods, shown, 0, periods.days.length) : rowsOf(history, shown, from, to)
  const answer = {
    notes: [...notesOf(history, range), ...(request.notes ?? [])],
    statistics: shown.map(({ name, metricId, unit, values }) => ({
      field: name,
      metric_id: metricId,
      unit,
      ...describeSeries(days, values, from, to),
    })),
    row_count: rows.length,
    thinning: null,
    columns: ['date', ...shown.map(({ name }) => name)],
    generation: meta.generation,
  }
  const { rows: kept, step } = thinToFit(rows, { ...answer, thinning: thinningRule(999), beside: request.beside })
  return { ...answer, thinning: step === 1 ? null : thinningRule(step), rows: kept }
}

/** From `from` to before `to`, newest first. */
function rowsOf({ days, columns }: History, fields: readonly Field[], from: number, to: number): Cell[][] {
  const shown = fields.map(({ column }) => columns.get(column))
  return Array.from({ length: Math.max(0, to - from) }, (_, i): Cell[] => {
    const row = to - 1 - i
    return [isoDate(days[row]!), ...shown.map((values) => (values ? known(values[row]!) : null))]
  })
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)

const thinningRule = (step: number): string =>
  `every ${ordinal(step)} row, counted back from the newest; statistics are of all rows. A shorter range or fewer fields show more`

export function ordinal(number: number): string {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th'
  return `${number}${number % 100 > 10 && number % 100 < 14 ? 'th' : ending}`
}

function notesOf({ meta, days }: History, range: Range): string[] {
  const notes = metaNotes(meta)
  const limit = meta.history_limited_to
  if (limit === undefined) return notes
  const reachesFurther =
    range.start_date === undefined ? range.days > days.length : dayOf(range.start_date) < dayOf(limit)
  return [
    ...notes,
    `${historyNote(limit)} Percentiles and changes are of these days only${reachesFurther ? ', and the range is cut to them' : ''}.`,
  ]
}
