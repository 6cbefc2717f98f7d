import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { Follower } from '#compute/live/follower.ts'
import type { Pricing } from '#contract/pricing.ts'
import { afterBlocks } from '#contract/tables/after-blocks.ts'
import { today, todayMetrics } from '#contract/tables/today.ts'
import { networks } from '#ingest/chain/networks.ts'
import type { ChainTip } from '#ingest/chain/node.ts'
import { keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { withSession } from '#sql/session.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { type RegtestChain, regtestChain } from '#test/support/regtest.ts'

const hour = 3_600_000
export const dayLength = 24 * hour
const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Close in USD of the hour that ends at this instant. */
const priceAt = (end: number): number => Math.round(100 * (80 + 40 * Math.sin(end / hour / 37))) / 100

/** Values by column, as text. */
export type TextRow = Readonly<Record<string, string | null>>

/** A chain of a real node that is published, and followed block by block. */
export class FollowedChain {
  readonly chain: RegtestChain
  readonly #folder = temporaryFolder('follow')
  readonly dataDir = path.join(this.#folder, 'data')
  readonly #published = path.join(this.dataDir, 'published')
  pricing: Pricing = 'hourly'
  /** The day after the last one whose close is imported. */
  #priced = Date.parse('2011-02-01')

  private constructor(chain: RegtestChain) {
    this.chain = chain
  }

  /** Publishes 260 blocks, with closes of all days and hours from the last day on. */
  static async start(program: string): Promise<FollowedChain> {
    const followed = new FollowedChain(await regtestChain(program, 260))
    await followed.importCloses()
    const now = await followed.#openDay()
    await followed.#importPrices('time', now - dayLength, now + 500 * dayLength, hour)
    await followed.update()
    return followed
  }

  async stop(): Promise<void> {
    await this.chain.stop()
    rmSync(this.#folder, { recursive: true })
  }

  /** Arguments of `coinstrata`. */
  source(): string[] {
    const { datadir, endpoint } = this.chain.node
    return ['--network', 'regtest', '--datadir', datadir, '--rpc-url', endpoint.url]
  }

  async #run(...args: string[]): Promise<void> {
    const { exitCode, stderr } = await coinstrata([...args, '--data-dir', this.dataDir])
    expect(exitCode, stderr).toBe(0)
  }

  update(): Promise<void> {
    return this.#run('update', ...this.source(), '--pricing', this.pricing)
  }

  async #importPrices(at: 'date' | 'time', from: number, to: number, step: number): Promise<void> {
    const lines = [`${at},open,high,low,close`]
    for (let time = from; time < to; time += step) {
      const close = priceAt(time + step)
      const stamp = at === 'date' ? formatDay(time) : new Date(time).toISOString()
      lines.push(`${stamp},${close},${close},${close},${close}`)
    }
    const file = path.join(this.#folder, `${at}.csv`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    await this.#run('import', 'prices', file)
  }

  /** The beginning of the day of the newest block, by the clock of the node. */
  async #openDay(): Promise<number> {
    const { mediantime, time } = await this.chain.node.rpc(
      'getblockchaininfo',
      [],
      z.object({ mediantime: z.number(), time: z.number() }),
    )
    return Math.floor(Math.max(mediantime, time) / 86_400) * dayLength
  }

  /** Imports the closes of all days that are over. */
  async importCloses(): Promise<void> {
    const until = await this.#openDay()
    if (until > this.#priced) await this.#importPrices('date', this.#priced, until, dayLength)
    this.#priced = Math.max(this.#priced, until)
  }

  /** Runs `work` with a follower that publishes after the newest block. */
  followed<T>(work: (publish: () => Promise<ChainTip>) => Promise<T>): Promise<T> {
    return withSession({ temporaryFolder: path.join(this.dataDir, 'state/follow'), threads: 1 }, (connection) => {
      const follower = new Follower(connection, this.dataDir, networks.regtest, this.chain.node.client)
      return work(async () => {
        const tip = await this.chain.tip()
        await follower.publish(tip)
        return tip
      })
    })
  }

  async todayRow(): Promise<TextRow> {
    // The file behind the link, which may be switched while DuckDB reads.
    const [row = []] = await rowsOf(`FROM '${realpathSync(path.join(this.#published, 'live/today.parquet'))}'`)
    return Object.fromEntries(Object.keys(today.columns).map((name, i) => [name, row[i] ?? null]))
  }

  /** The metrics of closed days, as they are published, by date. */
  async #publishedDays(
    dates: readonly string[],
    names = Object.keys(todayMetrics),
  ): Promise<Map<string, Record<string, string | null>>> {
    const places = await rowsOf(
      // Former ids of series that are equal by definition are names of the one that is published.
      `FROM (SELECT unnest(list_prepend(id, aliases)) AS name, table_name, column_name FROM ${publishedTable(this.dataDir, 'catalogue')})
       WHERE name IN ('${names.join("', '")}')`,
    )
    expect(places).toHaveLength(names.length)
    const days = new Map(dates.map((date) => [date, {} as Record<string, string | null>]))
    for (const [table, ofTable] of Map.groupBy(places, ([, table]) => table!)) {
      const rows = await rowsOf(
        `SELECT date, ${ofTable.map(([, , column]) => column).join()} FROM ${publishedTable(this.dataDir, table)}
         WHERE date IN ('${dates.join("', '")}')`,
      )
      expect(rows, table).toHaveLength(dates.length)
      for (const [date, ...values] of rows) {
        for (const [i, [id]] of ofTable.entries()) days.get(date!)![id!] = values[i] ?? null
      }
    }
    return days
  }

  /**
   * Follows so many further blocks one by one; the metrics of the last row of each day that has
   * ended since, by date.
   */
  async follow(blocks: number): Promise<Map<string, TextRow>> {
    const rows = new Map<string, TextRow>()
    await this.followed(async (publish) => {
      for (let i = 0; i < blocks; i++) {
        await this.chain.grow(1)
        const { height, hash } = await publish()
        const row = await this.todayRow()
        expect([row.as_of_height, row.as_of_hash]).toEqual([String(height), hash])
        rows.set(row.date!, Object.fromEntries(Object.keys(todayMetrics).map((name) => [name, row[name] ?? null])))
      }
    })
    rows.delete([...rows.keys()].at(-1)!)
    return rows
  }

  /** Expects more than so many days, and values of each kind on more than so many of them. */
  expectVaried(rows: ReadonlyMap<string, TextRow>, days: number, valued: number): void {
    expect(rows.size).toBeGreaterThan(days)
    for (const column of ['price', 'coindays_destroyed', 'realized_cap', 'sopr', 'fee_median', 'lth_mvrv']) {
      expect([...rows.values()].filter((row) => row[column] !== null).length, column).toBeGreaterThan(valued)
    }
  }

  async expectAsPublished(rows: ReadonlyMap<string, TextRow>): Promise<void> {
    await this.importCloses()
    await this.update()
    const days = await this.#publishedDays([...rows.keys()])
    for (const [date, row] of rows) expect(row, date).toEqual(days.get(date))
  }

  keptFiles(detail: 'blocks' | 'hours'): string[] {
    return listKeptRows(this.#published)
      .days.filter((day) => day.detail === detail)
      .map((day) => path.join(keptFolder(this.#published), keptFile(day)))
  }

  /** The kept rows after blocks, ascending. */
  async keptRows(files = [...this.keptFiles('blocks'), ...this.keptFiles('hours')]): Promise<TextRow[]> {
    const from = `read_parquet(['${files.join("', '")}'], union_by_name = true)`
    const names = (await rowsOf(`SELECT column_name FROM (DESCRIBE FROM ${from})`)).map(([name]) => name!)
    const rows = await rowsOf(`FROM ${from} ORDER BY height`)
    return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])))
  }

  /**
   * Expects of the last kept row of each closed day all values that were published since; returns
   * the number of days.
   */
  async expectKeptAsPublished(): Promise<number> {
    const byDate = new Map((await this.keptRows()).map((row) => [row.date!, row]))
    byDate.delete([...byDate.keys()].at(-1)!)
    const state = Object.keys(afterBlocks.columns)
    const ids = Object.keys([...byDate.values()][0]!).filter((name) => !state.includes(name))
    expect(ids.length).toBeGreaterThan(200)
    const days = await this.#publishedDays([...byDate.keys()], ids)
    for (const [date, row] of byDate)
      expect(Object.fromEntries(ids.map((id) => [id, row[id]])), date).toEqual(days.get(date))
    return byDate.size
  }

  async expectKeptOnChain(): Promise<void> {
    const rows = await this.keptRows()
    expect(Number(rows.at(-1)!.height)).toBe(this.chain.height)
    for (const { height, hash } of rows) expect(hash, height!).toBe(await this.chain.hashAt(Number(height)))
    expect(new Set(rows.map(({ height }) => height)).size).toBe(rows.length)
  }
}

/** The chain of a test file, each of whose steps continues where the last one ended. */
export let live: FollowedChain

/** Starts and stops `live` for the tests of a block. */
export function useFollowedChain(program: string): void {
  beforeAll(async () => {
    live = await FollowedChain.start(program)
  })
  afterAll(() => live?.stop())
}
