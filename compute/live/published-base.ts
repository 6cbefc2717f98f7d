import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { isoDate, parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { type ChainTip, readHeaders } from '#ingest/chain/node.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { readColumns } from '#sql/columns.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withInputs } from '#sql/relation.ts'
import { type HourlyCloses, readHourlyCloses } from '../cohorts/hour-prices.ts'
import { type BlockHours, readBlockHours } from '../cohorts/hour-values.ts'
import { limbMacros } from '../scan/limbs.ts'

/**
 * Two weeks of blocks. If the node is further ahead of the published days, an update must read the
 * blocks.
 */
export const maxOpenBlocks = 2_016

const baseTables = ['blocks', 'days', 'flows', 'overwritten', 'prices', 'prices_hourly'] as const

/**
 * The published state from which the open days continue: that after the newest published day on the
 * node's chain.
 */
export interface PublishedBase {
  readonly generation: string
  /** Unix days. */
  readonly firstDay: number
  readonly lastDay: number
  /** The last block of `lastDay`. */
  readonly tip: ChainTip
  /** Time in the header of `tip`, unix seconds. */
  readonly tipTime: number
  readonly supplySats: number
  readonly utxoCount: number
  /** Monotone time of each block up to `tip`, unix seconds. */
  readonly times: Uint32Array
  /** Unspent amounts after `lastDay`, by creation day counted from the first. */
  readonly unspentSats: Float64Array
  readonly unspentOutputs: Float64Array
  /** Closes by unix day. */
  readonly closes: ReadonlyMap<number, number>
  /** Set if coins and spends are valued by the hour. */
  readonly hourly: PublishedHours | undefined
}

export interface PublishedHours {
  readonly closes: HourlyCloses
  readonly blocks: BlockHours
}

/**
 * Reads the published state after the newest day that is on the chain up to `tip`, including the
 * block that closed the day. Throws `data_not_ready` if the generation is too far behind, on
 * another chain, or damaged.
 */
export async function openBase(
  connection: DuckDBConnection,
  { generation, folder }: OpenGeneration,
  client: RpcClient,
  tip: ChainTip,
): Promise<PublishedBase> {
  for (const name of baseTables) {
    const table = generation.tables[name]
    const change = table && (await describeFileChange(path.join(folder, `${name}.parquet`), table))
    if (change !== undefined) throw behind(change)
  }
  const from = (table: TableName): string => parquetFiles([path.join(folder, `${table}.parquet`)])
  if (tip.height - generation.tip.height > maxOpenBlocks) {
    throw behind(`the node is ${tip.height - generation.tip.height} blocks ahead of what is published`)
  }
  const fork = await forkHeight(connection, from('blocks'), generation.tip.height, client, tip)
  const last = await readColumns(
    connection,
    `SELECT date, block_height, supply_sats::DOUBLE AS supply, utxo_count::DOUBLE AS outputs FROM ${from('days')}
     WHERE block_height < ${fork} ORDER BY date DESC LIMIT 1`,
  )
  const [lastDay, height] = [last.date![0], last.block_height![0]]
  if (lastDay === undefined || height === undefined) throw behind('no published day is on the chain of the node')
  if (tip.height - height > maxOpenBlocks) {
    throw behind(`${tip.height - height} blocks came after ${isoDate(lastDay)}, the last published day`)
  }
  const firstDay = parseDay(generation.first_date)
  const { hash, tipTime } = await blockAt(connection, from('blocks'), height)
  const times = await monotoneTimes(connection, from('blocks'), height)
  const byHour = generation.prices?.pricing.setting === 'hourly'
  return {
    generation: generation.id,
    firstDay,
    lastDay,
    tip: { height, hash },
    tipTime,
    supplySats: last.supply![0]!,
    utxoCount: last.outputs![0]!,
    times,
    ...(await unspentAfter(connection, from, firstDay, lastDay)),
    closes: await closesUpTo(connection, from('prices'), lastDay),
    hourly: byHour ? await hoursUpTo(connection, from, times, firstDay, lastDay) : undefined,
  }
}

async function hoursUpTo(
  connection: DuckDBConnection,
  from: (table: TableName) => string,
  times: Uint32Array,
  firstDay: number,
  lastDay: number,
): Promise<PublishedHours> {
  const inputs = {
    from: [{ name: 'blocks', from: from('blocks') }],
    values: { last_day: new DuckDBDateValue(lastDay) },
  }
  await connection.run(limbMacros)
  const blocks = await withInputs(connection, inputs, () =>
    readBlockHours(connection, times, firstDay, lastDay - firstDay + 1, firstDay),
  )
  const hours = `(FROM ${from('prices_hourly')} WHERE time < DATE '${isoDate(lastDay + 1)}')`
  return { blocks, closes: await readHourlyCloses(connection, hours) }
}

/** Height of the newest published block that is on the chain up to `tip`. */
async function forkHeight(
  connection: DuckDBConnection,
  blocks: string,
  publishedHeight: number,
  client: RpcClient,
  tip: ChainTip,
): Promise<number> {
  const newest = Math.min(publishedHeight, tip.height)
  const first = Math.max(0, newest - maxOpenBlocks)
  const result = await connection.runAndReadAll(
    `SELECT hash FROM ${blocks} WHERE height BETWEEN ${first} AND ${newest} ORDER BY height`,
  )
  const { hashes } = await readHeaders(client, tip, first)
  const common = result.getRows().findLastIndex(([hash], i) => hash === displayHash(hashes[i]!))
  if (common < 0) throw behind(`the last ${maxOpenBlocks} published blocks are not on the chain of the node`)
  return first + common
}

async function blockAt(
  connection: DuckDBConnection,
  blocks: string,
  height: number,
): Promise<{ hash: string; tipTime: number }> {
  const result = await connection.runAndReadAll(
    `SELECT hash, epoch(time)::DOUBLE FROM ${blocks} WHERE height = ${height}`,
  )
  const [hash, tipTime] = result.getRows()[0]!
  return { hash: String(hash), tipTime: Number(tipTime) }
}

async function monotoneTimes(connection: DuckDBConnection, blocks: string, height: number): Promise<Uint32Array> {
  const { time } = await readColumns(
    connection,
    `SELECT epoch(time)::DOUBLE AS time FROM ${blocks} WHERE height <= ${height} ORDER BY height`,
  )
  let latest = 0
  return Uint32Array.from(time!, (at) => {
    latest = Math.max(latest, at)
    return latest
  })
}

async function unspentAfter(
  connection: DuckDBConnection,
  from: (table: TableName) => string,
  firstDay: number,
  lastDay: number,
): Promise<Pick<PublishedBase, 'unspentSats' | 'unspentOutputs'>> {
  const unspentSats = new Float64Array(lastDay - firstDay + 1)
  const unspentOutputs = new Float64Array(lastDay - firstDay + 1)
  const { date, sats, outputs } = await readColumns(
    connection,
    `SELECT date, sum(sats)::DOUBLE AS sats, sum(outputs)::DOUBLE AS outputs FROM (
       SELECT date, created_sats AS sats, created_outputs AS outputs FROM ${from('days')} WHERE date <= $last
       UNION ALL
       SELECT created_date, -sum(spent_sats), -sum(spent_outputs) FROM ${from('flows')} WHERE date <= $last GROUP BY ALL
       UNION ALL
       SELECT created_date, -sats, -outputs FROM ${from('overwritten')} WHERE date <= $last
     ) GROUP BY date`,
    { last: new DuckDBDateValue(lastDay) },
  )
  for (const [row, day] of date!.entries()) {
    unspentSats[day - firstDay] = sats![row]!
    unspentOutputs[day - firstDay] = outputs![row]!
  }
  return { unspentSats, unspentOutputs }
}

async function closesUpTo(connection: DuckDBConnection, prices: string, lastDay: number): Promise<Map<number, number>> {
  const { date, close } = await readColumns(
    connection,
    `SELECT date, close FROM ${prices} WHERE date <= $last ORDER BY date`,
    { last: new DuckDBDateValue(lastDay) },
  )
  return new Map(Array.from(date!, (day, row) => [day, close![row]!]))
}

const behind = (what: string): CoinstrataError =>
  new CoinstrataError('data_not_ready', `the open day cannot be computed: ${what}`, {
    cure: 'run "coinstrata update"; following then continues by itself',
  })
