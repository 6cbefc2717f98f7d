import { tables } from '#contract/tables/tables.ts'
import {
  aggregateTreasuries,
  describeRegistryReports,
  entityDays,
  withRegistryReports,
} from '#ingest/market/daily-treasuries.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { entities } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import type { Relation } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
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
const treasuriesAggregate = {
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

export async function publishTreasuries(
  { draft, dataDir, closeOn, lastDay, real, notes }: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> {
  const { connection } = draft
  const observed = await readObservations(connection, dataDir, stored.treasuries)
  const reports = real ? withRegistryReports(observed) : observed
  const note = describeRegistryReports(reports)
  if (note !== undefined) notes.push(note)
  const held = entityDays(reports, closeOn, lastDay)
  const rows = await sessionRelation(connection, 'entity_days', entityTypes, dated(held))
  const registry = await sessionRelation(
    connection,
    'entities',
    registryTypes,
    entities.map((entity) => ({ ...entity, consolidated_in: entity.consolidated_in ?? null })),
  )

  const treasuries = await draft.write(tables.treasuries, readStatement('treasuries'), { from: [rows, days] })
  await draft.write(tables.treasury_registry, readStatement('treasury-registry'), { from: [registry, treasuries] })
  const totals = dated(aggregateTreasuries(held, closeOn))
  return [treasuries, await sessionRelation(connection, 'treasuries_aggregate', treasuriesAggregate, totals)]
}
