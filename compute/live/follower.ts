import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate, secondsPerHour } from '#base/days.ts'
import type { Network } from '#ingest/chain/networks.ts'
import type { ChainTip } from '#ingest/chain/node.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { tables as market } from '#ingest/market/observations.ts'
import { storedStamp } from '#ingest/market/store.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { followFolder, requireGeneration } from '../data-folder.ts'
import { RowKeeper } from './keep-rows.ts'
import { type LastPrices, readLastPrices } from './last-prices.ts'
import { OpenBlocks } from './open-blocks.ts'
import { computeOpenDay } from './open-days.ts'
import { openBase, type PublishedBase } from './published-base.ts'
import { computeDayMetrics } from './today-metrics.ts'
import { writeToday } from './write-today.ts'

export interface PublishedToday {
  readonly date: string
  readonly tip: ChainTip
  readonly blocks: number
  readonly milliseconds: number
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

export class Follower {
  readonly #connection: DuckDBConnection
  readonly #dataDir: string
  readonly #network: Network
  readonly #client: RpcClient
  readonly #blocks = new OpenBlocks()
  readonly #keeper: RowKeeper
  #base: PublishedBase | undefined
  /** Last prices read; `key` changes with the days and the stored prices. */
  #prices: { readonly key: string; readonly prices: LastPrices } | undefined
  #publishedInputs = ''

  constructor(connection: DuckDBConnection, dataDir: string, network: Network, client: RpcClient) {
    this.#connection = connection
    this.#dataDir = dataDir
    this.#network = network
    this.#client = client
    this.#keeper = new RowKeeper(connection, dataDir)
  }

  /**
   * Publishes the state after `tip`, unless generation, prices and tip are unchanged. Throws
   * `data_not_ready` if the published days are too far behind the node.
   */
  async publish(tip: ChainTip): Promise<PublishedToday | undefined> {
    const opened = requireGeneration(this.#dataDir)
    const prices = [market.prices, market.prices_hourly].map((table) => storedStamp(this.#dataDir, table))
    const inputs = [opened.generation.id, tip.hash, ...prices].join(' ')
    if (inputs === this.#publishedInputs) return undefined
    const begin = performance.now()
    if (this.#base?.generation !== opened.generation.id) this.#base = undefined
    const chain =
      (this.#base && (await this.#blocks.readChain(this.#client, this.#base, tip))) ??
      (await this.#blocks.readChain(
        this.#client,
        await openBase(this.#connection, opened, this.#network, this.#client, tip),
        tip,
      ))
    if (!chain) throw new Error(`the days up to ${tip.hash} do not continue the published days`)
    this.#base = chain.base
    const openDay = chain.days.at(-1)!
    const isOnchain = opened.generation.prices?.pricing.source === 'onchain'
    const { closes, hours, last } = await this.#readPrices(chain.base.lastDay, openDay, prices.join(' '), isOnchain)
    const known = new Map([...chain.base.closes, ...closes, ...(last ? [[openDay, last.price] as const] : [])])
    const folder = followFolder(this.#dataDir)
    const day = await computeOpenDay(this.#connection, folder, this.#network, { ...chain, closes: known, hours })
    const date = isoDate(openDay)
    const time = isoTime(1000 * chain.blocks.at(-1)!.time)
    const computed = { updated_at: isoTime(Date.now()), price_time: last ? isoTime(last.time) : null }
    const { today, afterBlock, definitions } = computeDayMetrics(this.#network, day, last?.price ?? Number.NaN)
    const hour = isoTime(1000 * secondsPerHour * Math.floor(chain.times.at(-1)! / secondsPerHour))
    // Keep the row first: readers of the new `today` look for it.
    await this.#keeper.keep(
      { date, hour, height: tip.height, hash: tip.hash, time, ...computed, ...afterBlock },
      definitions,
      chain,
      parquetFiles([path.join(opened.folder, 'blocks.parquet')]),
    )
    await writeToday(this.#connection, this.#dataDir, {
      date,
      provisional: true,
      as_of_height: tip.height,
      as_of_hash: tip.hash,
      as_of_time: time,
      ...computed,
      price_source: last?.source ?? null,
      ...today,
    })
    this.#publishedInputs = inputs
    const blocks = chain.days.length - chain.days.indexOf(openDay)
    return { date, tip, blocks, milliseconds: performance.now() - begin }
  }

  async #readPrices(lastDay: number, openDay: number, stamp: string, isOnchain: boolean): Promise<LastPrices> {
    const key = [lastDay, openDay, stamp, isOnchain].join(' ')
    if (this.#prices?.key !== key) {
      this.#prices = { key, prices: await readLastPrices(this.#connection, this.#dataDir, lastDay, openDay, isOnchain) }
    }
    return this.#prices.prices
  }
}
