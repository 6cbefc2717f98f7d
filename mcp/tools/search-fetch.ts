import { z } from 'zod'
import { pacedTurns } from '#base/own-turn.ts'
import { pages } from '#contract/pages.ts'
import { prepareSearch, searchMetrics } from '#contract/search/search.ts'
import { answerFields } from '../answers/answer-fields.ts'
import { notTrackedNote } from '../answers/notes.ts'
import { metricId, parameters } from '../answers/parameters.ts'
import { metricField } from '../answers/series-answer.ts'
import { readMetric } from '../client/catalogue.ts'
import { defineTool } from './tool.ts'

/** ChatGPT requires these two tools; metrics are their documents. */

const maxResults = 5

const pageUrl = (publicUrl: string, id: string): string => `${publicUrl}${pages.metric.replace('{id}', id)}`

export const search = defineTool({
  name: 'search',
  title: 'Search',
  description: 'Metrics that fit a question, as documents for fetch. search_metrics says more of each.',
  input: parameters({ query: z.string().trim().min(1).max(500) }),
  output: z.object({
    results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
    not_tracked: z.string().optional(),
  }),
  run: async ({ query }, call) => {
    const { metrics } = await call.catalogue.read(call)
    await prepareSearch(metrics, pacedTurns())
    const result = searchMetrics(metrics, query, maxResults)
    const results = result.metrics.map(({ id, name: title }) => ({ id, title, url: pageUrl(call.publicUrl, id) }))
    return { results, ...notTrackedNote(result) }
  },
})

export const fetchDocument = defineTool({
  name: 'fetch',
  title: 'Fetch',
  description: 'A document of search: what a metric is, its newest values and their place in history.',
  input: parameters({ id: metricId }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.string()),
  }),
  run: async ({ id: requested }, call) => {
    const metric = await readMetric(requested, call)
    const { id, name, description, unit, category, formula, endpoint } = metric
    const numbers =
      endpoint === 'cost-basis'
        ? 'It is a distribution: get_cost_basis answers it.'
        : JSON.stringify(await answerFields(call, [metricField(metric)], { days: 30, rows: 'none' }))
    return {
      id,
      title: name,
      text: `${description}\n\nOf the last 30 days: ${numbers}`,
      url: pageUrl(call.publicUrl, id),
      metadata: { unit, category, ...(formula !== null && { formula }) },
    }
  },
})
