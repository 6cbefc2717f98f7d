import { aggregateFunds, fundDays } from '#ingest/market/daily-etf.ts'
import { tables } from '#ingest/market/observations.ts'
import { funds } from '#ingest/market/reference.ts'
import { readObservations } from '#ingest/market/store.ts'
import { writeParquet } from '#sql/parquet.ts'
import { createTableOfRows } from '#sql/rows.ts'
import type { MarketInputs } from './inputs.ts'
import { dated, sourcesBy } from './rows.ts'

const fundTypes = {
  date: 'DATE',
  ticker: 'VARCHAR',
  btc_holdings: 'DOUBLE',
  /** Holdings that are derived from net assets, since no source reports them. */
  estimated: 'BOOLEAN',
  net_flow_btc: 'DOUBLE',
  net_flow_usd: 'DOUBLE',
  cumulative_flow_btc: 'DOUBLE',
  aum_usd: 'DOUBLE',
  realized_cap: 'DOUBLE',
  premium: 'DOUBLE',
  source: 'VARCHAR',
} as const
const aggregateTypes = {
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
const registryTypes = {
  ticker: 'VARCHAR',
  name: 'VARCHAR',
  issuer: 'VARCHAR',
  country: 'VARCHAR',
  launch_date: 'DATE',
  fee_percent: 'DOUBLE',
  status: 'VARCHAR',
  feeder_of: 'VARCHAR',
} as const

/** Publishes `etf` by fund, and `etf_registry`, which describes all known funds. */
export async function publishFunds({ connection, dataDir, file, closeOn, lastDay }: MarketInputs): Promise<string[]> {
  const reports = await readObservations(connection, dataDir, tables.etf)
  const days = fundDays(reports, closeOn, lastDay)
  const sources = sourcesBy(reports, ({ ticker }) => ticker)
  await createTableOfRows(
    connection,
    'etf',
    fundTypes,
    dated(days).map((row) => ({ ...row, source: sources.get(row.ticker) })),
  )
  await createTableOfRows(connection, 'etf_aggregate', aggregateTypes, dated(aggregateFunds(days)))
  const registry = funds.map((fund) => ({ feeder_of: null, ...fund }))
  await createTableOfRows(connection, 'etf_registry', registryTypes, registry)

  await writeParquet(connection, file('etf'), 'FROM etf ORDER BY date, ticker')
  await writeParquet(connection, file('etf_registry'), 'FROM etf_registry ORDER BY ticker')
  return ['etf', 'etf_registry']
}
