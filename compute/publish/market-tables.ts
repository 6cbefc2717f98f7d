import type { DuckDBConnection } from '@duckdb/node-api'
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
import type { MetricRow } from '../catalogue/definition.ts'
import { derivatives } from '../catalogue/derivatives.ts'
import { etfs } from '../catalogue/etfs.ts'
import type { OriginTable } from '../catalogue/origin.ts'
import { treasuries as treasuryMetrics } from '../catalogue/treasuries-metrics.ts'
import type { Draft } from './draft.ts'

interface MarketInputs {
  readonly draft: Draft
  readonly dataDir: string
  readonly closeOn: CloseOn
  /** Last closed unix day. */
  readonly lastDay: number
  /** True for mainnet: only its coins have a market and known holders. */
  readonly real: boolean
  /** Notes for readers of the generation; publishing adds more. */
  readonly notes: string[]
}

/** Publishes derivatives, funds and treasuries by closed day. Returns the tables for metrics. */
export const publishMarketTables = async (
  market: MarketInputs,
  days: Relation<'days'>,
): Promise<Relation<OriginTable>[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]

async function publishDerivatives(inputs: MarketInputs): Promise<Relation<OriginTable>[]> {
  const { draft, dataDir, closeOn, lastDay } = inputs
  const { connection } = draft
  const settlements = await readObservations(connection, dataDir, stored.funding)
  const stamps = await readObservations(connection, dataDir, stored.open_interest)
  const open = marketOpenInterest(stamps, closeOn, lastDay)
  const rates = exchangeFunding(marketFunding(settlements, lastDay), open)
  await draft.writeRows(
    tables.exchanges,
    exchanges.map(({ id, name }) => ({ exchange: id, name })),
  )
  return [
    await draft.writeRows(tables.funding, withSources(rates, settlements, 'exchange')),
    await draft.writeRows(tables.open_interest, withSources(exchangeOpenInterest(open), stamps, 'exchange')),
    await aggregateRelation(connection, 'funding_aggregate', derivatives, aggregateFunding(rates, open)),
    await aggregateRelation(connection, 'open_interest_aggregate', derivatives, aggregateOpenInterest(open)),
  ]
}

async function publishFunds(inputs: MarketInputs): Promise<Relation<OriginTable>[]> {
  const { draft, dataDir, closeOn, lastDay, notes } = inputs
  const { connection } = draft
  const reports = await readObservations(connection, dataDir, stored.etf)
  const days = fundDays(reports, closeOn, lastDay)
  const coverage = describeFundCoverage(days)
  if (coverage !== undefined) notes.push(coverage)

  await draft.writeRows(
    tables.etf_registry,
    funds.map(({ feeder_of = null, ...fund }) => ({ ...fund, feeder_of })),
  )
  return [
    await draft.writeRows(tables.etf, withSources(days, reports, 'ticker')),
    await aggregateRelation(connection, 'etf_aggregate', etfs, aggregateFunds(days)),
  ]
}

const { id: entityId, percentage_of_total_supply: _share, ...holdingColumns } = tables.treasuries.columns
const { first_date: _firstDate, ...entityColumns } = tables.treasury_registry.columns

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
  const rows = await sessionRelation(connection, 'entity_days', { ...holdingColumns, entity_id: entityId }, dated(held))
  const registry = await sessionRelation(
    connection,
    'entities',
    entityColumns,
    entities.map((entity) => ({ ...entity, consolidated_in: entity.consolidated_in ?? null })),
  )

  const treasuries = await draft.write(tables.treasuries, readStatement('treasuries'), { from: [rows, days] })
  await draft.write(tables.treasury_registry, readStatement('treasury-registry'), { from: [registry, treasuries] })
  const totals = aggregateTreasuries(held, closeOn)
  return [treasuries, await aggregateRelation(connection, 'treasuries_aggregate', treasuryMetrics, totals)]
}

/** Columns of `rows` that metrics read. */
function aggregateRelation<Name extends OriginTable>(
  connection: DuckDBConnection,
  name: Name,
  metrics: readonly MetricRow[],
  rows: readonly { readonly date: number }[],
): Promise<Relation<Name>> {
  const columns = metrics.flatMap(({ from }) => (from?.table === name ? [[from.column, 'DOUBLE'] as const] : []))
  return sessionRelation(connection, name, { date: 'DATE', ...Object.fromEntries(columns) }, dated(rows))
}

const dated = <Row extends { readonly date: number }>(
  rows: readonly Row[],
): readonly (Omit<Row, 'date'> & { readonly date: string })[] =>
  rows.map((row) => ({ ...row, date: isoDate(row.date) }))

/** Adds to each row the sources that observed its key, comma-separated. */
function withSources<
  Key extends string,
  Row extends Readonly<Record<Key, string>> & { readonly date: number },
  Observed extends Readonly<Record<Key, string>> & Provenance,
>(rows: readonly Row[], observations: readonly Observed[], key: Key) {
  const byKey = Map.groupBy(observations, (one): string => one[key])
  const sources = new Map(
    [...byKey].map(([name, own]) => [name, [...new Set(own.map(({ source }) => source))].sort().join(', ')]),
  )
  return dated(rows.map((row) => ({ ...row, source: sources.get(row[key]) ?? '' })))
}
