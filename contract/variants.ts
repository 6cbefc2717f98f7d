import { servedCohorts } from './cohorts.ts'
import type { EndpointId } from './endpoints.ts'

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  ...(['series', 'funding/exchange', 'oi/exchange', 'etf/ticker', 'dat/entity'] as const),
  ...servedCohorts.map((cohort) => `cohort/metrics/${cohort}` as const),
])

/** True for metrics of a single cohort, exchange, fund or entity. */
export const isVariant = ({ endpoint }: { readonly endpoint: string }): boolean => variantEndpoints.has(endpoint)
