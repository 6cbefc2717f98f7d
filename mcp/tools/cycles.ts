import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { type CycleFamily, cycleFamilies } from '#contract/cycle-families.ts'
import { rows } from '#contract/rows.ts'
import { answerDaily } from '../answers/answer-fields.ts'
import { thinToFit } from '../answers/bounded.ts'
import { metaNotes, onlySince, seriesNotes, withNotes } from '../answers/notes.ts'
import { metricId, parameters, timeParameters } from '../answers/parameters.ts'
import {
  type Cell,
  cell,
  countShownRows,
  extremeRow,
  knownRows,
  type Range,
  type Rows,
  significant,
  significantOrNull,
} from '../answers/rows.ts'
import { ordinal, seriesSchema } from '../answers/series-answer.ts'
import type { Call } from '../client/call.ts'
import { readRows } from '../client/read-rows.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

export const family = z.enum(cycleFamilies).describe('Where cycles begin: at halvings, all-time highs or lows')

const dayPoint = z
  .object({
    day_offset: z.int(),
    value: z.number(),
    only_since: z
      .string()
      .optional()
      .describe('If present: only of days from then on, since earlier ones are not seen'),
  })
  .nullable()
const cycleSchema = z.object({
  cycle: z.string(),
  at_same_day: z.number().nullable().describe('On the newest day_offset of the running cycle'),
  max: dayPoint,
  min: dayPoint,
  last: dayPoint,
})

const cyclePerformance = defineTool({
  name: 'get_cycle_performance',
  title: 'Cycles compared',
  description:
    'The price relative to that of a reference day. With type: cycles side by side by days since their halving, all-time high or low (1 is the price of that day). Without type: the running cycle by date. compare_cycles takes any metric. There are only a few cycles, so a likeness is not a rule.',
  input: parameters({
    type: family.optional(),
    ...timeParameters,
    days: timeParameters.days
      .removeDefault()
      .optional()
      .describe('With type: days from the reference day on (all); else newest days (30)'),
  }),
  output: z.object({
    ...seriesSchema.partial().shape,
    cycles: z.array(cycleSchema).optional().describe('With type: each cycle; the last one is running'),
    rows: z.array(z.array(cell)).optional().describe('With type: by day_offset, ascending; else by date, newest first'),
  }),
  run: async ({ type, days, rows: shown, ...dates }, call) =>
    type === undefined
      ? answerDaily(call, 'cycle-performance', { ...dates, rows: shown, days: days ?? 30 }, runningFields)
      : byOffset(call, type, days, dates, shown),
})

const runningFields = ['cycle_perf_halving', 'cycle_perf_ath', 'cycle_perf_low', 'days_since_halving']

async function byOffset(
  call: Call,
  type: CycleFamily,
  limit = 10_000,
  dates: Omit<Range, 'days'>,
  shown: Rows | undefined,
) {
  const query = { type, limit, ...dates }
  const { data, meta } = await readRows(call, '/v1/cycle-performance', query, rows.cyclePerformance)
  const names = Object.keys(data[0] ?? {}).filter((name) => name.startsWith('cycle_'))
  const cycles = names.map((name) => ({
    name,
    points: data.flatMap((row) => {
      const value = row[name]
      return typeof value === 'number' && row.day_offset !== null ? [{ day_offset: row.day_offset, value }] : []
    }),
  }))
  const today = cycles.at(-1)?.points.at(-1)?.day_offset
  const table = data.map((row): Cell[] => [
    row.day_offset,
    ...names.map((name) => significantOrNull(typeof row[name] === 'number' ? row[name] : null)),
  ])
  const rounded = (point: Point | undefined) =>
    point ? { ...point, value: significant(point.value), ...onlySince(meta) } : null
  const answer = {
    ...withNotes(seriesNotes(meta)),
    cycles: cycles.map(({ name, points }) => ({
      cycle: name,
      at_same_day: significantOrNull(points.find(({ day_offset }) => day_offset === today)?.value ?? null),
      max: rounded(extremePoint(points, 1)),
      min: rounded(extremePoint(points, -1)),
      last: rounded(points.at(-1)),
    })),
    row_count: table.length,
    columns: ['day_offset', ...names],
  }
  const firstRows = table.slice(0, countShownRows(shown, names.length))
  if (firstRows.length === 0) return answer
  const rule = (step: number) => `every ${ordinal(step)} row, counted from the first; cycles are of all rows`
  const { rows: thinned, step } = await thinToFit(firstRows, { ...answer, thinning: rule(999) })
  return { ...answer, ...(step > 1 && { thinning: rule(step) }), rows: thinned }
}

interface Point {
  readonly day_offset: number
  readonly value: number
}

const extremePoint = (points: readonly Point[], sign: 1 | -1): Point | undefined =>
  points.toSorted((one, other) => sign * (other.value - one.value))[0]

const boundary = rows.cycleBoundaries.extend(rows.provisionalCycle.shape)
const readBoundaries = (cycleFamily: CycleFamily, call: Call) =>
  readRows(call, '/v1/cycle-boundaries', { family: cycleFamily, limit: 1_000, fields: 'all' }, boundary)

const provisional = z.literal(true).optional().describe('It begins with the highest close so far, not yet a top')

/** Omits `provisional` where false. */
const markProvisional = <Cycle extends { readonly provisional: boolean }>({ provisional: is, ...cycle }: Cycle) => ({
  ...cycle,
  ...(is && { provisional: true as const }),
})

const nextHalving = z.object({
  estimated_date: z
    .string()
    .describe('From the end of as_of on, at the pace of blocks_per_day; blocks may come faster or slower'),
  height: z.int(),
  blocks_left: z.int(),
  blocks_per_day: z.number().describe('Mean of the last 60 days'),
  as_of: z.string().describe('Newest published day'),
})
const paceDays = 60

async function estimateHalving(call: Call): Promise<z.infer<typeof nextHalving> | undefined> {
  const query = { metrics: 'block_height,blocks_to_halving', limit: paceDays }
  const { data } = await readRows(call, '/v1/series', query, rows.series)
  const [newest, oldest] = [data[0], data.at(-1)]
  if (newest === undefined || oldest === undefined || newest === oldest) return undefined
  const { block_height: height, blocks_to_halving: left } = newest
  if (typeof height !== 'number' || typeof left !== 'number' || typeof oldest.block_height !== 'number')
    return undefined
  const pace = (height - oldest.block_height) / (parseDay(newest.date) - parseDay(oldest.date))
  if (!(pace > 0)) return undefined
  const estimated_date = isoDate(parseDay(newest.date) + 1 + Math.floor(left / pace))
  const blocks_per_day = significant(pace)
  return { estimated_date, height: height + left, blocks_left: left, blocks_per_day, as_of: newest.date }
}

const cycleBoundaries = defineTool({
  name: 'get_cycle_boundaries',
  title: 'Cycles',
  description:
    'Start, end, length in days, first block and price (USD) of each cycle; the running one has no end. With halvings, an estimate of the next one. Of family ath the running one is provisional if it begins with the last all-time high, which is not a top until the price has fallen by 75 %.',
  input: parameters({ family: family.default('halving') }),
  output: z.object({
    next_halving: nextHalving.optional().describe('Of family halving'),
    cycles: z.array(rows.cycleBoundaries.extend({ provisional })),
    notes: z.array(z.string()).optional(),
  }),
  run: async ({ family: cycleFamily }, call) => {
    const [{ data, meta }, next_halving] = await Promise.all([
      readBoundaries(cycleFamily, call),
      cycleFamily === 'halving' ? estimateHalving(call) : undefined,
    ])
    return { ...withNotes(metaNotes(meta)), ...(next_halving && { next_halving }), cycles: data.map(markProvisional) }
  },
})

const value = z.number().nullable()
const extreme = z.tuple([z.number(), z.string(), z.int()]).describe('Value, date, day of the cycle')
const extremes = z.object({ highest: extreme, lowest: extreme, only_since: z.string().optional() }).nullable()

export const compareCycles = defineTool({
  name: 'compare_cycles',
  title: 'Cycles on the same day',
  description:
    'Any metric on the same day of each halving cycle (or since each all-time high or low): its value, the multiple of the value on the first day, and the highest and lowest value until that day and in the whole cycle. There are only a few cycles, so a likeness is not a rule.',
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
          running: z.literal(true).optional(),
          start_date: z.string(),
          date: z
            .string()
            .nullable()
            .describe('That day of the cycle; null if the cycle was shorter or has not reached it'),
          value,
          times_start: value,
          provisional,
          until_day: extremes.describe('From the first to that day; null if date is'),
          whole: extremes.describe('In the whole cycle; so far if it is running'),
        }),
      )
      .describe('Newest first; the first is running'),
  }),
  run: async ({ metric, family: cycleFamily, day: requestedDay }, call) => {
    const [{ data: cycles }, { days, columns, meta }] = await Promise.all([
      readBoundaries(cycleFamily, call),
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
    const extremesIn = (start: number, end: number) => {
      const rows = knownRows(values, { from: start - days[0]!, to: end - days[0]! + 1 })
      if (rows.length === 0) return null
      const point = (sign: 1 | -1): z.infer<typeof extreme> => {
        const row = extremeRow(values, rows, sign)
        return [significant(values[row]!), isoDate(days[row]!), days[row]! - start]
      }
      return {
        highest: point(1),
        lowest: point(-1),
        ...(cutAt !== undefined && start < parseDay(cutAt) && { only_since: cutAt }),
      }
    }
    const known = (await call.catalogue.read(call)).find(metric)
    return {
      ...withNotes(seriesNotes(meta)),
      metric,
      ...(known && { unit: known.unit }),
      day,
      cycles: cycles.map(markProvisional).map(({ cycle, start_date, end_date, provisional: is }) => {
        const start = parseDay(start_date)
        const end = end_date === null ? newest : parseDay(end_date)
        const isWithin = start + day <= end
        const [current, first] = [isWithin ? at(start + day) : null, at(start)]
        return {
          cycle,
          ...(end_date === null && { running: true as const }),
          start_date,
          date: isWithin ? isoDate(start + day) : null,
          value: significantOrNull(current),
          times_start: current !== null && first !== null && first > 0 ? significant(current / first) : null,
          ...(is && { provisional: is }),
          until_day: isWithin ? extremesIn(start, start + day) : null,
          whole: extremesIn(start, end),
        }
      }),
    }
  },
})

export const cycleTools = [cyclePerformance, cycleBoundaries]
