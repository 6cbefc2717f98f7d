import { publishDerivatives } from './derivatives.ts'
import { publishFunds } from './funds.ts'
import type { MarketInputs } from './inputs.ts'
import { publishTreasuries } from './treasuries.ts'

/**
 * Publishes what is stored of the derivatives, fund and treasury markets by closed day, and leaves the same, with the
 * aggregates that metrics are read from, as tables in the session. Where nothing is stored the tables are empty. Needs
 * the view `days`. Returns the names of the published tables.
 */
export async function publishMarketTables(market: MarketInputs): Promise<string[]> {
  return [...(await publishDerivatives(market)), ...(await publishFunds(market)), ...(await publishTreasuries(market))]
}
