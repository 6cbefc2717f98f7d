import type { Relation } from '#sql/relation.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
import { publishDerivatives } from './derivatives.ts'
import { publishFunds } from './funds.ts'
import type { MarketInputs } from './inputs.ts'
import { publishTreasuries } from './treasuries.ts'

/**
 * Publishes what is stored of the derivatives, fund and treasury markets by closed day. Where nothing is stored the
 * tables are empty. Returns what metrics are read from: those by exchange, fund and entity, and the aggregates. Shares
 * of the supply are of the `supply_sats` of `days`.
 */
export const publishMarketTables = async (
  market: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]
