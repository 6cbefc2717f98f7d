import type { Relation } from '#sql/relation.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
import { publishDerivatives } from './derivatives.ts'
import { publishFunds } from './funds.ts'
import type { MarketInputs } from './inputs.ts'
import { publishTreasuries } from './treasuries.ts'

/** Publishes derivatives, funds and treasuries by closed day. Returns the tables from which metrics are read. */
export const publishMarketTables = async (
  market: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]
