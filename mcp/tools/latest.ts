import { z } from 'zod'
import { pacedTurns } from '#base/own-turn.ts'
import { endpoints } from '#contract/endpoints.ts'
import { rows } from '#contract/rows.ts'
import { synonyms } from '#contract/search/tables.ts'
import { encodedLength, maxCharacters } from '../answers/bounded.ts'
import { seriesNotes, withNotes } from '../answers/notes.ts'
import { name, parameters } from '../answers/parameters.ts'
import { significantOrNull } from '../answers/rows.ts'
import { readRows } from '../client/read-rows.ts'
import { unknownCategory } from './definitions.ts'
import { defineTool } from './tool.ts'

const value = z.number().nullable()
const defaultLimits = { oneCategory: 8, eachCategory: 3 }

/** The price, and metrics with everyday synonyms. */
const familiarIds: ReadonlySet<string> = new Set(['price', ...synonyms.flatMap(({ ids }) => ids)])

const sortByFamiliarity = <Value>(values: Readonly<Record<string, Value>>): (readonly [id: string, value: Value])[] =>
  Object.entries(values).sort(([one], [other]) => Number(familiarIds.has(other)) - Number(familiarIds.has(one)))

export const latestMetrics = defineTool({
  name: 'get_latest_metrics',
  title: 'Newest values',
  description: 'The newest values of the first metrics of each category, or of more of one category.',
  input: parameters({
    category: name.optional(),
    limit: z.int().min(1).max(1_000).optional().describe('Per category'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    categories: z.array(
      z.object({
        category: z.string(),
        date: z.string().nullable(),
        values: z.record(z.string(), value),
        units: z.record(z.string(), z.array(z.string())).describe('Ids of the values by unit'),
      }),
    ),
  }),
  run: async ({ category: requested, limit }, call) => {
    // Only with a start date does the API report cut history.
    const { data, meta } = await readRows(call, endpoints.latest.path, { start_date: '2009-01-03' }, rows.latest)
    const definitions = await call.catalogue.read(call)
    const all = data.map(({ category, date, ...values }) => ({ category, date, values: sortByFamiliarity(values) }))
    const known = all.map(({ category }) => category)
    if (requested !== undefined && !known.includes(requested)) throw unknownCategory(requested, known)
    const shown = requested === undefined ? all : all.filter(({ category }) => category === requested)
    // All withheld names would fill the answer.
    const notes = seriesNotes({ ...meta, withheld: undefined })
    if (meta.withheld) notes.push(`${meta.withheld.length} more need tier ${meta.withheld_tier}.`)
    const build = (count: number) => {
      const isCut = shown.some(({ values }) => values.length > count)
      const cutNote = `The first ${count} of each category; category and limit show more.`
      return {
        ...withNotes(isCut ? [...notes, cutNote] : notes),
        categories: shown.map(({ values, ...rest }) => {
          const first = values.slice(0, count)
          const byUnit = Map.groupBy(first, ([id]) => definitions.find(id)?.unit ?? '')
          return {
            ...rest,
            values: Object.fromEntries(first.map(([id, one]) => [id, significantOrNull(one)])),
            units: Object.fromEntries([...byUnit].map(([unit, members]) => [unit, members.map(([id]) => id)])),
          }
        }),
      }
    }
    const allowed = limit ?? (requested === undefined ? defaultLimits.eachCategory : defaultLimits.oneCategory)
    const turn = pacedTurns()
    let [count, tooMany] = [0, 1 + Math.min(allowed, Math.max(0, ...shown.map(({ values }) => values.length)))]
    // The most that fit.
    while (tooMany - count > 1) {
      const tried = Math.floor((count + tooMany) / 2)
      if (encodedLength(build(tried)) > maxCharacters) tooMany = tried
      else count = tried
      await turn()
    }
    return build(count)
  },
})
