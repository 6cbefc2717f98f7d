import { z } from 'zod'
import { addressOf } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { isVariant, searchMetrics } from '#contract/search/search.ts'
import { firstThatFit } from '../answers/bounded.ts'
import { metricId, parameters } from '../answers/parameters.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const grade = z.number().describe('0 is open to all, 1 needs a key of tier pro or higher, 2 one of tier enterprise')

const offset = z.int().min(0).max(100_000).default(0).describe('How many to skip, to see those after the first')
const nextOffset = z.number().nullable().describe('offset for those that had no room here; null at the end')

const listMetrics = defineTool({
  name: 'list_metrics',
  title: 'All metrics',
  description:
    'Ids, names and units of the metrics, without what can be computed from them. To find one for a question use search_metrics.',
  input: parameters({
    category: z.string().max(50).optional().describe('Only those of a category, as get_categories names them'),
    include_variants: z
      .boolean()
      .default(false)
      .describe('Also the metrics of single cohorts, exchanges, funds and entities, which are thousands'),
    offset,
  }),
  output: z.object({
    count: z.number().describe('Metrics that were asked for, with those that had no room here'),
    columns: z.array(z.string()),
    metrics: z.array(z.array(z.union([z.string(), z.number()]))),
    next_offset: nextOffset,
  }),
  run: async ({ category, include_variants, offset: skipped }, { catalogue, rest, signal }) => {
    const { metrics } = await catalogue.read(rest, signal)
    const categories = [...new Set(metrics.map((metric) => metric.category))]
    if (category !== undefined && !categories.includes(category)) throw unknownCategory(category, categories)
    const asked = metrics.filter(
      (metric) => (category === undefined || metric.category === category) && (include_variants || !isVariant(metric)),
    )
    const columns = ['id', 'name', 'unit', 'category', 'grade']
    const listed = asked
      .slice(skipped)
      .map(({ id, name, unit, category: of, grade: needed }) => [id, name, unit, of, needed])
    const fitting = firstThatFit(listed, { columns, count: asked.length, next_offset: asked.length })
    const next = skipped + fitting.length
    return {
      structured: { count: asked.length, columns, metrics: fitting, next_offset: next < asked.length ? next : null },
    }
  },
})

export const unknownCategory = (category: string, categories: readonly string[]): ToolError =>
  new ToolError(`there is no category '${category}'`, `use one of ${categories.join(', ')}`)

const found = z.object({
  id: z.string(),
  name: z.string(),
  short_description: z.string().nullable(),
  unit: z.string(),
  category: z.string(),
  grade,
  first_date: z.string().nullable(),
})

const searchTool = defineTool({
  name: 'search_metrics',
  title: 'Search metrics',
  description:
    'The metrics that fit a question or a name, also under other words people use: overvalued, HODL waves, cost basis, miners, leverage. A name of another vendor (CapMVRVCur) finds ours. It says what is not tracked. The first call for most questions.',
  input: parameters({
    query: z.string().trim().min(1).max(200).describe('A few words, such as: long-term holder profit'),
    limit: z.int().min(1).max(40).default(10),
  }),
  output: z.object({
    metrics: z.array(found),
    not_tracked: z.string().optional().describe('What was asked for and is not here, and why; metrics come nearest'),
  }),
  run: async ({ query, limit }, { catalogue, rest, signal }) => {
    const { metrics } = await catalogue.read(rest, signal)
    const { metrics: best, notTracked } = searchMetrics(metrics, query, limit)
    if (best.length === 0 && notTracked === undefined) {
      throw new ToolError(
        `no metric fits '${query}'`,
        'use other or fewer words, or see get_categories and list_metrics',
      )
    }
    return {
      structured: {
        metrics: firstThatFit(
          best.map((metric) => found.parse(metric)),
          {},
        ),
        ...(notTracked !== undefined && { not_tracked: notTracked }),
      },
    }
  },
})

const definition = successSchema(rows.metric).extend({ data: z.tuple([rows.metric]) })

const getMetric = defineTool({
  name: 'get_metric',
  title: 'Definition of a metric',
  description:
    'What a metric is: description, unit, formula over other metrics, how it differs from elsewhere, and since when there are values.',
  input: parameters({ metric_id: metricId }),
  output: rows.metric,
  run: async ({ metric_id }, { rest, signal }) => {
    const path = addressOf('/v1/metrics/{metric_id}', { metric_id, fields: 'all' })
    const { data } = await rest.get(path, definition, signal)
    return { structured: data[0] }
  },
})

const getCategories = defineTool({
  name: 'get_categories',
  title: 'Categories of metrics',
  description: 'The categories of metrics, how many metrics each has, and some of them.',
  input: parameters({}),
  output: z.object({
    categories: z.array(z.object({ name: z.string(), count: z.number(), examples: z.array(z.string()) })),
  }),
  run: async (_, { catalogue, rest, signal }) => {
    const { metrics } = await catalogue.read(rest, signal)
    const categories = [...Map.groupBy(metrics, ({ category }) => category)].map(([name, members]) => ({
      name,
      count: members.length,
      examples: members
        .filter((metric) => !isVariant(metric))
        .slice(0, 12)
        .map(({ id }) => id),
    }))
    return { structured: { categories } }
  },
})

export const definitionTools = [listMetrics, searchTool, getMetric, getCategories]
