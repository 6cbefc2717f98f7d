import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Follower } from '#compute/live/follower.ts'
import type { Pricing } from '#contract/pricing.ts'
import { afterBlocks } from '#contract/tables/after-blocks.ts'
import { today, todayMetrics } from '#contract/tables/today.ts'
import { networks } from '#ingest/chain/networks.ts'
import type { ChainTip } from '#ingest/chain/node.ts'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { withSession } from '#sql/session.ts'
import { readFollowing } from '#state/following.ts'
import { readOperations } from '#state/operational-state.ts'
import { bearer, keyOf, withoutLimits } from '#test/api/support/test-server.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { expectHoursAddUp } from '#test/support/hour-sums.ts'
import { addressOf, coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { RegtestChain } from '#test/support/regtest.ts'
import { trials } from '#test/support/trials.ts'

const bitcoind = findBitcoind()
const hour = 3_600_000
const dayLength = 24 * hour
const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Close in USD of the hour that ends at this instant. */
const priceAt = (end: number): number => Math.round(100 * (80 + 40 * Math.sin(end / hour / 37))) / 100

const answerSchema = z.object({
  data: z.array(z.looseObject({ as_of_hash: z.string() })),
  meta: z.object({ withheld: z.array(z.string()).optional() }),
})

/** One node and its chain; each step goes on where the last one ended. */
describe.skipIf(!bitcoind)('the open day of a chain that a real node makes', { timeout: 600_000 }, () => {
  const folder = temporaryFolder('follow')
  const dataDir = path.join(folder, 'data')
  /** The file behind the link, which may be switched while DuckDB reads. */
  const todayTable = (): string => `'${realpathSync(path.join(dataDir, 'published/live/today.parquet'))}'`
  let chain: RegtestChain
  /** The day after the last one whose close is imported. */
  let priced = Date.parse('2011-02-01')

  const source = (): string[] => [
    '--network',
    'regtest',
    '--datadir',
    chain.node.datadir,
    '--rpc-url',
    chain.node.endpoint.url,
  ]

  async function run(...args: string[]): Promise<void> {
    const { exitCode, stderr } = await coinstrata([...args, '--data-dir', dataDir])
    expect(exitCode, stderr).toBe(0)
  }
  let pricing: Pricing = 'hourly'
  const update = (): Promise<void> => run('update', ...source(), '--pricing', pricing)

  async function importPrices(at: 'date' | 'time', from: number, to: number, step: number): Promise<void> {
    const lines = [`${at},open,high,low,close`]
    for (let time = from; time < to; time += step) {
      const close = priceAt(time + step)
      const stamp = at === 'date' ? formatDay(time) : new Date(time).toISOString()
      lines.push(`${stamp},${close},${close},${close},${close}`)
    }
    const file = path.join(folder, `${at}.csv`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    await run('import', 'prices', file)
  }

  /** The beginning of the day of the newest block, by the clock of the node. */
  async function openDay(): Promise<number> {
    const { mediantime, time } = await chain.node.rpc(
      'getblockchaininfo',
      [],
      z.object({ mediantime: z.number(), time: z.number() }),
    )
    return Math.floor(Math.max(mediantime, time) / 86_400) * dayLength
  }

  /** Imports the closes of all days that are over. */
  async function importCloses(): Promise<void> {
    const until = await openDay()
    if (until > priced) await importPrices('date', priced, until, dayLength)
    priced = Math.max(priced, until)
  }

  const followed = <T>(work: (publish: () => Promise<ChainTip>) => Promise<T>): Promise<T> =>
    withSession({ temporaryFolder: path.join(dataDir, 'state/follow'), threads: 1 }, (connection) => {
      const follower = new Follower(connection, dataDir, networks.regtest, chain.node.client)
      return work(async () => {
        const tip = await chain.tip()
        await follower.publish(tip)
        return tip
      })
    })

  async function todayRow(): Promise<Record<string, string | null>> {
    const [row = []] = await rowsOf(`FROM ${todayTable()}`)
    return Object.fromEntries(Object.keys(today.columns).map((name, i) => [name, row[i] ?? null]))
  }

  /** The metrics of closed days, as they are published, by date. */
  async function publishedDays(
    dates: readonly string[],
    names = Object.keys(todayMetrics),
  ): Promise<Map<string, Record<string, string | null>>> {
    const places = await rowsOf(
      // Former ids of series that are equal by definition are names of the one that is published.
      `FROM (SELECT unnest(list_prepend(id, aliases)) AS name, table_name, column_name FROM ${publishedTable(dataDir, 'catalogue')})
       WHERE name IN ('${names.join("', '")}')`,
    )
    expect(places).toHaveLength(names.length)
    const days = new Map(dates.map((date) => [date, {} as Record<string, string | null>]))
    for (const [table, ofTable] of Map.groupBy(places, ([, table]) => table!)) {
      const rows = await rowsOf(
        `SELECT date, ${ofTable.map(([, , column]) => column).join()} FROM ${publishedTable(dataDir, table)}
         WHERE date IN ('${dates.join("', '")}')`,
      )
      expect(rows, table).toHaveLength(dates.length)
      for (const [date, ...values] of rows) {
        for (const [i, [id]] of ofTable.entries()) days.get(date!)![id!] = values[i] ?? null
      }
    }
    return days
  }

  const selectMetrics = (row: Record<string, string | null>): Record<string, string | null> =>
    Object.fromEntries(Object.keys(todayMetrics).map((name) => [name, row[name] ?? null]))

  /**
   * Follows so many further blocks one by one; the last row of each day that has ended since, by
   * date.
   */
  async function follow(blocks: number): Promise<Map<string, Record<string, string | null>>> {
    const rows = new Map<string, Record<string, string | null>>()
    await followed(async (publish) => {
      for (let i = 0; i < blocks; i++) {
        await chain.grow(1)
        const { height, hash } = await publish()
        const row = await todayRow()
        expect([row.as_of_height, row.as_of_hash]).toEqual([String(height), hash])
        rows.set(row.date!, selectMetrics(row))
      }
    })
    rows.delete([...rows.keys()].at(-1)!)
    return rows
  }

  async function expectAsPublished(rows: ReadonlyMap<string, Record<string, string | null>>): Promise<void> {
    await importCloses()
    await update()
    const days = await publishedDays([...rows.keys()])
    for (const [date, row] of rows) expect(row, date).toEqual(days.get(date))
  }

  const published = path.join(dataDir, 'published')
  const keptFiles = (detail: 'blocks' | 'hours'): string[] =>
    listKeptRows(published)
      .days.filter((day) => day.detail === detail)
      .map((day) => path.join(keptFolder(published), keptFile(day)))

  /** The kept rows after blocks, ascending. */
  async function keptRows(
    files = [...keptFiles('blocks'), ...keptFiles('hours')],
  ): Promise<Record<string, string | null>[]> {
    const from = `read_parquet(['${files.join("', '")}'], union_by_name = true)`
    const names = (await rowsOf(`SELECT column_name FROM (DESCRIBE FROM ${from})`)).map(([name]) => name!)
    const rows = await rowsOf(`FROM ${from} ORDER BY height`)
    return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])))
  }

  /** Expects of the last kept row of each closed day all values that were published since. */
  async function expectKeptAsPublished(): Promise<number> {
    const byDate = new Map((await keptRows()).map((row) => [row.date!, row]))
    byDate.delete([...byDate.keys()].at(-1)!)
    const state = Object.keys(afterBlocks.columns)
    const ids = Object.keys([...byDate.values()][0]!).filter((name) => !state.includes(name))
    expect(ids.length).toBeGreaterThan(200)
    const days = await publishedDays([...byDate.keys()], ids)
    for (const [date, row] of byDate)
      expect(Object.fromEntries(ids.map((id) => [id, row[id]])), date).toEqual(days.get(date))
    return byDate.size
  }

  async function expectKeptOnChain(): Promise<void> {
    const rows = await keptRows()
    expect(Number(rows.at(-1)!.height)).toBe(chain.height)
    for (const { height, hash } of rows) expect(hash, height!).toBe(await chain.hashAt(Number(height)))
    expect(new Set(rows.map(({ height }) => height)).size).toBe(rows.length)
  }

  beforeAll(async () => {
    chain = await RegtestChain.start(bitcoind!)
    await chain.growUntilMature()
    await chain.grow(150)
    await importCloses()
    const now = await openDay()
    await importPrices('time', now - dayLength, now + 500 * dayLength, hour)
    await update()
  })
  afterAll(async () => {
    await chain?.stop()
    rmSync(folder, { recursive: true })
  })

  it('is after its last block what the nightly run publishes of it, in every column', async () => {
    const first = chain.height + 1
    const rows = await follow(22)
    expect(rows.size).toBeGreaterThan(5)
    for (const column of ['price', 'coindays_destroyed', 'realized_cap', 'sopr', 'fee_median', 'lth_mvrv']) {
      expect([...rows.values()].filter((row) => row[column] !== null).length, column).toBeGreaterThan(2)
    }
    await expectAsPublished(rows)
    for (let i = 0; i < trials(1, 3); i++) await expectAsPublished(await follow(22))
    expect(await expectKeptAsPublished()).toBeGreaterThan(trials(14, 30))
    const everyBlock = await keptRows(keptFiles('blocks'))
    const lastDay = Date.parse(everyBlock.at(-1)!.date!)
    for (const { date } of everyBlock) expect(Date.parse(date!)).toBeGreaterThan(lastDay - 14 * dayLength)
    const heights = everyBlock.map(({ height }) => Number(height))
    expect(heights).toEqual(heights.map((_, i) => chain.height - heights.length + 1 + i))
    const hourly = await keptRows(keptFiles('hours'))
    expect(new Set(hourly.map(({ hour }) => hour)).size).toBe(hourly.length)
    expect(hourly.length).toBeLessThan(heights[0]! - first)
    const added = await expectHoursAddUp(dataDir)
    expect(added.hours).toBeGreaterThan(100)
    expect(currentGeneration(dataDir)?.generation.prices?.pricing.hourly?.days).toBeGreaterThan(5)
  })

  it('is corrected by a reorganisation, also by one of days that are published, where coins are valued by closes', async () => {
    pricing = 'daily'
    await update()
    expect(currentGeneration(dataDir)?.generation.prices?.pricing.hourly).toBeNull()
    const corrected = async (depth: number): Promise<void> => {
      await followed(async (publish) => {
        await publish()
        const before = await todayRow()
        const tip = await chain.reorganise(depth)
        await publish()
        const after = await todayRow()
        expect(after.as_of_hash).toBe(tip.hash)
        expect(after).not.toEqual(before)
        await expectKeptOnChain()
        // One who never saw the other branch says the same.
        await followed((publishAnew) => publishAnew())
        expect({ ...(await todayRow()), updated_at: null }).toEqual({ ...after, updated_at: null })
      })
    }
    await corrected(2)
    await corrected(25)
    // One that nobody followed, before and after a publication of its days.
    await chain.grow(6)
    await followed((publish) => publish())
    await chain.reorganise(2)
    await followed((publish) => publish())
    await expectKeptOnChain()
    await chain.grow(3)
    await followed((publish) => publish())
    await chain.reorganise(2)
    await importCloses()
    await update()
    await followed((publish) => publish())
    await expectKeptOnChain()
    await expectAsPublished(await follow(6))
  })

  it('is served after each block by "start" with FOLLOW=on, which goes on when the node comes back', async () => {
    const pro = bearer(await keyOf(dataDir, 'pro'))
    const program = startCoinstrata(['start', '--data-dir', dataDir, '--port', '0', ...source()], {
      environment: { ...withoutLimits, FOLLOW: 'on', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' },
    })
    try {
      const url = await addressOf(program)
      const ask = async (headers: Record<string, string> = {}) => {
        const response = await fetch(`${url}/v1/today`, { headers })
        const text = await response.text()
        expect(response.status, text).toBe(200)
        const answer = answerSchema.parse(JSON.parse(text))
        return { ...answer, row: answer.data[0], etag: response.headers.get('etag') ?? '' }
      }
      /** Waits until the row is as of the node's tip, and returns how long that took. */
      const appeared = async (tip: ChainTip): Promise<number> => {
        const begin = performance.now()
        while ((await ask()).row?.as_of_hash !== tip.hash) {
          if (performance.now() - begin > 60_000) throw new Error(`block ${tip.height} has not come in a minute`)
          await sleep(50)
        }
        return performance.now() - begin
      }
      await appeared(await chain.tip())
      const times = [await appeared(await chain.grow(1)), await appeared(await chain.grow(1))]
      times.push(await appeared(await chain.reorganise(2)))
      const before = await ask()
      expect(before.meta.withheld).toContain('realized_profit')
      expect(before.row).not.toHaveProperty('realized_profit')
      const unchanged = await fetch(`${url}/v1/today`, { headers: { 'If-None-Match': before.etag } })
      expect(unchanged.status).toBe(304)
      const ofPro = await ask(pro)
      expect(ofPro.meta.withheld).toBeUndefined()
      const published = await todayRow()
      expect(ofPro.row).toMatchObject({
        date: published.date,
        provisional: true,
        as_of_height: chain.height,
        realized_profit: Number(published.realized_profit),
        supply_sats: Number(published.supply_sats),
      })

      const inStep = { nodeHeight: chain.height, followedHeight: chain.height, behindSince: null }
      expect(readFollowing(dataDir)).toEqual({ ...inStep, unreachableSince: null })
      const codesAfter = (milliseconds: number): string[] => {
        const served = currentGeneration(dataDir)?.generation
        const now = Date.now() + milliseconds
        const { state } = readOperations(dataDir, { served, maxAgeMs: Number.POSITIVE_INFINITY, now })
        return state.problems.map(({ code }) => code)
      }
      await chain.node.halt()
      while (readFollowing(dataDir)?.unreachableSince === null) await sleep(50)
      expect(readFollowing(dataDir)).toEqual({ ...inStep, unreachableSince: expect.any(Number) })
      expect(codesAfter(0)).not.toContain('node_unreachable')
      expect(codesAfter(61_000)).toContain('node_unreachable')
      expect((await ask()).row).toEqual(before.row)
      await chain.resume()
      times.push(await appeared(await chain.grow(1, { fewest: 0, most: 0 })))
      expect(readFollowing(dataDir)).toMatchObject({ nodeHeight: chain.height, unreachableSince: null })
      expect(codesAfter(61_000)).not.toContain('node_unreachable')
      // On a busy machine one or the other takes longer.
      expect(Math.min(...times), times.join(', ')).toBeLessThan(2_000)
    } finally {
      program.process.kill()
    }
    const { exitCode } = await program.outcome
    expect(exitCode).toBe(0)
  })

  it('keeps the rows that were written when the process that follows is killed', async () => {
    const killer = path.join(import.meta.dirname, '../support/kill-at.ts')
    /** The last row of each hour: the others may have been thinned since. */
    const lastRows = async () => [...new Map((await keptRows()).map((row) => [row.hour, row])).values()]
    let written = await lastRows()
    let isPublished = false
    for (let operation = 1; !isPublished; operation += trials(10, 1)) {
      const { hash } = await chain.grow(1)
      const program = startCoinstrata(['follow', '--data-dir', dataDir, ...source()], {
        environment: { KILL_AT: String(operation) },
        nodeArguments: ['--import', killer],
      })
      let hasEnded = false
      const ended = program.outcome.then(() => {
        hasEnded = true
      })
      while (!hasEnded && !isPublished) {
        await Promise.race([ended, sleep(100)])
        isPublished = (await todayRow()).as_of_hash === hash
      }
      program.process.kill('SIGKILL')
      await ended
      for (const file of [...keptFiles('blocks'), ...keptFiles('hours')])
        expect(file).toContain((await digestFile(file)).sha256)
      const now = await keptRows()
      const heights = new Map(now.map(({ height, hash }) => [hash, height]))
      const hours = new Set(now.slice(-1).map(({ hour }) => hour))
      const lost = written.filter(({ hash, hour }) => !heights.has(hash!) && !hours.has(hour!))
      expect(lost.map(({ height }) => height)).toEqual([])
      written = await lastRows()
    }
    await expectKeptOnChain()
  })
})
