import type { CloseOn } from '#ingest/market/prices.ts'
import type { Draft } from '../draft.ts'

export interface MarketInputs {
  readonly draft: Draft
  readonly dataDir: string
  readonly closeOn: CloseOn
  /** Unix day of the last closed day. */
  readonly lastDay: number
  /** True for mainnet, whose coins alone have a market and holders known by name. */
  readonly real: boolean
  /** Notes for readers of the generation, to which publishing adds. */
  readonly notes: string[]
}
