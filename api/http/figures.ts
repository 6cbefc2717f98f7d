import type { RequestListener } from 'node:http'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

/** What a process tells Prometheus. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

/** What several processes tell as what one would: requests are added up, what is true of the data is told once. */
export const joinFigures = (figures: Figures[]): Registry => AggregatorRegistry.aggregate(figures)

/** Serves at `/metrics` what Prometheus reads. */
export const serveFigures =
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
