import { blockchainEndpoints } from './endpoints/blockchain.ts'
import { definitionsEndpoints } from './endpoints/definitions.ts'
import { holdersEndpoints } from './endpoints/holders.ts'
import { investorsEndpoints } from './endpoints/investors.ts'
import { marketEndpoints } from './endpoints/market.ts'
import { seriesEndpoints } from './endpoints/series.ts'

export const endpoints = {
  ...marketEndpoints,
  ...holdersEndpoints,
  ...blockchainEndpoints,
  ...investorsEndpoints,
  ...definitionsEndpoints,
  ...seriesEndpoints,
} as const

export type EndpointName = keyof typeof endpoints

/** Endpoint names in the catalogue: paths without `/v1/`, one per cohort. */
export type EndpointId = Filled<(typeof endpoints)[EndpointName]['id']>

type Filled<Id extends string> = Id extends `${infer Before}{cohort}${infer After}`
  ? `${Before}${string}${After}`
  : Id extends `${string}{${string}`
    ? never
    : Id
