import { z } from 'zod'
import { pacedTurns } from '#base/own-turn.ts'
import { rows } from '#contract/rows.ts'
import { prepareSearch, searchMetrics } from '#contract/search/search.ts'
import { isVariant } from '#contract/variants.ts'
import { zonesByMetric } from '#contract/zones.ts'
import { firstThatFit, pageThatFits } from '../answers/bounded.ts'
import { metaNotes, notTrackedNote, withNotes } from '../answers/notes.ts'
import { metricId, name as nameParameter, parameters } from '../answers/parameters.ts'
import { round, significant } from '../answers/rows.ts'
import { readMetric } from '../client/catalogue.ts'
import { readRows } from '../client/read-rows.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'
import { percentileRow } from './what-changed.ts'

const listMetrics = defineTool({
  name: 'list_metrics',
  title: 'All metrics',
  description: 'Ids, names and units of metrics, in pages. To find one for a question use search_metrics.',
  input: parameters({
    category: nameParameter.optional().describe('Name from get_categories'),
    include_variants: z
      .boolean()
      .default(false)
      .describe('Also those of single cohorts, exchanges, funds and entities: thousands'),
    limit: z.int().min(1).max(1_000).default(20),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  output: z.object({
    count: z.number().describe('On all pages'),
    columns: z.array(z.string()),
    metrics: z.array(z.array(z.union([z.string(), z.number()]))),
    next_offset: z.number().nullable().describe('offset of the next page; null at the end'),
  }),
  run: async ({ category, include_variants, limit, offset }, call) => {
    const { metrics } = await call.catalogue.read(call)
    const categories = [...new Set(metrics.map((metric) => metric.category))]
    if (category !== undefined && !categories.includes(category)) throw unknownCategory(category, categories)
    const requested = metrics.filter(
      (metric) => (category === undefined || metric.category === category) && (include_variants || !isVariant(metric)),
    )
    const columns = ['id', 'name', 'unit', 'category', 'grade']
    const { length: count } = requested
    // One more shows whether another page follows.
    const shown = requested.slice(0, offset + limit + 1)
    const table = shown.map((metric) => [metric.id, metric.name, metric.unit, metric.category, metric.grade])
    const { page, next_offset } = pageThatFits(table, offset, limit, { columns, count, next_offset: count })
    return { count, columns, metrics: page, next_offset }
  },
})

export const unknownCategory = (category: string, categories: readonly string[]): ToolError =>
  new ToolError(`there is no category '${category}'`, `use one of ${categories.join(', ')}`)

const searchHit = z.object({
  id: z.string(),
  name: z.string(),
  about: z.string().optional(),
  unit: z.string(),
  tier: z.enum(['pro', 'enterprise']).optional().describe('Tier of the key that it needs, if any'),
  score: z.number().describe('1: fits the whole query; below 0.2: little in common'),
})

/** By endpoint, or the first part of its name. */
const toolsByFamily: Readonly<Record<string, string>> = {
  prices: 'get_prices',
  blockchain: 'get_blockchain',
  coindays: 'get_coindays',
  cohort: 'get_cohort_metrics',
  'cost-basis': 'get_cost_basis',
  'cycle-performance': 'get_cycle_performance',
  dat: 'get_treasuries',
  etf: 'get_etf',
  funding: 'get_funding',
  futures: 'get_open_interest',
  oi: 'get_open_interest',
  'holder/supply': 'get_holder_supply',
  'holder/valuation': 'get_holder_valuation',
  'holder/profit': 'get_holder_profit',
}

/** Undefined if only get_series answers the endpoint. */
export const findToolFor = (endpoint: string): string | undefined =>
  toolsByFamily[endpoint] ?? toolsByFamily[endpoint.replace(/\/.*/, '')]

const tiersByGrade = [undefined, 'pro', 'enterprise'] as const

/** Poorer matches do not help. */
const minScoreShare = 0.2

const searchTool = defineTool({
  name: 'search_metrics',
  title: 'Search metrics',
  description:
    'Metrics that fit a question or a name, also by everyday words (overvalued, HODL waves, leverage) or names of other vendors. Answers not_tracked for what does not exist here. The first call for most questions.',
  input: parameters({
    query: z.string().trim().min(1).max(200),
    limit: z.int().min(1).max(40).default(5),
  }),
  output: z.object({
    not_tracked: z.string().optional().describe('What is not tracked, and why; metrics are the closest ones'),
    tools: z.array(z.string()).describe('Tools that answer values of these, besides get_series'),
    metrics: z.array(searchHit),
  }),
  run: async ({ query, limit }, call) => {
    const { metrics } = await call.catalogue.read(call)
    await prepareSearch(metrics, pacedTurns())
    const result = searchMetrics(metrics, query, limit)
    const { metrics: best, scores } = result
    if (best.length === 0 && result.notTracked === undefined) {
      throw new ToolError(
        `no metric fits '${query}'`,
        'use other or fewer words, ask in English, or see get_categories and list_metrics',
      )
    }
    const fitting = best.filter((_, i) => scores[i]! >= minScoreShare * scores[0]!)
    const hits = fitting.map(({ id, name, short_description, unit, grade }, i) => {
      const [about, tier] = [short_description, tiersByGrade[grade]]
      return {
        id,
        name,
        unit,
        ...(about !== null && { about }),
        ...(tier && { tier }),
        score: round(scores[i]!, 2),
      }
    })
    return {
      ...notTrackedNote(result),
      tools: [...new Set(fitting.flatMap(({ endpoint }) => findToolFor(endpoint) ?? []))],
      metrics: firstThatFit(hits, {}),
    }
  },
})

const getMetric = defineTool({
  name: 'get_metric',
  title: 'Definition of a metric',
  description:
    'Definition of a metric: description, unit, formula, differences from other vendors, day of the first value; of well-known ones the usual zones with their source, the zone of today and how often each occurred.',
  input: parameters({ metric_id: metricId }),
  output: rows.metric.extend({ reading: percentileRow.optional(), notes: z.array(z.string()).optional() }),
  run: async ({ metric_id }, call) => {
    const metric = await readMetric(metric_id, call)
    const zones = zonesByMetric.get(metric.id)
    if (!zones) return metric
    // Including the price avoids a refusal: every tier sees it.
    const asked = { metrics: `${metric.id},price`, fields: 'value,percentile,zone,zones,zones_source' }
    const { data, meta } = await readRows(call, '/v1/metrics/percentiles', asked, percentileRow)
    const known: z.infer<typeof percentileRow> | undefined = data.find(({ id }) => id === metric.id)
    const { value, percentile, ...found } = known ?? { zones: [...zones.texts], zones_source: zones.source }
    const reading = {
      ...(value !== undefined && { value: significant(value) }),
      ...(percentile !== undefined && { percentile: round(percentile, 1) }),
      ...found,
    }
    return { ...withNotes(metaNotes({ ...meta, withheld: undefined })), ...metric, reading }
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
  run: async (_, call) => {
    const { metrics } = await call.catalogue.read(call)
    const categories = [...Map.groupBy(metrics, ({ category }) => category)].map(([name, members]) => ({
      name,
      count: members.length,
      examples: members
        .filter((metric) => !isVariant(metric))
        .slice(0, 2)
        .map(({ id }) => id),
    }))
    return { categories }
  },
})

export const definitionTools = [searchTool, listMetrics, getMetric, getCategories]
