import type { DuckDBConnection } from '@duckdb/node-api'
import type { CloseOn } from '#ingest/market/prices.ts'

/** What the market tables of a generation are made from, and where they go. */
export interface MarketInputs {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  /** The file of a published table. */
  readonly file: (table: string) => string
  readonly closeOn: CloseOn
  /** Unix day of the last closed day. */
  readonly lastDay: number
}
