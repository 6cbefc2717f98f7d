import type { RequestListener } from 'node:http'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** Metrics of several processes as one: requests are summed, facts about the data are reported once. */
export const joinMetrics = (figures: ProcessMetrics[]): Registry => AggregatorRegistry.aggregate(figures)

export const serveMetrics =
  (read: () => Promise<Pick<Registry, 'metrics' | 'contentType'>>): RequestListener =>
  (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    read()
      .then(async (registry) => ({ text: await registry.metrics(), type: registry.contentType }))
      .then(
        ({ text, type }) => response.writeHead(200, { 'Content-Type': type }).end(text),
        () => response.writeHead(500).end(),
      )
  }
