import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { mostCharacters, sizeOf } from '../answers/bounded.ts'
import { metaNotes } from '../answers/notes.ts'
import { parameters } from '../answers/parameters.ts'
import { unknownCategory } from './definitions.ts'
import { defineTool } from './tool.ts'

const latest = successSchema(rows.latest)
const value = z.number().nullable()

export const latestMetrics = defineTool({
  name: 'get_latest_metrics',
  title: 'Newest values',
  description: 'The newest value of every metric, by category. Units are in get_metric and list_metrics.',
  input: parameters({
    category: z.string().max(50).optional().describe('All of one category; without it the first of each'),
  }),
  output: z.object({
    notes: z.array(z.string()),
    categories: z.array(
      z.object({ category: z.string(), date: z.string().nullable(), values: z.record(z.string(), value) }),
    ),
    generation: z.string(),
  }),
  run: async ({ category: asked }, { rest, signal }) => {
    const { data, meta } = await rest.get(endpoints.latest.path, latest, signal)
    const all = data.map(({ category, date, ...values }) => ({ category, date, values }))
    const known = all.map(({ category }) => category)
    if (asked !== undefined && !known.includes(asked)) throw unknownCategory(asked, known)
    const shown = asked === undefined ? all : all.filter(({ category }) => category === asked)
    // The names of everything withheld would fill the answer.
    const notes = metaNotes({ ...meta, withheld: undefined })
    if (meta.withheld) {
      notes.push(
        `${meta.withheld.length} metrics are left out, because they need an API key of tier ${meta.withheld_tier}.`,
      )
    }
    const build = (most: number) => {
      const isCut = shown.some(({ values }) => Object.keys(values).length > most)
      return {
        notes: isCut
          ? [...notes, `Only the first ${most} metrics of each category; ask with category for all of one.`]
          : notes,
        categories: shown.map(({ values, ...rest }) => ({
          ...rest,
          values: Object.fromEntries(Object.entries(values).slice(0, most)),
        })),
        generation: meta.generation,
      }
    }
    let most = Math.max(...shown.map(({ values }) => Object.keys(values).length))
    let structured = build(most)
    while (sizeOf(structured) > mostCharacters) structured = build(--most)
    return { structured }
  },
})
