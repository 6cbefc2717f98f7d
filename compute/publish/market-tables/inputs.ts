import type { CloseOn } from '#ingest/market/prices.ts'
import type { Draft } from '../draft.ts'

/** What the market tables of a generation are made from, and where they go. */
export interface MarketInputs {
  readonly draft: Draft
  readonly dataDir: string
  readonly closeOn: CloseOn
  /** Unix day of the last closed day. */
  readonly lastDay: number
  /** Whether the coins are those of mainnet, which alone have a market and holders known by name. */
  readonly real: boolean
  /** What readers of the generation should know; publishing adds to it. */
  readonly notes: string[]
}
