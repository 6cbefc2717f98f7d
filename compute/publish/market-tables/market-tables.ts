import type { Relation } from '#sql/relation.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
import { publishDerivatives } from './derivatives.ts'
import { publishFunds } from './funds.ts'
import type { MarketInputs } from './inputs.ts'
import { publishTreasuries } from './treasuries.ts'

/**
 * Publishes the stored data of derivatives, funds and treasuries by closed day; without any the tables are empty. Returns
 * the tables by exchange, fund and entity, and the aggregates, from which metrics are read. Shares of the supply are of
 * `supply_sats` in `days`.
 */
export const publishMarketTables = async (
  market: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]
