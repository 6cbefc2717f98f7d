import { aggregateFunding, exchangeFunding, marketFunding } from '#ingest/market/daily-funding.ts'
import { aggregateOpenInterest, exchangeOpenInterest, marketOpenInterest } from '#ingest/market/daily-open-interest.ts'
import { tables } from '#ingest/market/observations.ts'
import { exchanges } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import { writeParquet } from '#sql/parquet.ts'
import { createTableOfRows } from '#sql/rows.ts'
import type { MarketInputs } from './inputs.ts'
import { dated, sourcesBy } from './rows.ts'

const fundingTypes = {
  date: 'DATE',
  exchange: 'VARCHAR',
  funding_rate: 'DOUBLE',
  annualized: 'DOUBLE',
  oi_weight: 'DOUBLE',
  source: 'VARCHAR',
} as const
const fundingAggregateTypes = {
  date: 'DATE',
  avg_funding_rate: 'DOUBLE',
  annualized: 'DOUBLE',
  spread: 'DOUBLE',
  exchange_count: 'INTEGER',
} as const
const openInterestTypes = {
  date: 'DATE',
  exchange: 'VARCHAR',
  oi_usd: 'DOUBLE',
  oi_btc: 'DOUBLE',
  oi_delta_usd: 'DOUBLE',
  oi_delta_btc: 'DOUBLE',
  oi_share: 'DOUBLE',
  source: 'VARCHAR',
} as const
const openInterestAggregateTypes = {
  date: 'DATE',
  total_oi_usd: 'DOUBLE',
  total_oi_btc: 'DOUBLE',
  oi_delta_usd: 'DOUBLE',
  oi_delta_btc: 'DOUBLE',
  oi_delta_pct: 'DOUBLE',
  exchange_count: 'INTEGER',
} as const

/** Publishes `funding` and `open_interest` by exchange, and `exchanges`, which names these. */
export async function publishDerivatives(market: MarketInputs): Promise<string[]> {
  const { connection, dataDir, file, closeOn, lastDay } = market
  const settlements = await readObservations(connection, dataDir, tables.funding)
  const stamps = await readObservations(connection, dataDir, tables.open_interest)
  const open = marketOpenInterest(stamps, closeOn, lastDay)
  const rates = exchangeFunding(marketFunding(settlements, lastDay), open)

  const fundingSources = sourcesBy(settlements, ({ exchange }) => exchange)
  await createTableOfRows(
    connection,
    'funding',
    fundingTypes,
    dated(rates).map((row) => ({ ...row, source: fundingSources.get(row.exchange) })),
  )
  await createTableOfRows(connection, 'funding_aggregate', fundingAggregateTypes, dated(aggregateFunding(rates, open)))
  const stampSources = sourcesBy(stamps, ({ exchange }) => exchange)
  await createTableOfRows(
    connection,
    'open_interest',
    openInterestTypes,
    dated(exchangeOpenInterest(open)).map((row) => ({ ...row, source: stampSources.get(row.exchange) })),
  )
  const totals = dated(aggregateOpenInterest(open))
  await createTableOfRows(connection, 'open_interest_aggregate', openInterestAggregateTypes, totals)
  const names = exchanges.map(({ id, name }) => ({ exchange: id, name }))
  await createTableOfRows(connection, 'exchanges', { exchange: 'VARCHAR', name: 'VARCHAR' }, names)

  await writeParquet(connection, file('funding'), 'FROM funding ORDER BY date, exchange')
  await writeParquet(connection, file('open_interest'), 'FROM open_interest ORDER BY date, exchange')
  await writeParquet(connection, file('exchanges'), 'FROM exchanges ORDER BY exchange')
  return ['funding', 'open_interest', 'exchanges']
}
