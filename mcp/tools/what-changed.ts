import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { mapInTurns } from '#base/own-turn.ts'
import { ageBands } from '#contract/cohorts.ts'
import { period, periodDays } from '#contract/parameters.ts'
import { percentileDetails, rows } from '#contract/rows.ts'
import { historyNote, metaNotes, withNotes } from '../answers/notes.ts'
import { parameters } from '../answers/parameters.ts'
import { round, significant } from '../answers/rows.ts'
import { readRows } from '../client/read-rows.ts'
import { defineTool } from './tool.ts'

const changeRow = rows.percentiles.extend(percentileDetails.shape)
export const percentileRow = changeRow.partial()

const maxPerCategory = 3
/** Distances from the 50th percentile, exceeded by one change in ten and one value in fifty. */
const [unusual, extreme] = [45, 49]

const table = z.array(z.array(z.union([z.string(), z.number()])))

export const whatChanged = defineTool({
  name: 'what_changed',
  title: 'What changed',
  description:
    'The most unusual moves and the extremes of the last day, week or month among all metrics, each by its percentile in the history of its metric. For questions that name no metric.',
  input: parameters({ period, limit: z.int().min(1).max(50).default(8) }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    date: z.string().nullable(),
    percentiles: z.string(),
    change: z.string().optional(),
    columns: z.array(z.string()),
    moves: table,
    extremes: table.describe('Others with a value among the highest or lowest percent of all days'),
  }),
  run: async ({ period: requested, limit }, call) => {
    const query = { period: requested, fields: 'all' }
    const { data, meta } = await readRows(call, '/v1/metrics/percentiles', query, changeRow)
    const definitions = await call.catalogue.read(call)
    const { withheld = [], withheld_tier = 'pro', history_limited_to: cutAt } = meta
    const newest = Math.max(...data.map(({ date }) => parseDay(date)))
    const describe = ({ id, change, change_percentile: rank, like, ...row }: (typeof data)[number]) => {
      if (change === null || rank === null || parseDay(row.date) <= newest - periodDays[requested]) return []
      const { category = '', unit: ownUnit } = definitions.find(id) ?? {}
      if (ownUnit === 'sats' || ageBands.some((band) => id.endsWith(`_${band.id}`))) return []
      const unit = row.change_unit === 'percent' ? '%' : row.change_unit
      const text = `${change > 0 ? '+' : ''}${Number(change.toPrecision(3))} ${unit}`
      const cells = [category, id, significant(row.value), text, round(rank, 1), round(row.percentile, 1)]
      const scores = { move: Math.abs(rank - 50), value: Math.abs(row.percentile - 50) }
      return [{ family: like ?? id, isPlain: like === null, category, cells, scores }]
    }
    const changes = (await mapInTurns(data, describe)).flat()
    type Change = (typeof changes)[number]
    /** Highest scores by category; among nearly equal changes, the plain metric if unusual too. */
    const pick = (all: readonly Change[], by: keyof Change['scores'], max: number) => {
      const sorted = all.toSorted((one, other) => other.scores[by] - one.scores[by])
      const different = [...Map.groupBy(sorted, ({ family }) => family).values()].map(
        (same) => same.find(({ isPlain, scores }) => isPlain && scores[by] > unusual) ?? same[0]!,
      )
      const firsts = new Set(
        [...Map.groupBy(different, ({ category }) => category).values()].flatMap((same) =>
          same.slice(0, maxPerCategory),
        ),
      )
      const picked = different.filter((one) => firsts.has(one)).slice(0, max)
      return picked.toSorted((one, other) => one.category.localeCompare(other.category))
    }
    const moves = pick(changes, 'move', limit)
    const others = changes.filter(
      ({ family, scores }) => scores.value >= extreme && !moves.some((move) => move.family === family),
    )
    return {
      ...withNotes([
        ...metaNotes({ ...meta, withheld: undefined }),
        ...(withheld.length > 0 ? [`${withheld.length} more metrics need tier ${withheld_tier}.`] : []),
        ...(cutAt === undefined ? [] : [historyNote(cutAt)]),
      ]),
      date: data.length > 0 ? isoDate(newest) : null,
      percentiles: 'of all history of a metric, for every tier: 0 lowest, 50 usual, 100 highest',
      ...(requested !== 'day' && {
        change: `Of levels since ${periodDays[requested]} days ago; of flows and rates the mean of ${periodDays[requested]} days against that of as many before, while value is of the last day`,
      }),
      columns: ['category', 'id', 'value', 'change', 'percentile of change', 'percentile of value'],
      moves: moves.map(({ cells }) => cells),
      extremes: pick(others, 'value', Math.ceil(limit / 2)).map(({ cells }) => cells),
    }
  },
})
