import { tables } from '#contract/tables/tables.ts'
import { aggregateFunds, describeFundCoverage, fundDays } from '#ingest/market/daily-etf.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { funds } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import type { Relation } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
import type { MarketInputs } from './inputs.ts'
import { dated, sourcesBy } from './rows.ts'

const etfAggregate = {
  date: 'DATE',
  total_btc_holdings: 'DOUBLE',
  total_aum_usd: 'DOUBLE',
  net_flow_btc: 'DOUBLE',
  net_flow_usd: 'DOUBLE',
  cumulative_flow_btc: 'DOUBLE',
  cumulative_money_flow: 'DOUBLE',
  realized_price: 'DOUBLE',
  us_btc_holdings: 'DOUBLE',
  us_realized_price: 'DOUBLE',
  premium_average: 'DOUBLE',
  etf_count: 'INTEGER',
} as const

export async function publishFunds({
  draft,
  dataDir,
  closeOn,
  lastDay,
  notes,
}: MarketInputs): Promise<Relation<OriginTable>[]> {
  const { connection } = draft
  const reports = await readObservations(connection, dataDir, stored.etf)
  const days = fundDays(reports, closeOn, lastDay)
  const coverage = describeFundCoverage(days)
  if (coverage !== undefined) notes.push(coverage)
  const sources = sourcesBy(reports, ({ ticker }) => ticker)

  await draft.writeRows(
    tables.etf_registry,
    funds.map(({ feeder_of = null, ...fund }) => ({ ...fund, feeder_of })),
  )
  return [
    await draft.writeRows(
      tables.etf,
      dated(days).map((row) => ({ ...row, source: sources(row.ticker) })),
    ),
    await sessionRelation(connection, 'etf_aggregate', etfAggregate, dated(aggregateFunds(days))),
  ]
}
