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
import { readColumns } from '#sql/columns.ts'
import type { Relation } from '#sql/relation.ts'
import type { Draft } from './draft.ts'
import type { OriginRows } from './origin-columns.ts'

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

/** Publishes derivatives, funds and treasuries by closed day. Returns the rows for metrics. */
export const publishMarketTables = async (market: MarketInputs, days: Relation<'days'>): Promise<OriginRows[]> => [
  ...(await publishDerivatives(market)),
  ...(await publishFunds(market)),
  ...(await publishTreasuries(market, days)),
]

async function publishDerivatives(inputs: MarketInputs): Promise<OriginRows[]> {
  const { draft, dataDir, closeOn, lastDay } = inputs
  const { connection } = draft
  const settlements = await readObservations(connection, dataDir, stored.funding)
  const stamps = await readObservations(connection, dataDir, stored.open_interest)
  const open = marketOpenInterest(stamps, closeOn, lastDay)
  const rates = exchangeFunding(marketFunding(settlements, lastDay), open)
  draft.writeRows(
    tables.exchanges,
    exchanges.map(({ id, name }) => ({ exchange: id, name })),
  )
  const interest = exchangeOpenInterest(open)
  draft.writeRows(tables.funding, withSources(rates, settlements, 'exchange'))
  draft.writeRows(tables.open_interest, withSources(interest, stamps, 'exchange'))
  return [
    { name: 'funding', rows: rates },
    { name: 'open_interest', rows: interest },
    { name: 'funding_aggregate', rows: aggregateFunding(rates, open) },
    { name: 'open_interest_aggregate', rows: aggregateOpenInterest(open) },
  ]
}

async function publishFunds(inputs: MarketInputs): Promise<OriginRows[]> {
  const { draft, dataDir, closeOn, lastDay, notes } = inputs
  const { connection } = draft
  const reports = await readObservations(connection, dataDir, stored.etf)
  const days = fundDays(reports, closeOn, lastDay)
  const coverage = describeFundCoverage(days)
  if (coverage !== undefined) notes.push(coverage)

  draft.writeRows(
    tables.etf_registry,
    funds.map(({ feeder_of = null, ...fund }) => ({ ...fund, feeder_of })),
  )
  draft.writeRows(tables.etf, withSources(days, reports, 'ticker'))
  return [
    { name: 'etf', rows: days },
    { name: 'etf_aggregate', rows: aggregateFunds(days) },
  ]
}

async function publishTreasuries(
  { draft, dataDir, closeOn, lastDay, real, notes }: MarketInputs,
  days: Relation<'days'>,
): Promise<OriginRows[]> {
  const observed = await readObservations(draft.connection, dataDir, stored.treasuries)
  const reports = real ? withRegistryReports(observed) : observed
  const note = describeRegistryReports(reports)
  if (note !== undefined) notes.push(note)
  const held = entityDays(reports, closeOn, lastDay)
  const supply = await readColumns(draft.connection, `SELECT date, coins(supply_sats) AS coins FROM ${days.from}`)
  const coinsOn = new Map(Array.from(supply.date!, (day, row) => [day, supply.coins![row]!]))
  const rows = held.map(({ entity_id: id, ...day }) => {
    const coins = coinsOn.get(day.date) || Number.NaN
    return { ...day, id, percentage_of_total_supply: (100 * day.btc_amount) / coins }
  })
  draft.writeRows(tables.treasuries, dated(rows))

  const firstDates = new Map<number, number>()
  for (const { id, date } of rows) firstDates.set(id, Math.min(date, firstDates.get(id) ?? date))
  draft.writeRows(
    tables.treasury_registry,
    entities.map(({ consolidated_in = null, ...entity }) => {
      const first = firstDates.get(entity.id)
      return { ...entity, consolidated_in, first_date: first === undefined ? null : isoDate(first) }
    }),
  )
  return [
    { name: 'treasuries', rows },
    { name: 'treasuries_aggregate', rows: aggregateTreasuries(held, closeOn) },
  ]
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
