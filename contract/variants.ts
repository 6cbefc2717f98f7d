import type { EndpointId } from './endpoints.ts'
import { ownCategory } from './metric-kinds.ts'

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  'series',
  'funding/exchange',
  'oi/exchange',
  'etf/ticker',
  'dat/entity',
])

/** A single cohort, exchange, fund or entity. */
export const isVariant = (metric: { readonly endpoint: string; readonly category: string }): boolean => {
  const endpoint = endpointPath(metric)
  if (metric.category === ownCategory) return false
  return endpoint.startsWith('cohort/metrics/') || variantEndpoints.has(endpoint)
}

/** Without the parameters that name a single exchange, fund or entity: `etf/ticker`. */
export const endpointPath = ({ endpoint }: { readonly endpoint: string }): string => endpoint.split('?', 1)[0]!
