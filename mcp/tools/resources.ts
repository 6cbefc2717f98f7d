import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { paths } from '#contract/paths.ts'
import { rows } from '#contract/rows.ts'
import { isVariant } from '#contract/search/search.ts'
import type { Connection } from '../client/call.ts'
import type { Tool } from './tool.ts'

const definition = successSchema(rows.metric).extend({ data: z.tuple([rows.metric]) })
const json = 'application/json'
const maxCompletions = 100

/** Characters of a page of the catalogue, which an assistant can take in. */
const maxPageCharacters = 20_000

/** Adds the catalogue whole and in pages, the definition of each metric, manuals of the tools, and the changelog. */
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
        'The definition of every metric. It is very long: coinstrata://catalogue/1 is its first page, and search_metrics answers in less.',
      mimeType: json,
    },
    async ({ href }, { mcpReq }) => {
      const { metrics } = await catalogue.read(rest, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: json, text: JSON.stringify(metrics) }] }
    },
  )
  server.registerResource(
    'catalogue_page',
    new ResourceTemplate('coinstrata://catalogue/{page}', { list: undefined }),
    {
      title: 'A page of the catalogue',
      description: 'Definitions without those of single cohorts, exchanges, funds and entities. Pages count from 1.',
      mimeType: json,
    },
    async ({ href }, { page }, { mcpReq }) => {
      const { metrics } = await catalogue.read(rest, mcpReq.signal)
      const pages = splitIntoPages(
        metrics.filter((metric) => !isVariant(metric)).map((metric) => JSON.stringify(metric)),
      )
      const entries = pages[Number(page) - 1]
      if (!entries) throw new ResourceNotFoundError(href)
      const text = `{"page":${page},"pages":${pages.length},"metrics":[${entries.join()}]}`
      return { contents: [{ uri: href, mimeType: json, text }] }
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
      description: 'Its whole schemas, usual fields and the formula language.',
      mimeType: json,
    },
    ({ href }, { name }) => {
      const manual = manuals.find((one) => one.name === name)
      if (!manual) throw new ResourceNotFoundError(href)
      return { contents: [{ uri: href, mimeType: json, text: JSON.stringify(manual.manual()) }] }
    },
  )
  const template = new ResourceTemplate('coinstrata://metrics/{metric_id}', {
    list: undefined,
    complete: {
      metric_id: async (begun) => {
        const { metrics } = await catalogue.read(rest, AbortSignal.timeout(10_000))
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
      const path = requestAddress('/v1/metrics/{metric_id}', { metric_id: id, fields: 'all' })
      const { data } = await rest.get(path, definition, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: json, text: JSON.stringify(data[0]) }] }
    },
  )
  server.registerResource(
    'changelog',
    'coinstrata://changelog',
    { title: 'Changelog', description: 'What has changed in this service.', mimeType: 'text/markdown' },
    async ({ href }, { mcpReq }) => {
      const text = await rest.text(await rest.send(paths.changelog, mcpReq.signal))
      return { contents: [{ uri: href, mimeType: 'text/markdown', text }] }
    },
  )
}

/** As many texts to a page as it has room for. */
function splitIntoPages(texts: readonly string[]): string[][] {
  const pages: string[][] = []
  let room = 0
  for (const text of texts) {
    room -= text.length
    if (room < 0 || pages.length === 0) {
      pages.push([])
      room = maxPageCharacters - text.length
    }
    pages.at(-1)!.push(text)
  }
  return pages
}
