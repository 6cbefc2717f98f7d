import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { type ChainTip, readHeaders } from '#ingest/chain/node.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { firstMarket } from '#ingest/market/price-sources.ts'
import { readColumns } from '#sql/columns.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { type CostBasis, createCostBasis } from '../cohorts/cost-basis.ts'
import { findHourPrices, type HourlyCloses, readHourlyCloses } from '../cohorts/hour-prices.ts'
import { valueByHours } from '../cohorts/hour-values.ts'
import { limbMacros } from '../scan/limbs.ts'
import { notReady, openTables, type PublishedFrom, readUnspent, type UnspentSums } from './published-tables.ts'

/** Two weeks of blocks. Beyond that, an update must read the blocks. */
export const maxOpenBlocks = 2_016

/**
 * Published state from which open days continue, after the newest published day on the node's
 * chain.
 */
export interface PublishedBase {
  readonly generation: string
  /** Unix days. */
  readonly firstDay: number
  readonly lastDay: number
  /** Last block of `lastDay`. */
  readonly tip: ChainTip
  /** Header time of `tip`, unix seconds. */
  readonly tipTime: number
  readonly supplySats: number
  readonly utxoCount: number
  /** Monotone time of each block up to `tip`, unix seconds. */
  readonly times: Uint32Array
  /** After `lastDay`, by creation day from the first. */
  readonly unspent: UnspentSums
  /** Closes by unix day. */
  readonly closes: ReadonlyMap<number, number>
  /** Set if coins and spends are valued by the hour. */
  readonly hourly: PublishedHours | undefined
}

interface PublishedHours {
  readonly closes: HourlyCloses
  /** Cost of each day's coins; `undefined` if none is valued by the hour. */
  readonly cost: Float64Array | undefined
}

/**
 * Reads the published state after the newest day on the chain up to `tip`, including the block that
 * closed the day. Throws `data_not_ready` if the generation is too far behind, on another chain, or
 * damaged.
 */
export async function openBase(
  connection: DuckDBConnection,
  opened: OpenGeneration,
  network: Network,
  client: RpcClient,
  tip: ChainTip,
): Promise<PublishedBase> {
  const { generation } = opened
  const from = await openTables(opened, ['blocks', 'days', 'flows', 'overwritten', 'prices', 'prices_hourly'])
  if (tip.height - generation.tip.height > maxOpenBlocks) {
    throw notReady(`the node is ${tip.height - generation.tip.height} blocks ahead of what is published`)
  }
  const fork = await forkHeight(connection, from('blocks'), generation.tip.height, client, tip)
  const result = await connection.runAndReadAll(
    `SELECT (date - DATE '1970-01-01')::INTEGER AS day, height, hash, epoch(time)::DOUBLE AS time,
       supply_sats::DOUBLE AS supply, utxo_count::DOUBLE AS outputs
     FROM (FROM ${from('days')} WHERE block_height < ${fork} ORDER BY date DESC LIMIT 1)
     JOIN (SELECT height, hash, time FROM ${from('blocks')}) ON height = block_height`,
  )
  const [last] = z.array(lastDaySchema).parse(result.getRowObjectsJS())
  if (!last) throw notReady('no published day is on the chain of the node')
  const { day: lastDay, height } = last
  if (tip.height - height > maxOpenBlocks) {
    throw notReady(`${tip.height - height} blocks came after ${isoDate(lastDay)}, the last published day`)
  }
  const days = { firstDay: parseDay(generation.first_date), lastDay }
  const times = await monotoneTimes(connection, from('blocks'), height)
  const closes = await closesUpTo(connection, from('prices'), lastDay)
  const isByHour = generation.prices?.pricing.setting === 'hourly'
  return {
    ...days,
    generation: generation.id,
    tip: { height, hash: last.hash },
    tipTime: last.time,
    supplySats: last.supply,
    utxoCount: last.outputs,
    times,
    unspent: await readUnspent(connection, from, days, lastDay - days.firstDay + 1, false),
    closes,
    hourly: isByHour ? await readPublishedHours(connection, from, network, days, times, closes) : undefined,
  }
}

const lastDaySchema = z.object({
  day: z.int(),
  height: z.int(),
  hash: z.string(),
  time: z.int(),
  supply: z.int(),
  outputs: z.int(),
})

async function readPublishedHours(
  connection: DuckDBConnection,
  from: PublishedFrom,
  network: Network,
  { firstDay, lastDay }: Pick<PublishedBase, 'firstDay' | 'lastDay'>,
  times: Uint32Array,
  dailyCloses: ReadonlyMap<number, number>,
): Promise<PublishedHours> {
  const hours = `(FROM ${from('prices_hourly')} WHERE time < DATE '${isoDate(lastDay + 1)}')`
  const closes = await readHourlyCloses(connection, hours)
  const basis = createDailyBasis(network, dailyCloses, firstDay, lastDay)
  const prices = findHourPrices(closes, basis, times, firstDay)
  if (!prices) return { closes, cost: undefined }
  await connection.run(limbMacros)
  const hourInputs = { prices, basis, times, firstDay, firstNew: basis.price.length }
  const { cost } = await valueByHours(connection, [{ name: 'blocks', from: from('blocks') }], hourInputs)
  return { closes, cost }
}

/** @param closes by unix day */
export function createDailyBasis(
  { name }: Network,
  closes: ReadonlyMap<number, number>,
  firstDay: number,
  lastDay: number,
): CostBasis {
  const firstPriced = Math.min(...closes.keys())
  const close = Float64Array.from(
    { length: closes.size === 0 ? 0 : lastDay - firstPriced + 1 },
    (_, i) => closes.get(firstPriced + i) ?? Number.NaN,
  )
  const prices = closes.size === 0 ? undefined : { firstDay: firstPriced, close }
  const marketDay = name === 'mainnet' ? firstMarket.day : undefined
  return createCostBasis(prices, firstDay, lastDay - firstDay + 1, marketDay)
}

/** Height of the newest published block on the chain up to `tip`. */
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
  if (common < 0) throw notReady(`the last ${maxOpenBlocks} published blocks are not on the chain of the node`)
  return first + common
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

async function closesUpTo(connection: DuckDBConnection, prices: string, lastDay: number): Promise<Map<number, number>> {
  const { date, close } = await readColumns(
    connection,
    `SELECT date, close FROM ${prices} WHERE date <= $last ORDER BY date`,
    { last: new DuckDBDateValue(lastDay) },
  )
  return new Map(Array.from(date!, (day, row) => [day, close![row]!]))
}
