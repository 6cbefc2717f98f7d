import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { mostCharacters, sizeOf } from '../answers/bounded.ts'
import { metaNotes } from '../answers/notes.ts'
import { name, parameters } from '../answers/parameters.ts'
import { significantOrNull } from '../answers/significant.ts'
import { unknownCategory } from './definitions.ts'
import { defineTool } from './tool.ts'

const latest = successSchema(rows.latest)
const value = z.number().nullable()
/** How many of each category are shown where nothing is said. */
const usual = { ofOne: 40, ofEach: 6 }

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
      z.object({ category: z.string(), date: z.string().nullable(), values: z.record(z.string(), value) }),
    ),
  }),
  run: async ({ category: asked, limit }, { rest, signal }) => {
    const { data, meta } = await rest.get(endpoints.latest.path, latest, signal)
    const all = data.map(({ category, date, ...values }) => ({ category, date, values }))
    const known = all.map(({ category }) => category)
    if (asked !== undefined && !known.includes(asked)) throw unknownCategory(asked, known)
    const shown = asked === undefined ? all : all.filter(({ category }) => category === asked)
    // The names of everything withheld would fill the answer.
    const notes = metaNotes({ ...meta, withheld: undefined })
    if (meta.withheld) notes.push(`${meta.withheld.length} more need an API key of tier ${meta.withheld_tier}.`)
    const build = (most: number) => {
      const isCut = shown.some(({ values }) => Object.keys(values).length > most)
      const told = isCut ? [...notes, `The first ${most} of each category; category and limit show more.`] : notes
      return {
        ...(told.length > 0 && { notes: told }),
        categories: shown.map(({ values, ...rest }) => ({
          ...rest,
          values: Object.fromEntries(
            Object.entries(values)
              .slice(0, most)
              .map(([id, one]) => [id, significantOrNull(one)]),
          ),
        })),
      }
    }
    let most = limit ?? (asked === undefined ? usual.ofEach : usual.ofOne)
    let structured = build(most)
    while (sizeOf(structured) > mostCharacters) structured = build(--most)
    return { structured }
  },
})
