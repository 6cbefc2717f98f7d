import type { EndpointId } from './endpoints.ts'

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  'series',
  'funding/exchange',
  'oi/exchange',
  'etf/ticker',
  'dat/entity',
])

/** A single cohort, exchange, fund or entity. */
export const isVariant = (metric: { readonly endpoint: string }): boolean => {
  const endpoint = endpointPath(metric)
  return endpoint.startsWith('cohort/metrics/') || variantEndpoints.has(endpoint)
}

/** Without the parameters that name a single exchange, fund or entity: `etf/ticker`. */
export const endpointPath = ({ endpoint }: { readonly endpoint: string }): string => endpoint.replace(/\?.*/, '')
