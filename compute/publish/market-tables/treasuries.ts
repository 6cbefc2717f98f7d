import { aggregateTreasuries, entityDays } from '#ingest/market/daily-treasuries.ts'
import { tables } from '#ingest/market/observations.ts'
import { entities } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import { writeParquet } from '#sql/parquet.ts'
import { createTableOfRows } from '#sql/rows.ts'
import { statement } from '#sql/statement.ts'
import type { MarketInputs } from './inputs.ts'
import { dated } from './rows.ts'

const entityTypes = {
  date: 'DATE',
  entity_id: 'INTEGER',
  btc_amount: 'DOUBLE',
  total_current_value_usd: 'DOUBLE',
  net_flow_btc: 'DOUBLE',
  cumulative_flow_btc: 'DOUBLE',
  market_share_pct: 'DOUBLE',
  source: 'VARCHAR',
} as const
const aggregateTypes = {
  date: 'DATE',
  total_btc: 'DOUBLE',
  total_companies: 'INTEGER',
  public_company_btc: 'DOUBLE',
  private_company_btc: 'DOUBLE',
  government_btc: 'DOUBLE',
  fund_btc: 'DOUBLE',
  protocol_btc: 'DOUBLE',
  custodian_btc: 'DOUBLE',
  net_change_btc: 'DOUBLE',
  total_value_usd: 'DOUBLE',
  cumulative_money_flow: 'DOUBLE',
} as const
const registryTypes = {
  id: 'INTEGER',
  name: 'VARCHAR',
  ticker: 'VARCHAR',
  type: 'VARCHAR',
  country: 'VARCHAR',
  consolidated_in: 'INTEGER',
} as const

/** Publishes `treasuries` by entity, and `treasury_registry`, which describes all tracked entities. */
export async function publishTreasuries(market: MarketInputs): Promise<string[]> {
  const { connection, dataDir, file, closeOn, lastDay } = market
  const days = entityDays(await readObservations(connection, dataDir, tables.treasuries), closeOn, lastDay)
  await createTableOfRows(connection, 'treasuries', entityTypes, dated(days))
  const totals = dated(aggregateTreasuries(days, closeOn))
  await createTableOfRows(connection, 'treasuries_aggregate', aggregateTypes, totals)
  const registry = entities.map((entity) => ({ ...entity, consolidated_in: entity.consolidated_in ?? null }))
  await createTableOfRows(connection, 'treasury_registry', registryTypes, registry)

  await writeParquet(connection, file('treasuries'), statement('treasuries'))
  await writeParquet(connection, file('treasury_registry'), statement('treasury-registry'))
  return ['treasuries', 'treasury_registry']
}
