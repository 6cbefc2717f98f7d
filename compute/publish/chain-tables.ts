import { rmSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import type { Table } from '#contract/tables/table.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import type { MiningPool } from '#ingest/market/mining-pools.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { bindInputs, filesRelation, type QueryInputs, queryRelation, type Relation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { findOverwritten } from '../audit/overwritten.ts'
import { readValue } from '../read-value.ts'
import { limbMacros } from '../scan/limbs.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import { chooseParts, requireIntact, type SegmentTable, segmentRows, segmentStore } from '../scan/segment-parts.ts'
import { createBlockPools } from './block-pools.ts'
import { dayValues, type NewDays } from './closed-days.ts'
import { quantilesFile, writeQuantiles } from './day-quantiles.ts'
import type { Draft } from './draft.ts'

/** Returns the rows of a table of the scanned segments. */
export type ScanRows = <const Table extends SegmentTable>(table: Table) => Relation<`segment_${Table}`>

/**
 * Opens and verifies the segments with blocks of new days, and creates the macros for limbs. Throws
 * `data_not_ready` for damaged segments.
 * @param verified folders of segments not to be verified again; grows
 */
export async function openScan(
  connection: DuckDBConnection,
  dataDir: string,
  { segments, lastHeights }: ScannedChain,
  { closed, after }: Pick<NewDays, 'closed' | 'after'>,
  verified: Set<string>,
): Promise<ScanRows> {
  const lastKnown = closed.lastHeightOn(after)
  const read = segments.filter((_, i) => lastHeights[i]! > lastKnown)
  const store = segmentStore(dataDir)
  const parts = chooseParts(store, read).parts.filter(({ folder }) => !verified.has(folder))
  requireIntact(store, parts)
  for (const { folder } of parts) verified.add(folder)
  await connection.run(limbMacros)
  return (table) => ({ name: `segment_${table}`, from: segmentRows(store, read, table) })
}

/** Few enough to sort their blocks in memory. */
const daysPerStep = 1000

interface BlockInputs {
  readonly scan: ScanRows
  /** Hashes of new blocks, 32 bytes each, internal byte order. */
  readonly hashes: Uint8Array
  readonly network: Network
  readonly pools: readonly MiningPool[]
  /** State before the new days. */
  readonly known: KnownDay | undefined
}

/**
 * Inputs of the statement `blocks`, besides the state before them. Those in `folder` are for the
 * caller to remove.
 */
export async function blockInputs(
  connection: DuckDBConnection,
  folder: string,
  days: NewDays,
  { scan, hashes, network, pools }: Omit<BlockInputs, 'known'>,
) {
  const values = dayValues(days)
  const from = [
    scan('blocks'),
    writeChain(folder, days, hashes),
    await createBlockPools(connection, pools, scan('coinbases'), values),
    lostCoinbases(network),
  ]
  return { from, values }
}

/** Writes `blocks`, `pools` and `pool_days`. */
export async function writeBlocks(
  draft: Draft,
  days: NewDays,
  inputs: BlockInputs,
): Promise<{ blocks: Relation<'blocks'>; poolDays: Relation<'pool_days'> }> {
  const { connection, folder } = draft
  const { closed } = days
  const { from, values } = await blockInputs(connection, folder, days, inputs)
  let known = inputs.known
  const tipDay = closed.days.at(-1)!
  const blocks = await draft.growInSteps(tables.blocks, days, daysPerStep, tipDay, async (part, day, last) => {
    const after_height = closed.lastHeightOn(day)
    const step = { ...values, after_height, last_day: new DuckDBDateValue(last) }
    const query = bindInputs(readStatement('blocks'), { from: [...from, knownRelation(known)], values: step })
    await writeParquet(connection, part, query, tables.blocks)
    if (last === tipDay) return
    const select = `SELECT arg_max(supply_sats, height)::DOUBLE FROM ${parquetFiles([part])}`
    const supply = await readValue(connection, select)
    if (typeof supply === 'number') known = { ...nothingKnown, supply_sats: supply }
  })
  draft.writeRows(
    tables.pools,
    inputs.pools.map(({ id: pool, name, link }) => ({ pool, name, link })),
  )
  const poolDays = await draft.grow(tables.pool_days, days, readStatement('pool-days'), { from: [blocks], values })
  rmSync(chainFile(draft.folder))
  return { blocks, poolDays }
}

/** Value that left the supply with each overwriting coinbase. */
const lostCoinbases = ({ overwrittenCoinbases }: Network): Relation<'lost_coinbases'> =>
  rowsRelation(
    'lost_coinbases',
    { hash: 'VARCHAR', lost_sats: 'BIGINT' },
    overwrittenCoinbases.map(({ overwrittenByHash: hash, sats: lost_sats }) => ({ hash, lost_sats })),
  )

const chainFile = (folder: string): string => path.join(folder, 'chain.part')

function writeChain(folder: string, { closed, after }: NewDays, hashes: Uint8Array): Relation<'chain'> {
  const first = closed.lastHeightOn(after) + 1
  const days = closed.days.slice(first)
  const file = chainFile(folder)
  writeColumns(file, [
    { name: 'height', type: 'INTEGER', values: Int32Array.from(days, (_, row) => first + row) },
    { name: 'date', type: 'DATE', values: days },
    {
      name: 'hash',
      type: 'VARCHAR',
      values: Array.from(days, (_, row) => displayHash(hashes.subarray(32 * row, 32 * (row + 1)))),
    },
  ])
  return filesRelation('chain', [file])
}

export const writeOverwritten = (
  draft: Draft,
  network: Network,
  blocks: Relation<'blocks'>,
): Promise<Relation<'overwritten'>> =>
  draft.write(tables.overwritten, `SELECT * FROM ${findOverwritten(network, blocks).from} ORDER BY date`)

export const writeYoungSpends = (draft: Draft, days: NewDays, scan: ScanRows): Promise<Relation<'young_spends'>> =>
  growMaterialized(draft, tables.young_spends, days, readStatement('young-spends'), {
    from: [scan('young_spends')],
    values: dayValues(days),
  })

/** Grows a table with far fewer rows than its inputs: runs the query once, not per part. */
async function growMaterialized<Name extends TableName>(
  draft: Draft,
  table: Table<Name>,
  days: NewDays,
  query: string,
  inputs: QueryInputs,
): Promise<Relation<Name>> {
  draft.part(table.name)
  const { from } = await queryRelation(draft.connection, table.name, query, inputs)
  return draft.grow(table, days, `FROM ${from}`)
}

export interface ChainTables {
  readonly blocks: Relation<'blocks'>
  readonly overwritten: Relation<'overwritten'>
  readonly youngSpends: Relation<'young_spends'>
  readonly flows: Relation<'flows'>
}

/**
 * Inputs of the statement `days`. `known` is the state before the new days. Those in `folder` are
 * for the caller to remove.
 */
export const dayInputs = async (
  connection: DuckDBConnection,
  folder: string,
  days: NewDays,
  { blocks, overwritten, youngSpends, flows }: ChainTables,
  scan: ScanRows,
  known: KnownDay | undefined,
): Promise<QueryInputs> => ({
  from: [
    blocks,
    overwritten,
    youngSpends,
    flows,
    await writeQuantiles(connection, folder, days, scan('histograms')),
    knownRelation(known),
  ],
  values: dayValues(days),
})

export async function writeDays(
  draft: Draft,
  days: NewDays,
  chain: ChainTables,
  scan: ScanRows,
  known: KnownDay | undefined,
): Promise<Relation<'days'>> {
  draft.part(tables.days.name)
  const inputs = await dayInputs(draft.connection, draft.folder, days, chain, scan, known)
  const written = await growMaterialized(draft, tables.days, days, readStatement('days'), inputs)
  rmSync(quantilesFile(draft.folder))
  return written
}

interface KnownDay {
  readonly block_height: number | null
  readonly difficulty: number | null
  readonly supply_sats: number
  readonly utxo_count: number
}

const nothingKnown: KnownDay = { block_height: null, difficulty: null, supply_sats: 0, utxo_count: 0 }

export const knownRelation = (known: KnownDay = nothingKnown): Relation<'known_day'> =>
  rowsRelation(
    'known_day',
    { block_height: 'INTEGER', difficulty: 'DOUBLE', supply_sats: 'BIGINT', utxo_count: 'BIGINT' },
    [known],
  )
