import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { firstMarket } from '#ingest/market/price-sources.ts'
import { readColumns } from '#sql/columns.ts'
import { filesRelation, queryRelation, type Relation, withInputs } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import { type CohortColumns, CohortPass } from '../cohorts/cohort-pass.ts'
import { type Cohort, listCohorts } from '../cohorts/cohorts.ts'
import { type CostBasis, createCostBasis } from '../cohorts/cost-basis.ts'
import { readDailyCoins } from '../cohorts/daily-coins.ts'
import { findHourPrices, type HourlyCloses } from '../cohorts/hour-prices.ts'
import { type HourValues, readBlockHours, valueByHours } from '../cohorts/hour-values.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import { createKnownDay } from '../publish/chain-tables.ts'
import { limbMacros } from '../scan/limbs.ts'
import { binMacros } from '../scan/log-histogram.ts'
import { Scan } from '../scan/scan.ts'
import { writeSegmentTable } from '../scan/segment-columns.ts'
import { partFile, type SegmentTable } from '../scan/segment-parts.ts'
import type { OpenBlockChain } from './open-blocks.ts'

export interface OpenChain extends OpenBlockChain {
  /** By unix day; on the open day, the last price. */
  readonly closes: ReadonlyMap<number, number>
  /** Hours after the last published day. */
  readonly hours: HourlyCloses
}

export interface OpenDay {
  readonly cohorts: readonly Cohort[]
  /** Base measures of each cohort, by `measure cohort`. */
  readonly measures: ReadonlyMap<string, number>
  /** The day's row of the table `days`. */
  readonly sums: ReadonlyMap<string, number>
}

/**
 * Computes the newest day as a publication would if the chain ended here. `folder` is for temporary
 * files.
 */
export async function computeOpenDay(
  connection: DuckDBConnection,
  folder: string,
  network: Network,
  chain: OpenChain,
): Promise<OpenDay> {
  // One folder per tip, because DuckDB may cache the content of a file by its name.
  const tipFolder = path.join(folder, chain.hashes.at(-1)!)
  mkdirSync(tipFolder, { recursive: true })
  try {
    return await computeInFolder(connection, tipFolder, network, chain)
  } finally {
    rmSync(tipFolder, { recursive: true })
  }
}

async function computeInFolder(
  connection: DuckDBConnection,
  folder: string,
  network: Network,
  chain: OpenChain,
): Promise<OpenDay> {
  const { base, days } = chain
  const openDay = days.at(-1)!
  await connection.run(limbMacros)
  await connection.run(binMacros)
  const scanned = scanOpenBlocks(folder, network, chain)
  const values = { last_day: new DuckDBDateValue(openDay), after_day: new DuckDBDateValue(base.lastDay) }
  // The open day has blocks, so it does not need the last difficulty.
  const knownDay = await createKnownDay(connection, {
    block_height: base.tip.height,
    difficulty: null,
    supply_sats: base.supplySats,
    utxo_count: base.utxoCount,
  })
  const blocks = await openBlockRows(connection, chain, scanned.blocks, knownDay)
  // Coinbases are not overwritten any more (BIP 30, BIP 34).
  const overwritten = await sessionRelation(connection, 'overwritten', tables.overwritten.columns, [])
  const youngSpends = await queryRelation(connection, 'young_spends', readStatement('young-spends'), {
    from: [scanned.young_spends],
    values,
  })

  const dayCount = openDay - base.firstDay + 1
  const coins = await withInputs(connection, { from: [blocks, youngSpends, overwritten], values }, () =>
    readDailyCoins(connection, base.firstDay, dayCount),
  )
  const cohorts = listCohorts({ days }, network.halvingInterval, openDay)
  const byDay = createCostBasis(
    toSeries(chain.closes, openDay),
    base.firstDay,
    dayCount,
    network.name === 'mainnet' ? firstMarket.day : undefined,
  )
  const hourly = await withInputs(connection, { from: [blocks, scanned.young_spends], values }, () =>
    computeHourValues(connection, chain, byDay),
  )
  const basis = hourly ? { ...byDay, cost: hourly.cost } : byDay
  const pass = new CohortPass(base.firstDay, cohorts, basis, coins, hourly, () => {})
  pass.startAfter(base.lastDay - base.firstDay, base.unspentSats, base.unspentOutputs)
  const { afterCut: parts } = await mergeFlows(
    connection,
    scanned.flows.from,
    base.lastDay + 1,
    openDay,
    undefined,
    path.join(folder, 'flows.part'),
    (rows, columns) => pass.addFlows(rows, columns),
  )
  pass.finish()

  const flows = filesRelation('flows', parts)
  // The interval before the first open block begins with the last published one.
  const lastKnown = `SELECT ${base.tip.height} AS height, DATE '${isoDate(base.lastDay)}' AS date, make_timestamp(${1e6 * base.tipTime}) AS time`
  const since = { name: blocks.name, from: `(FROM ${blocks.from} UNION ALL BY NAME ${lastKnown})` }
  const from = [since, overwritten, youngSpends, flows, scanned.histograms, knownDay]
  const daily = await queryRelation(connection, 'days', readStatement('days'), { from, values })
  const sums = await readLastRow(connection, daily)
  return { cohorts, sums, measures: measuresOn(openDay - base.firstDay, pass.columns) }
}

/** Kinds are not published for open days. */
type OpenTable = Exclude<SegmentTable, 'kind_flows' | 'created_kinds' | 'coinbases' | 'address_events'>

function scanOpenBlocks(
  folder: string,
  network: Network,
  { base, blocks, times, days }: OpenChain,
): { readonly [Table in OpenTable]: Relation<`segment_${Table}`> } {
  const scan = new Scan(network, { times, days })
  for (const [i, block] of blocks.entries()) scan.addBlock(base.tip.height + 1 + i, block)
  const scanned = scan.finish()
  const relation = <const Table extends OpenTable>(table: Table): Relation<`segment_${Table}`> => {
    const file = partFile(folder, table)
    writeSegmentTable(file, table, scanned[table])
    return filesRelation(`segment_${table}`, [file])
  }
  return {
    blocks: relation('blocks'),
    flows: relation('flows'),
    young_spends: relation('young_spends'),
    histograms: relation('histograms'),
  }
}

async function openBlockRows(
  connection: DuckDBConnection,
  { base, hashes, days }: OpenChain,
  scanned: Relation<'segment_blocks'>,
  knownDay: Relation<'known_day'>,
): Promise<Relation<'blocks'>> {
  const { height } = base.tip
  const chain = await sessionRelation(
    connection,
    'chain',
    { height: 'INTEGER', date: 'DATE', hash: 'VARCHAR' },
    hashes.map((hash, i) => ({ height: height + 1 + i, date: isoDate(days[height + 1 + i]!), hash })),
  )
  return queryRelation(connection, 'blocks', readStatement('blocks'), {
    from: [scanned, chain, knownDay, ...(await withoutRows(connection))],
    values: { after_height: height },
  })
}

/** Pools are not published for open days, and coinbases are not overwritten any more. */
const withoutRows = async (connection: DuckDBConnection): Promise<Relation[]> => [
  await sessionRelation(connection, 'block_pools', { height: 'INTEGER', pool: 'VARCHAR' }, []),
  await sessionRelation(connection, 'lost_coinbases', { hash: 'VARCHAR', lost_sats: 'BIGINT' }, []),
]

async function computeHourValues(
  connection: DuckDBConnection,
  { base, times, hours }: OpenChain,
  basis: CostBasis,
): Promise<HourValues | undefined> {
  if (!base.hourly) return undefined
  const published = base.hourly.closes
  const closes = { get: (hour: number) => hours.get(hour) ?? published.get(hour) }
  const prices = findHourPrices(closes, basis, times, base.firstDay)
  if (!prices) return undefined
  const days = basis.price.length
  const blocks = await readBlockHours(connection, times, base.firstDay, days, base.lastDay + 1, base.hourly.blocks)
  return valueByHours(connection, prices, basis, blocks, base.firstDay, base.lastDay + 1 - base.firstDay)
}

/** Closes from the first known one to the open day, NaN on days without. */
function toSeries(closes: ReadonlyMap<number, number>, openDay: number) {
  const firstDay = Math.min(...closes.keys())
  if (closes.size === 0) return undefined
  const close = Float64Array.from({ length: openDay - firstDay + 1 }, (_, i) => closes.get(firstDay + i) ?? Number.NaN)
  return { firstDay, close }
}

async function readLastRow(connection: DuckDBConnection, daily: Relation<'days'>): Promise<Map<string, number>> {
  const columns = Object.keys(tables.days.columns).filter((name) => name !== 'date')
  const row = await readColumns(
    connection,
    `SELECT ${columns.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')} FROM ${daily.from} ORDER BY date DESC LIMIT 1`,
  )
  return new Map(columns.map((name) => [name, row[name]![0]!]))
}

const measuresOn = (day: number, columns: CohortColumns): Map<string, number> =>
  new Map(
    [...columns].flatMap(([cohort, measures]) =>
      Object.entries(measures).map(([measure, values]) => [`${measure} ${cohort}`, values[day]!] as const),
    ),
  )
