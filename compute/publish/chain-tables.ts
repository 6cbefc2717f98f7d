import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBDateValue } from '@duckdb/node-api'
import { tables } from '#contract/tables/tables.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { isoDate } from '#root/days.ts'
import { CoinstrataError } from '#root/errors.ts'
import { readColumns } from '#sql/columns.ts'
import { filesRelation, type Relation, withInputs } from '#sql/relation.ts'
import { statement } from '#sql/statement.ts'
import { createOverwritten } from '../audit/overwritten.ts'
import { limbMacros } from '../scan/limbs.ts'
import { binMacros } from '../scan/log-histogram.ts'
import { chainFile, type ScannedChain } from '../scan/scanned-chain.ts'
import { type SegmentTable, segmentRows } from '../scan/segment-parts.ts'
import type { Draft } from './draft.ts'

/** What the scan left, as relations: its tables over all segments, and the hash of each height. */
export interface ScanRelations {
  readonly chain: Relation<'chain'>
  readonly blocks: Relation<'segment_blocks'>
  readonly flows: Relation<'segment_flows'>
  readonly youngSpends: Relation<'segment_young_spends'>
  readonly histograms: Relation<'segment_histograms'>
}

/** Days of a chain that are complete: a later block's monotone time has passed their midnight. */
export interface ClosedDays {
  /** Unix days. */
  readonly first: number
  readonly last: number
  /** Day of each block by height. */
  readonly days: Int32Array
  readonly tipTime: string
}

/** Also gives the session the macros by which queries read limbs and bins. */
export async function openScan(
  connection: DuckDBConnection,
  dataDir: string,
  scanned: ScannedChain,
): Promise<ScanRelations> {
  await connection.run(limbMacros)
  await connection.run(binMacros)
  const rows = <const Table extends SegmentTable>(table: Table): Relation<`segment_${Table}`> => ({
    name: `segment_${table}`,
    from: segmentRows(dataDir, scanned.segments, table),
  })
  return {
    chain: filesRelation('chain', [chainFile(dataDir, scanned)]),
    blocks: rows('blocks'),
    flows: rows('flows'),
    youngSpends: rows('young_spends'),
    histograms: rows('histograms'),
  }
}

export const writeBlocks = (draft: Draft, { blocks, chain }: ScanRelations): Promise<Relation<'blocks'>> =>
  draft.write(tables.blocks, statement('blocks'), { from: [blocks, chain] })

/** Throws `data_not_ready` where no day is complete. */
export async function closedDaysOf(connection: DuckDBConnection, blocks: Relation<'blocks'>): Promise<ClosedDays> {
  const { date } = await readColumns(connection, `SELECT date FROM ${blocks.from} ORDER BY height`)
  const result = await connection.runAndReadAll(
    `SELECT strftime(max_by(time, height), '%Y-%m-%dT%H:%M:%SZ') FROM ${blocks.from}`,
  )
  if (!(date instanceof Int32Array)) throw new Error('blocks.date is not a date')
  const first = date[0]!
  const last = date.at(-1)! - 1
  if (last < first) {
    throw new CoinstrataError('data_not_ready', `all blocks are of ${isoDate(first)}: no day is complete yet`, {
      cure: 'run again after the first block of the next day',
    })
  }
  return { first, last, days: date, tipTime: String(result.getRows()[0]![0]) }
}

/** What the queries of daily tables know of the closed days. */
export const dayValues = ({ last }: ClosedDays) => ({ last_day: new DuckDBDateValue(last) })

export async function writeOverwritten(
  draft: Draft,
  network: Network,
  blocks: Relation<'blocks'>,
): Promise<Relation<'overwritten'>> {
  const { connection } = draft
  await withInputs(connection, { from: [blocks] }, () => createOverwritten(connection, network))
  const written = await draft.write(tables.overwritten, 'SELECT * FROM overwritten ORDER BY date')
  await connection.run('DROP TABLE overwritten')
  return written
}

export const writeYoungSpends = (
  draft: Draft,
  { youngSpends }: ScanRelations,
  closed: ClosedDays,
): Promise<Relation<'young_spends'>> =>
  draft.write(tables.young_spends, statement('young-spends'), { from: [youngSpends], values: dayValues(closed) })

/** The published tables that follow from the chain alone. */
export interface ChainTables {
  readonly blocks: Relation<'blocks'>
  readonly overwritten: Relation<'overwritten'>
  readonly youngSpends: Relation<'young_spends'>
  readonly flows: Relation<'flows'>
}

export const writeDays = (
  draft: Draft,
  { blocks, overwritten, youngSpends, flows }: ChainTables,
  { histograms }: ScanRelations,
  closed: ClosedDays,
): Promise<Relation<'days'>> =>
  draft.write(tables.days, statement('days'), {
    from: [blocks, overwritten, youngSpends, flows, histograms],
    values: dayValues(closed),
  })
