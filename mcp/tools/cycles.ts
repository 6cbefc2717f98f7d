import { z } from 'zod'
import { cycleFamilies } from '#contract/cycle-families.ts'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { answerDaily } from '../answers/answer-daily.ts'
import { type Cell, thinToFit } from '../answers/bounded.ts'
import { historyNote, metaNotes } from '../answers/notes.ts'
import { parameters, timeParameters } from '../answers/parameters.ts'
import { cell, ordinal, seriesSchema } from '../answers/series-answer.ts'
import type { Range } from '../answers/window.ts'
import type { Call } from '../client/call.ts'
import { defineTool } from './tool.ts'

const family = z
  .enum(cycleFamilies)
  .describe('Cycles begin at halvings, at all-time highs (ath) or at the lows between')

const dayPoint = z.object({ day_offset: z.int(), value: z.number() }).nullable()
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
    'The price relative to that of a reference day. With type: cycles side by side by days since their halving, all-time high or low (1 is the price of that day); compares this cycle with earlier ones. Without type: the running cycle by date, of all three kinds. There have been few cycles: likeness is no law.',
  input: parameters({
    type: family.optional(),
    ...timeParameters,
    days: timeParameters.days
      .removeDefault()
      .optional()
      .describe('With type: number of days from the reference day on, all without it; else newest days, 30 without it'),
  }),
  output: z.object({
    ...seriesSchema.shape,
    cycles: z.array(cycleSchema).describe('With type: each cycle; the last one is running'),
    rows: z.array(z.array(cell)).describe('With type: by day_offset, ascending; else by date, newest first'),
  }),
  run: async ({ type, days, ...dates }, call) => ({
    structured:
      type === undefined
        ? { ...(await answerDaily(call, 'cycle-performance', { ...dates, days: days ?? 30 })), cycles: [] }
        : await byOffset(call, type, days, dates),
  }),
})

async function byOffset(call: Call, type: string, days = 10_000, dates: Omit<Range, 'days'>) {
  const given = Object.entries(dates).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const query = new URLSearchParams([['type', type], ['limit', String(days)], ...given])
  const { data, meta } = await call.rest.get(`${endpoints.cyclePerformance.path}?${query}`, performance, call.signal)
  const limit = meta.history_limited_to
  const names = Object.keys(data[0] ?? {}).filter((name) => /^cycle_\d+$/.test(name))
  const cycles = names.map((name) => ({
    name,
    points: data.flatMap((row) => {
      const value = row[name]
      return typeof value === 'number' && row.day_offset !== null ? [{ day_offset: row.day_offset, value }] : []
    }),
  }))
  const today = cycles.at(-1)?.points.at(-1)?.day_offset
  const table = data.map((row): Cell[] => [row.day_offset, ...names.map((name) => row[name] ?? null)])
  const answer = {
    notes: limit === undefined ? metaNotes(meta) : [...metaNotes(meta), historyNote(limit)],
    statistics: [],
    cycles: cycles.map(({ name, points }) => ({
      cycle: name,
      at_same_day: points.find(({ day_offset }) => day_offset === today)?.value ?? null,
      max: extreme(points, (one, other) => one > other),
      min: extreme(points, (one, other) => one < other),
      last: points.at(-1) ?? null,
    })),
    row_count: table.length,
    columns: ['day_offset', ...names],
    generation: meta.generation,
  }
  const rule = (step: number) => `every ${ordinal(step)} row, counted from the first; cycles are of all rows`
  const { rows: kept, step } = thinToFit(table, { ...answer, thinning: rule(999) })
  return { ...answer, thinning: step === 1 ? null : rule(step), rows: kept }
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

const cycleBoundaries = defineTool({
  name: 'get_cycle_boundaries',
  title: 'Cycles',
  description: 'Start, end, length in days, first block and price (USD) of each cycle; the running one has no end.',
  input: parameters({ family: family.default('halving') }),
  output: z.object({ cycles: z.array(rows.cycleBoundaries), notes: z.array(z.string()) }),
  run: async ({ family: asked }, { rest, signal }) => {
    const path = `${endpoints.cycleBoundaries.path}?${new URLSearchParams({ family: asked, limit: '1000' })}`
    const { data, meta } = await rest.get(path, boundaries, signal)
    return { structured: { cycles: data, notes: metaNotes(meta) } }
  },
})

export const cycleTools = [cyclePerformance, cycleBoundaries]
