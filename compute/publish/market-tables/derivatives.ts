import { tables } from '#contract/tables/tables.ts'
import { aggregateFunding, exchangeFunding, marketFunding } from '#ingest/market/daily-funding.ts'
import { aggregateOpenInterest, exchangeOpenInterest, marketOpenInterest } from '#ingest/market/daily-open-interest.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { exchanges } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import type { Relation } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import type { OriginTable } from '../../catalogue/origin.ts'
import type { MarketInputs } from './inputs.ts'
import { dated, sourcesBy } from './rows.ts'

const fundingAggregate = {
  date: 'DATE',
  avg_funding_rate: 'DOUBLE',
  annualized: 'DOUBLE',
  spread: 'DOUBLE',
  exchange_count: 'INTEGER',
} as const
const openInterestAggregate = {
  date: 'DATE',
  total_oi_usd: 'DOUBLE',
  total_oi_btc: 'DOUBLE',
  oi_delta_usd: 'DOUBLE',
  oi_delta_btc: 'DOUBLE',
  oi_delta_pct: 'DOUBLE',
  exchange_count: 'INTEGER',
} as const

export async function publishDerivatives(inputs: MarketInputs): Promise<Relation<OriginTable>[]> {
  const { draft, dataDir, closeOn, lastDay } = inputs
  const { connection } = draft
  const settlements = await readObservations(connection, dataDir, stored.funding)
  const stamps = await readObservations(connection, dataDir, stored.open_interest)
  const open = marketOpenInterest(stamps, closeOn, lastDay)
  const rates = exchangeFunding(marketFunding(settlements, lastDay), open)
  const fundingSources = sourcesBy(settlements, ({ exchange }) => exchange)
  const stampSources = sourcesBy(stamps, ({ exchange }) => exchange)

  await draft.writeRows(
    tables.exchanges,
    exchanges.map(({ id, name }) => ({ exchange: id, name })),
  )
  return [
    await draft.writeRows(
      tables.funding,
      dated(rates).map((row) => ({ ...row, source: fundingSources(row.exchange) })),
    ),
    await draft.writeRows(
      tables.open_interest,
      dated(exchangeOpenInterest(open)).map((row) => ({ ...row, source: stampSources(row.exchange) })),
    ),
    await sessionRelation(connection, 'funding_aggregate', fundingAggregate, dated(aggregateFunding(rates, open))),
    await sessionRelation(
      connection,
      'open_interest_aggregate',
      openInterestAggregate,
      dated(aggregateOpenInterest(open)),
    ),
  ]
}
