import type { DuckDBConnection } from '@duckdb/node-api'
import type { CloseOn } from '#ingest/market/prices.ts'
import { publishDerivatives } from './derivatives.ts'
import { publishFunds } from './funds.ts'
import { publishTreasuries } from './treasuries.ts'

/** What the market tables of a generation are made from, and where they go. */
export interface MarketTables {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  /** The file of a published table. */
  readonly file: (table: string) => string
  readonly closeOn: CloseOn
  /** Unix day of the last closed day. */
  readonly lastDay: number
}

/**
 * Publishes what is stored of the derivatives, fund and treasury markets by closed day, and leaves the same, with the
 * aggregates that metrics are read from, as tables in the session. Where nothing is stored the tables are empty. Needs
 * the view `days`. Returns the names of the published tables.
 */
export async function publishMarketTables(market: MarketTables): Promise<string[]> {
  return [...(await publishDerivatives(market)), ...(await publishFunds(market)), ...(await publishTreasuries(market))]
}
