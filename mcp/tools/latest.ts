import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { synonyms } from '#contract/search/synonyms.ts'
import { encodedLength, maxCharacters } from '../answers/bounded.ts'
import { metaNotes } from '../answers/notes.ts'
import { name, parameters } from '../answers/parameters.ts'
import { significantOrNull } from '../answers/significant.ts'
import { unknownCategory } from './definitions.ts'
import { defineTool } from './tool.ts'

const latest = successSchema(rows.latest)
const value = z.number().nullable()
/** How many of each category are shown where nothing is said. */
const usual = { ofOne: 40, ofEach: 6 }

/** What people ask for most: the price, and what words of every day mean. */
const familiarIds: ReadonlySet<string> = new Set(['price', ...synonyms.flatMap(([, ids]) => ids)])

const sortByFamiliarity = <Value>(values: Readonly<Record<string, Value>>): (readonly [id: string, value: Value])[] =>
  Object.entries(values).sort(([one], [other]) => Number(familiarIds.has(other)) - Number(familiarIds.has(one)))

export const latestMetrics = defineTool({
  name: 'get_latest_metrics',
  title: 'Newest values',
  description: 'The newest values of the first metrics of each category, or of more of one category.',
  input: parameters({
    category: name.optional(),
    limit: z.int().min(1).max(1_000).optional().describe('Of each category'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    categories: z.array(
      z.object({
        category: z.string(),
        date: z.string().nullable(),
        values: z.record(z.string(), value),
        units: z.record(z.string(), z.array(z.string())).describe('By unit the values that have it'),
      }),
    ),
  }),
  run: async ({ category: asked, limit }, { catalogue, rest, signal }) => {
    const { data, meta } = await rest.get(endpoints.latest.path, latest, signal)
    const definitions = await catalogue.read(rest, signal)
    const all = data.map(({ category, date, ...values }) => ({ category, date, values: sortByFamiliarity(values) }))
    const known = all.map(({ category }) => category)
    if (asked !== undefined && !known.includes(asked)) throw unknownCategory(asked, known)
    const shown = asked === undefined ? all : all.filter(({ category }) => category === asked)
    // The names of everything withheld would fill the answer.
    const notes = metaNotes({ ...meta, withheld: undefined })
    if (meta.withheld) notes.push(`${meta.withheld.length} more need tier ${meta.withheld_tier}.`)
    const build = (most: number) => {
      const isCut = shown.some(({ values }) => values.length > most)
      const told = isCut ? [...notes, `The first ${most} of each category; category and limit show more.`] : notes
      return {
        ...(told.length > 0 && { notes: told }),
        categories: shown.map(({ values, ...rest }) => {
          const told = values.slice(0, most)
          const byUnit = Map.groupBy(told, ([id]) => definitions.find(id)?.unit ?? '')
          return {
            ...rest,
            values: Object.fromEntries(told.map(([id, one]) => [id, significantOrNull(one)])),
            units: Object.fromEntries([...byUnit].map(([unit, members]) => [unit, members.map(([id]) => id)])),
          }
        }),
      }
    }
    let most = limit ?? (asked === undefined ? usual.ofEach : usual.ofOne)
    let structured = build(most)
    while (encodedLength(structured) > maxCharacters) structured = build(--most)
    return { structured }
  },
})
