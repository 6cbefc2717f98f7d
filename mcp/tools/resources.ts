import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { paths } from '#contract/paths.ts'
import { isVariant } from '#contract/variants.ts'
import type { Connection } from '../client/call.ts'
import { type Metric, readMeasures, readMetric } from '../client/catalogue.ts'
import type { Tool } from './tool.ts'

const json = 'application/json'
const maxCompletions = 100

/** Fits into an assistant's context. */
const maxPageCharacters = 20_000

export function registerResources(
  server: McpServer,
  { rest, catalogue }: Connection,
  manuals: readonly Pick<Tool, 'name' | 'manual'>[],
): void {
  server.registerResource(
    'catalogue',
    'coinstrata://catalogue',
    {
      title: 'Catalogue of metrics',
      description:
        'Definitions of measures, each with its cohorts. Long: read pages such as coinstrata://catalogue/1 (coinstrata://catalogue/all: every metric, megabytes), or use search_metrics.',
      mimeType: json,
    },
    async ({ href }, { mcpReq }) => {
      return jsonContents(href, await readMeasures({ rest, signal: mcpReq.signal }))
    },
  )
  server.registerResource(
    'catalogue_page',
    new ResourceTemplate('coinstrata://catalogue/{page}', { list: undefined }),
    {
      title: 'A page of the catalogue',
      description:
        'Definitions without those of single cohorts, exchanges, funds and entities. Pages count from 1; all is every metric.',
      mimeType: json,
    },
    async ({ href }, { page }, { mcpReq }) => {
      const { metrics } = await catalogue.read({ rest, signal: mcpReq.signal })
      if (page === 'all') return jsonContents(href, metrics)
      const pages = splitIntoPages(metrics.filter((metric) => !isVariant(metric)))
      const entries = pages[Number(page) - 1]
      if (!entries) throw new ResourceNotFoundError(href)
      return jsonContents(href, { page: Number(page), pages: pages.length, metrics: entries })
    },
  )
  server.registerResource(
    'tool',
    new ResourceTemplate('coinstrata://tools/{name}', {
      list: undefined,
      complete: { name: (begun) => manuals.map(({ name }) => name).filter((name) => name.startsWith(begun)) },
    }),
    {
      title: 'Manual of a tool',
      description: 'Full schemas, default fields and the formula language.',
      mimeType: json,
    },
    ({ href }, { name }) => {
      const manual = manuals.find((one) => one.name === name)
      if (!manual) throw new ResourceNotFoundError(href)
      return jsonContents(href, manual.manual())
    },
  )
  const template = new ResourceTemplate('coinstrata://metrics/{metric_id}', {
    list: undefined,
    complete: {
      metric_id: async (begun) => {
        const { metrics } = await catalogue.read({ rest, signal: AbortSignal.timeout(10_000) })
        const ids = metrics.map(({ id }) => id).filter((id) => id.startsWith(begun))
        return ids.sort((a, b) => a.length - b.length).slice(0, maxCompletions)
      },
    },
  })
  server.registerResource(
    'metric',
    template,
    { title: 'Definition of a metric', description: 'One metric by its id, such as mvrv.', mimeType: json },
    async ({ href }, { metric_id: id }, { mcpReq }) => {
      if (typeof id !== 'string' || !/^\w{1,100}$/.test(id)) throw new ResourceNotFoundError(href)
      return jsonContents(href, await readMetric(id, { rest, signal: mcpReq.signal }))
    },
  )
  server.registerResource(
    'changelog',
    'coinstrata://changelog',
    { title: 'Changelog', description: 'What has changed in this service.', mimeType: 'text/markdown' },
    async ({ href }, { mcpReq }) => {
      const { body } = await rest.send(paths.changelog, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: 'text/markdown', text: body.toString() }] }
    },
  )
}

const jsonContents = (uri: string, content: object) => ({
  contents: [{ uri, mimeType: json, text: JSON.stringify(content) }],
})

function splitIntoPages(metrics: readonly Metric[]): Metric[][] {
  const pages: Metric[][] = []
  let room = 0
  for (const metric of metrics) {
    const { length } = JSON.stringify(metric)
    room -= length
    if (room < 0 || pages.length === 0) {
      pages.push([])
      room = maxPageCharacters - length
    }
    pages.at(-1)!.push(metric)
  }
  return pages
}
