import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addressOf } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { paths } from '#contract/paths.ts'
import { rows } from '#contract/rows.ts'
import type { Connection } from '../client/call.ts'

const definition = successSchema(rows.metric).extend({ data: z.tuple([rows.metric]) })
const json = 'application/json'
const mostCompletions = 100

/** Adds the catalogue, the definition of each metric, and the changelog. */
export function registerResources(server: McpServer, { rest, catalogue }: Connection): void {
  server.registerResource(
    'catalogue',
    'coinstrata://catalogue',
    {
      title: 'Catalogue of metrics',
      description: 'The definition of every metric. It is long: search_metrics and get_metric answer in less.',
      mimeType: json,
    },
    async ({ href }, { mcpReq }) => {
      const { metrics } = await catalogue.read(rest, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: json, text: JSON.stringify(metrics) }] }
    },
  )
  const template = new ResourceTemplate('coinstrata://metrics/{metric_id}', {
    list: undefined,
    complete: {
      metric_id: async (begun) => {
        const { metrics } = await catalogue.read(rest, AbortSignal.timeout(10_000))
        const ids = metrics.map(({ id }) => id).filter((id) => id.startsWith(begun))
        return ids.sort((a, b) => a.length - b.length).slice(0, mostCompletions)
      },
    },
  })
  server.registerResource(
    'metric',
    template,
    { title: 'Definition of a metric', description: 'One metric by its id, such as mvrv.', mimeType: json },
    async ({ href }, { metric_id: id }, { mcpReq }) => {
      if (typeof id !== 'string' || !/^\w{1,100}$/.test(id)) throw new ResourceNotFoundError(href)
      const path = addressOf('/v1/metrics/{metric_id}', { metric_id: id, fields: 'all' })
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
