import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { tables } from '#contract/tables/tables.ts'
import { internalHash } from '#ingest/chain/bytes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { readColumns } from '#sql/columns.ts'
import { filesRelation, queryRelation, type Relation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import { listCohortColumns } from '../cohorts/cohort-pass.ts'
import { type Cohort, listCohorts } from '../cohorts/cohorts.ts'
import { findHourPrices, type HourlyCloses } from '../cohorts/hour-prices.ts'
import { blockInputs, dayInputs, knownRelation, type ScanRows } from '../publish/chain-tables.ts'
import { ClosedDays, dayValues } from '../publish/closed-days.ts'
import { passByAge, valueDays } from '../publish/flow-pass.ts'
import { limbMacros } from '../scan/limbs.ts'
import { Scan } from '../scan/scan.ts'
import { writeSegmentTable } from '../scan/segment-columns.ts'
import { partFile } from '../scan/segment-parts.ts'
import type { OpenBlockChain } from './open-blocks.ts'
import { createDailyBasis } from './published-base.ts'

interface OpenChain extends OpenBlockChain {
  /** By unix day; for the open day, the last price. */
  readonly closes: ReadonlyMap<number, number>
  /** Hours after the last published day. */
  readonly hours: HourlyCloses
}

export interface OpenDay {
  readonly cohorts: readonly Cohort[]
  /** By `measure cohort`. */
  readonly measures: ReadonlyMap<string, number>
  /** The day's row of table `days`. */
  readonly sums: ReadonlyMap<string, number>
}

/** Computes the newest day as if the chain ended here. `folder` is for temporary files. */
export async function computeOpenDay(
  connection: DuckDBConnection,
  folder: string,
  network: Network,
  chain: OpenChain,
): Promise<OpenDay> {
  // One folder per tip: DuckDB may cache files by name.
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
  const { base, times } = chain
  const closed = new ClosedDays(chain, true)
  const days = { closed, savedRows: new Map(), after: base.lastDay, cut: undefined }
  await connection.run(limbMacros)
  const scan = scanOpenBlocks(folder, network, chain)
  const known = {
    block_height: base.tip.height,
    // The open day has blocks, so the last difficulty is not needed.
    difficulty: null,
    supply_sats: base.supplySats,
    utxo_count: base.utxoCount,
  }
  // Pools are not published for open days.
  const hashes = Buffer.concat(chain.hashes.map(internalHash))
  const { from, values } = await blockInputs(connection, folder, days, { scan, hashes, network, pools: [] })
  const blocks = await queryRelation(connection, 'blocks', readStatement('blocks'), {
    from: [...from, knownRelation(known)],
    values,
  })
  // Coinbases are no longer overwritten (BIP 30, BIP 34).
  const overwritten = rowsRelation('overwritten', tables.overwritten.columns, [])
  const youngSpends = await queryRelation(connection, 'young_spends', readStatement('young-spends'), {
    from: [scan('young_spends')],
    values: dayValues(days),
  })
  const cohorts = listCohorts(closed, network.halvingInterval, closed.last)
  const basis = createDailyBasis(network, chain.closes, closed.first, closed.last)
  const closes = { get: (hour: number) => chain.hours.get(hour) ?? base.hourly?.closes.get(hour) }
  const hours = base.hourly && findHourPrices(closes, basis, times, closed.first)
  const knownCost = base.hourly?.cost
  const chainTables = { blocks, youngSpends, overwritten }
  const valued = await valueDays(connection, { ...chainTables, scan, days, times, basis, hours, knownCost })
  const unspent = [base.unspent.sats, base.unspent.outputs] as const
  const { columns, files } = await passByAge(connection, folder, { scan, days }, valued, cohorts, unspent)
  const flows = filesRelation('flows', files.afterCut)
  // The interval before the first open block begins with the last published block.
  const lastKnown = `SELECT ${base.tip.height} AS height, DATE '${isoDate(base.lastDay)}' AS date, make_timestamp(${1e6 * base.tipTime}) AS time`
  const since = { name: blocks.name, from: `(FROM ${blocks.from} UNION ALL BY NAME ${lastKnown})` }
  const sums = await queryRelation(
    connection,
    'days',
    readStatement('days'),
    await dayInputs(connection, folder, days, { ...chainTables, blocks: since, flows }, scan, known),
  )
  return {
    cohorts,
    sums: await readLastRow(connection, sums),
    measures: new Map(listCohortColumns(columns).map(([name, values]) => [name, values[closed.count - 1]!])),
  }
}

/** Kinds and addresses are not published for open days. */
const openTables = ['blocks', 'flows', 'young_spends', 'histograms', 'coinbases'] as const

function scanOpenBlocks(folder: string, network: Network, { base, blocks, times, days }: OpenChain): ScanRows {
  const scan = new Scan(network, { times, days })
  for (const [i, block] of blocks.entries()) scan.addBlock(base.tip.height + 1 + i, block)
  const scanned = scan.finish()
  for (const table of openTables) writeSegmentTable(partFile(folder, table), table, scanned[table])
  return (table) => filesRelation(`segment_${table}`, [partFile(folder, table)])
}

async function readLastRow(connection: DuckDBConnection, daily: Relation<'days'>): Promise<Map<string, number>> {
  const columns = Object.keys(tables.days.columns).filter((name) => name !== 'date')
  const row = await readColumns(
    connection,
    `SELECT ${columns.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')} FROM ${daily.from} ORDER BY date DESC LIMIT 1`,
  )
  return new Map(columns.map((name) => [name, row[name]![0]!]))
}
