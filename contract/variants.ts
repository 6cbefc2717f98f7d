import type { EndpointId } from './endpoints.ts'

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  'series',
  'funding/exchange',
  'oi/exchange',
  'etf/ticker',
  'dat/entity',
])

/** A single cohort, exchange, fund or entity. */
export const isVariant = ({ endpoint }: { readonly endpoint: string }): boolean =>
  endpoint.startsWith('cohort/metrics/') || variantEndpoints.has(endpoint)
