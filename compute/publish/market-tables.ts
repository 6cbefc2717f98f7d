import { isoDate } from '#base/days.ts'
import { tables } from '#contract/tables/tables.ts'
import { aggregateFunds, describeFundCoverage, fundDays } from '#ingest/market/daily-etf.ts'
import { aggregateFunding, exchangeFunding, marketFunding } from '#ingest/market/daily-funding.ts'
import { aggregateOpenInterest, exchangeOpenInterest, marketOpenInterest } from '#ingest/market/daily-open-interest.ts'
import {
  aggregateTreasuries,
  describeRegistryReports,
  entityDays,
  withRegistryReports,
} from '#ingest/market/daily-treasuries.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import type { CloseOn } from '#ingest/market/prices.ts'
import { entities, exchanges, funds } from '#ingest/market/reference.ts'
import { type Provenance, readObservations } from '#ingest/market/store.ts'
import type { Relation } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import type { OriginTable } from '../catalogue/origin.ts'
import type { Draft } from './draft.ts'

interface MarketInputs {
  readonly draft: Draft
  readonly dataDir: string
  readonly closeOn: CloseOn
  /** Unix day of the last closed day. */
  readonly lastDay: number
  /** True for mainnet, whose coins alone have a market and holders known by name. */
  readonly real: boolean
  /** Notes for readers of the generation, to which publishing adds. */
  readonly notes: string[]
}

/**
 * Publishes derivatives, funds and treasuries by closed day. Returns the tables from which metrics
 * are read.
 */
export const publishMarketTables = async (
  market: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]

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

async function publishDerivatives(inputs: MarketInputs): Promise<Relation<OriginTable>[]> {
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

async function publishFunds({
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

async function publishTreasuries(
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

const dated = <Row extends { readonly date: number }>(
  rows: readonly Row[],
): readonly (Omit<Row, 'date'> & { readonly date: string })[] =>
  rows.map((row) => ({ ...row, date: isoDate(row.date) }))

/** Returns a function that lists the sources with observations of a key, comma-separated. */
function sourcesBy<Row extends Provenance>(rows: readonly Row[], key: (row: Row) => string): (key: string) => string {
  const sources = new Map(
    [...Map.groupBy(rows, key)].map(([name, own]) => [
      name,
      [...new Set(own.map(({ source }) => source))].sort().join(', '),
    ]),
  )
  return (name) => sources.get(name) ?? ''
}
