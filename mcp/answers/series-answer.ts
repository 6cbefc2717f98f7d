import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { mapInTurns } from '#base/own-turn.ts'
import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Metric } from '../client/catalogue.ts'
import type { History, LinkedHistory } from '../client/history.ts'
import type { Rank } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { thinToFit } from './bounded.ts'
import { seriesNotes, withNotes } from './notes.ts'
import { type Cell, cell, countShownRows, type Range, type Rows, rowsIn, significant } from './rows.ts'
import { describeSeries, statisticsSchema } from './statistics.ts'

export interface Field {
  readonly name: string
  readonly column: string
  readonly metricId: string | null
  readonly unit: string | null
  readonly kind: MetricKind
  readonly formula?: string
}

export const metricField = ({ id, unit, kind }: Pick<Metric, 'id' | 'unit' | 'kind'>, name = id): Field => ({
  name,
  column: id,
  metricId: id,
  unit,
  kind,
})

export const seriesSchema = z.object({
  notes: z.array(z.string()).optional().describe('What limits the use of the numbers'),
  from: z.string().nullable().describe('First day of the range'),
  to: z.string().nullable().describe('Last day of the range'),
  statistics: z.array(
    z.object({
      field: z.string(),
      metric_id: z.string().optional().describe('If it differs from the field'),
      unit: z.string().optional(),
      formula: z.string().optional().describe('As requested; its unit follows from those of its metrics'),
      history_only_since: z.string().optional().describe('The formula saw only days from then on'),
      ...statisticsSchema.shape,
    }),
  ),
  row_count: z.number().describe('Rows of the range; ask with rows for more of them'),
  thinning: z.string().optional().describe('How rows were thinned to fit'),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(cell)).optional().describe('Newest first'),
  csv_url: z.string().optional().describe('All rows as CSV, for the API key of this connection'),
})

export type SeriesAnswer = z.infer<typeof seriesSchema>

interface Request {
  readonly range: Range
  readonly rows?: Rows | undefined
  /** Replace daily rows. */
  readonly periods?: LinkedHistory
  /** By metric id, if history is cut. */
  readonly ranks?: ReadonlyMap<string, Rank> | undefined
  readonly notes?: readonly string[]
  readonly otherParts?: unknown
}

/** Statistics of a range with its newest or requested rows, thinned to fit. */
export async function seriesAnswer(
  history: LinkedHistory,
  fields: readonly Field[],
  request: Request,
): Promise<SeriesAnswer> {
  const { range, periods, ranks } = request
  if (range.start_date !== undefined && range.end_date !== undefined && range.start_date > range.end_date) {
    throw new ToolError(`start_date ${range.start_date} is later than end_date ${range.end_date}`, 'exchange them')
  }
  const { days, columns, meta } = history
  const shown = fields.flatMap((field) => {
    const values = columns.get(field.column)
    return values === undefined ? [] : [{ ...field, values }]
  })
  const { from, to } = rowsIn(days, range)
  const cutAt = meta.history_limited_to
  if (cutAt !== undefined && range.end_date !== undefined && range.end_date < cutAt) {
    const problem = `the requested days are before the history of this connection, which begins on ${cutAt}`
    throw new ToolError(`${problem} [insufficient_tier]`, `ask for days from ${cutAt} on`, {
      code: 'insufficient_tier',
    })
  }
  const isRangeCut = cutAt !== undefined && reachesBefore(cutAt, range, days)
  const rowCount = periods ? periods.days.length : Math.max(0, to - from)
  // Statistics of a single day are its values.
  const requestedRows = request.rows ?? (rowCount === 1 ? 'none' : undefined)
  const newest = Math.min(rowCount, countShownRows(requestedRows, shown.length))
  const wanted = await (periods ? newestRows(periods, shown, rowCount, newest) : newestRows(history, shown, to, newest))
  const answer = {
    ...withNotes([
      ...seriesNotes(meta, isRangeCut),
      ...(rowCount > 0 ? [] : emptyNote(history, from, to)),
      ...(request.notes ?? []),
    ]),
    from: from < to ? isoDate(days[from]!) : null,
    to: from < to ? isoDate(days[to - 1]!) : null,
    statistics: await mapInTurns(shown, ({ name, metricId, unit, kind, formula, values }) => ({
      field: name,
      ...(metricId !== null && metricId !== name && { metric_id: metricId }),
      ...(unit !== null && { unit }),
      ...(formula !== undefined && { formula }),
      ...(cutAt !== undefined && name === formulaField && { history_only_since: cutAt }),
      ...describeSeries({
        days,
        values,
        from,
        to,
        kind,
        cutAt,
        isRangeCut,
        isBrief: shown.length > maxFieldsInFull && to - from <= maxBriefRows,
        isAmount: amountUnits.has(unit ?? ''),
        rank: ranks?.get(metricId ?? ''),
      }),
    })),
    row_count: rowCount,
  }
  const allRows = periods?.url ?? `${history.url}&start_date=${answer.from}&end_date=${answer.to}`
  const linked = { ...answer, csv_url: `${allRows}&format=csv` }
  if (wanted.length === 0) return rowCount > maxUnlinkedRows ? linked : answer
  const header = [periods?.times ? 'time' : 'date', ...shown.map(({ name }) => name)]
  const parts = { ...linked, columns: header, thinning: thinningRule(999), beside: request.otherParts }
  const { rows, step } = await thinToFit(wanted, parts)
  const isLinked = step > 1 || rowCount > maxUnlinkedRows
  return {
    ...(isLinked ? linked : answer),
    ...(step > 1 && { thinning: thinningRule(step) }),
    columns: header,
    rows,
  }
}

/** Longer ranges, like thinned ones, get a link to all rows. */
const maxUnlinkedRows = 366
/** With more fields, statistics of up to a month are brief. */
const maxFieldsInFull = 3
const maxBriefRows = 31

export const formulaField = 'formula'

const amountUnits: ReadonlySet<string> = new Set(['BTC', 'sats', 'USD', 'count', 'H/s', 'difficulty'])

/** The last `count` rows before `to`, newest first. */
function newestRows({ days, times, columns }: History, fields: readonly Field[], to: number, count: number) {
  const shown = fields.map(({ column }) => columns.get(column))
  return mapInTurns(Array(count).keys(), (i): Cell[] => {
    const row = to - 1 - i
    return [
      times?.[row]?.replace('.000Z', 'Z') ?? isoDate(days[row]!),
      ...shown.map((values) => (values ? roundOrNull(values[row]!) : null)),
    ]
  })
}

const roundOrNull = (value: number): number | null => (Number.isNaN(value) ? null : significant(value))

const thinningRule = (step: number): string =>
  `every ${ordinal(step)} row, counted back from the newest; statistics are of all rows. A shorter range or fewer fields show more`

export function ordinal(number: number): string {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th'
  return `${number}${number % 100 > 10 && number % 100 < 14 ? 'th' : ending}`
}

const reachesBefore = (limit: string, { days: maxDays, start_date, end_date }: Range, days: Int32Array): boolean => {
  if (start_date !== undefined) return start_date < limit
  const last = end_date === undefined ? (days.at(-1) ?? parseDay(limit)) : parseDay(end_date)
  return last - maxDays + 1 < parseDay(limit)
}

function emptyNote({ days, meta }: History, from: number, to: number): string[] {
  if (from < to || meta.note !== undefined) return []
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return ['No rows: this connection sees no day of it.']
  return [`No rows in this range: days go from ${isoDate(first)} to ${isoDate(last)}.`]
}
