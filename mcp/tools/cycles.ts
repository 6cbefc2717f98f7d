import { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { type CycleFamily, cycleFamilies } from '#contract/cycle-families.ts'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { answerDaily } from '../answers/answer-daily.ts'
import { type Cell, thinToFit } from '../answers/bounded.ts'
import { historyNote, metaNotes } from '../answers/notes.ts'
import { parameters, timeParameters } from '../answers/parameters.ts'
import { countShownRows, type Rows } from '../answers/rows.ts'
import { cell, ordinal, seriesSchema } from '../answers/series-answer.ts'
import { significant, significantOrNull } from '../answers/significant.ts'
import type { Range } from '../answers/window.ts'
import type { Call } from '../client/call.ts'
import type { RestClient } from '../client/rest.ts'
import { defineTool } from './tool.ts'

export const family = z.enum(cycleFamilies).describe('Where cycles begin: at halvings, all-time highs or lows')

const dayPoint = z
  .object({
    day_offset: z.int(),
    value: z.number(),
    only_since: z
      .string()
      .optional()
      .describe('There: of the days from then on alone, since earlier ones are not seen'),
  })
  .nullable()
const cycleSchema = z.object({
  cycle: z.string(),
  at_same_day: z.number().nullable().describe('On the newest day_offset of the running cycle'),
  max: dayPoint,
  min: dayPoint,
  last: dayPoint,
})

const performance = successSchema(rows.cyclePerformance)

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
  run: async ({ type, days, rows: shown, ...dates }, call) => ({
    structured:
      type === undefined
        ? await answerDaily(call, 'cycle-performance', { ...dates, rows: shown, days: days ?? 30 }, runningFields)
        : await byOffset(call, type, days, dates, shown),
  }),
})

const runningFields = ['cycle_perf_halving', 'cycle_perf_ath', 'cycle_perf_low', 'days_since_halving']

async function byOffset(call: Call, type: string, days = 10_000, dates: Omit<Range, 'days'>, shown: Rows | undefined) {
  const given = Object.entries(dates).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const query = new URLSearchParams([['type', type], ['limit', String(days)], ...given])
  const { data, meta } = await call.rest.get(`${endpoints.cyclePerformance.path}?${query}`, performance, call.signal)
  const cutAt = meta.history_limited_to
  const names = Object.keys(data[0] ?? {}).filter((name) => /^cycle_\d+$/.test(name))
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
  const cut = cutAt === undefined ? {} : { only_since: cutAt }
  const rounded = (point: Point | null | undefined) =>
    point ? { ...point, value: significant(point.value), ...cut } : null
  const notes = cutAt === undefined ? metaNotes(meta) : [...metaNotes(meta), historyNote(cutAt)]
  const answer = {
    ...(notes.length > 0 && { notes }),
    cycles: cycles.map(({ name, points }) => ({
      cycle: name,
      at_same_day: significantOrNull(points.find(({ day_offset }) => day_offset === today)?.value ?? null),
      max: rounded(extreme(points, (one, other) => one > other)),
      min: rounded(extreme(points, (one, other) => one < other)),
      last: rounded(points.at(-1)),
    })),
    row_count: table.length,
    columns: ['day_offset', ...names],
  }
  const wanted = table.slice(0, countShownRows(shown, names.length))
  if (wanted.length === 0) return answer
  const rule = (step: number) => `every ${ordinal(step)} row, counted from the first; cycles are of all rows`
  const { rows: kept, step } = thinToFit(wanted, { ...answer, thinning: rule(999) })
  return { ...answer, ...(step > 1 && { thinning: rule(step) }), rows: kept }
}

interface Point {
  readonly day_offset: number
  readonly value: number
}

const extreme = (points: readonly Point[], isBetter: (one: number, other: number) => boolean): Point | null =>
  points.reduce<Point | null>(
    (best, point) => (best === null || isBetter(point.value, best.value) ? point : best),
    null,
  )

const boundaries = successSchema(rows.cycleBoundaries)

export const readBoundaries = (of: CycleFamily, rest: RestClient, signal: AbortSignal) =>
  rest.get(requestAddress('/v1/cycle-boundaries', { family: of, limit: 1_000 }), boundaries, signal)

const cycleBoundaries = defineTool({
  name: 'get_cycle_boundaries',
  title: 'Cycles',
  description: 'Start, end, length in days, first block and price (USD) of each cycle; the running one has no end.',
  input: parameters({ family: family.default('halving') }),
  output: z.object({ cycles: z.array(rows.cycleBoundaries), notes: z.array(z.string()).optional() }),
  run: async ({ family: asked }, { rest, signal }) => {
    const { data, meta } = await readBoundaries(asked, rest, signal)
    const notes = metaNotes(meta)
    return { structured: { ...(notes.length > 0 && { notes }), cycles: data } }
  },
})

export const cycleTools = [cyclePerformance, cycleBoundaries]
