import { cpSync, existsSync, globSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { importMiningPools } from '#ingest/market/mining-pools.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { findDamagedTables } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { computeFolder, ingestFolder, updateFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('checkpoints')
const firstDay = Date.parse('2011-02-02') / 86_400_000
let next = 0

const newFolder = (): string => path.join(folder, `data-${next++}`)

const trunk = makeChain(321)

/**
 * The block files of a chain up to a height, on the trunk or on the branch that leaves it after
 * `fork`.
 */
async function blockFiles(height: number, fork?: number): Promise<string> {
  const blocks = path.join(folder, `blocks-${height}-${fork ?? ''}`)
  if (!existsSync(blocks)) await writeChain(blocks, fork === undefined ? trunk : makeChain(height + 1, fork), height)
  return blocks
}

/** Stores closes by days counted from the first. */
const storePrices = (
  dataDir: string,
  closes: Readonly<Record<number, number>>,
  others: Partial<Record<'open' | 'high' | 'low', number>> = {},
): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, (connection) => {
    const rows = Object.entries(closes).map(([day, close]) => ({
      date: firstDay + Number(day),
      open: close,
      high: close,
      low: close,
      ...others,
      close,
      volume_btc: null,
      volume_usd: null,
    }))
    return appendObservations(connection, dataDir, tables.prices, 'import', rows, Date.now())
  })

/** Stores closes by hours counted from the first midnight. */
const storeHours = (dataDir: string, closes: Readonly<Record<number, number>>): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, (connection) => {
    const rows = Object.entries(closes).map(([hour, close]) => ({
      time: (24 * firstDay + Number(hour)) * 3_600_000,
      open: close,
      high: close,
      low: close,
      close,
      volume_btc: null,
      volume_usd: null,
    }))
    return appendObservations(connection, dataDir, tables.prices_hourly, 'import', rows, Date.now())
  })

/** From the eighth day on. */
function someHours(): Record<number, number> {
  const random = new Random(8)
  const prices = somePrices()
  return Object.fromEntries(
    Array.from({ length: 122 * 24 }, (_, i) => {
      const hour = 8 * 24 + i
      return [hour, (prices[Math.floor(hour / 24)] ?? 0) * (0.9 + 0.2 * random.next())]
    }),
  )
}

function somePrices(): Record<number, number> {
  const random = new Random(7)
  return Object.fromEntries(Array.from({ length: 130 }, (_, day) => [day, 0.5 + 9 * random.next()]))
}

const checkpointsIn = (dataDir: string): string[] => readdirSync(checkpointsFolder(dataDir)).sort()

/** The last day, counted from the first, of each row group of a table that has one row a day. */
async function readRowGroupEnds(dataDir: string, table: string): Promise<number[]> {
  const rows = await rowsOf(
    `SELECT DISTINCT row_group_id, row_group_num_rows
     FROM parquet_metadata(${publishedTable(dataDir, table)}) ORDER BY row_group_id`,
  )
  let end = -1
  return rows.map(([, count]) => (end += Number(count)))
}

/** Publishes the same segments and market data in another folder without checkpoints. */
async function fromGenesis(dataDir: string, blocks: string, choices?: { fine: boolean }): Promise<string> {
  const fresh = newFolder()
  cpSync(path.join(dataDir, 'raw'), path.join(fresh, 'raw'), { recursive: true })
  rmSync(checkpointsFolder(fresh), { recursive: true })
  await computeFolder(fresh, blocks, choices)
  return fresh
}

describe('an update that goes on from a checkpoint', { timeout: 600_000 }, () => {
  const base = newFolder()

  beforeAll(async () => {
    await storePrices(base, somePrices())
    await storeHours(base, someHours())
    await updateFolder(base, await blockFiles(190))
    expect(checkpointsIn(base).length).toBe(1)
    await updateFolder(base, await blockFiles(290))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function copyFolder(made: string): string {
    const dataDir = newFolder()
    cpSync(made, dataDir, { recursive: true, verbatimSymlinks: true })
    return dataDir
  }
  const copyOfBase = (): string => copyFolder(base)

  /**
   * Updates, and returns the last day of each row group of the tables `days` and `metrics_market`:
   * where it began.
   */
  async function update(dataDir: string, blocks: string): Promise<{ days: number[]; metrics: number[] }> {
    await ingestFolder(dataDir, blocks)
    await computeFolder(dataDir, blocks)
    return { days: await readRowGroupEnds(dataDir, 'days'), metrics: await readRowGroupEnds(dataDir, 'metrics_market') }
  }

  const both = (days: number[]) => ({ days, metrics: days })

  it('publishes what all days give, here with another checkpoint and then with none', async () => {
    // 290 blocks at three a day close 97 days, of which ten may still change.
    expect(checkpointsIn(base).length).toBe(2)
    expect(await readRowGroupEnds(base, 'days')).toEqual([53, 86, 96])
    expect(await tableDifferences(base, await fromGenesis(base, await blockFiles(290)))).toEqual({})
    const dataDir = copyOfBase()
    expect(await update(dataDir, await blockFiles(298))).toEqual(both([53, 86, 99]))
    expect(await tableDifferences(dataDir, await fromGenesis(dataDir, await blockFiles(298)))).toEqual({})
    expect(checkpointsIn(dataDir).length).toBe(2)
  })

  it.each([
    ['1 block, and a price after the checkpoint', 289, 90, [53, 86, 98]],
    ['25 blocks, and a price before the last checkpoint', 265, 60, [53, 88, 98]],
    ['60 blocks, and a price after them', 230, 90, [53, 88, 98]],
  ])('does so after a reorganisation of %s', async (_, fork, day, ends) => {
    const dataDir = copyOfBase()
    const blocks = await blockFiles(295, fork)
    await storePrices(dataDir, { [day]: 44 })
    expect(await update(dataDir, blocks)).toEqual(both(ends))
    expect(await tableDifferences(dataDir, await fromGenesis(dataDir, blocks))).toEqual({})
  })

  it('makes only metrics anew where something else has changed that they are made of', async () => {
    const dataDir = copyOfBase()
    // The close is as it was.
    await storePrices(dataDir, { 70: somePrices()[70] ?? 0 }, { open: 1, high: 20, low: 0.1 })
    const blocks = await blockFiles(290)
    expect(await update(dataDir, blocks)).toEqual({ days: [53, 86, 96], metrics: [96] })
    expect(await tableDifferences(dataDir, await fromGenesis(dataDir, blocks))).toEqual({})
  })

  it.each([
    ['a reorganisation of 200 blocks', async () => {}, 295, 90, [88, 98]],
    [
      'a restated price of the first days',
      (dataDir: string) => storePrices(dataDir, { 3: 44 }),
      295,
      undefined,
      [88, 98],
    ],
    [
      'a restated price of an hour of the first days',
      (dataDir: string) => storeHours(dataDir, { [10 * 24 + 7]: 44 }),
      295,
      undefined,
      [88, 98],
    ],
    ['a halving, which brings a cohort', async () => {}, 310, undefined, [93, 103]],
  ])('begins with the first day after %s', async (_, change, height, fork, ends) => {
    const dataDir = copyOfBase()
    await change(dataDir)
    expect(await update(dataDir, await blockFiles(height, fork))).toEqual(both(ends))
  })

  it('begins with the first day where coins are valued by closes instead of hours, and with the checkpoint after the hours', async () => {
    const dataDir = copyOfBase()
    const blocks = await blockFiles(290)
    const realizedCap = () =>
      rowsOf(`SELECT realized_cap FROM ${publishedTable(dataDir, 'cohorts')} WHERE cohort = 'all' ORDER BY date`)
    const byHour = await realizedCap()
    await computeFolder(dataDir, blocks, { pricing: 'daily' })
    expect(await readRowGroupEnds(dataDir, 'days')).toEqual([86, 96])
    expect(await realizedCap()).not.toEqual(byHour)
    await computeFolder(dataDir, blocks)
    expect(await readRowGroupEnds(dataDir, 'days')).toEqual([53, 86, 96])
    expect(await realizedCap()).toEqual(byHour)
  })

  it('begins with the first day after another list of pools, by which every block gets its pool', async () => {
    const dataDir = copyOfBase()
    const blocks = await blockFiles(290)
    const poolsOfDays = () =>
      rowsOf(
        `SELECT DISTINCT pool, blocks, own.fees_sats = days.fees_sats, own.coinbase_sats = days.coinbase_sats
         FROM ${publishedTable(dataDir, 'pool_days')} AS own JOIN ${publishedTable(dataDir, 'days')} AS days USING (date)
         WHERE blocks = blocks_mined ORDER BY ALL`,
      )
    expect(await poolsOfDays()).toEqual([])
    const list = path.join(folder, 'pools.json')
    // The scripts of all coinbases begin with a push of four bytes.
    writeFileSync(list, JSON.stringify([{ name: 'All of them', link: '', addresses: [], tags: ['\u0004'] }]))
    await importMiningPools(dataDir, list)
    expect((await updateFolder(dataDir, blocks)).unchanged).toBeUndefined()
    expect(await readRowGroupEnds(dataDir, 'days')).toEqual([86, 96])
    const all = ['all_of_them', 'true', 'true']
    expect(await poolsOfDays()).toEqual([['1'], ['3']].map(([count]) => [all[0], count, ...all.slice(1)]))
    expect(await rowsOf(`SELECT DISTINCT pool FROM ${publishedTable(dataDir, 'blocks')}`)).toEqual([['all_of_them']])
    const shares = `SELECT DISTINCT pool_count, pool_top3_percent, pool_herfindahl, pool_unknown_percent FROM ${publishedTable(dataDir, 'metrics_blockchain')}`
    expect(await rowsOf(shares)).toEqual([['1', '100.0', '1.0', '0.0']])
    expect((await updateFolder(dataDir, blocks)).unchanged).toBe(true)
  })

  it('makes fine flows of all days where they are asked for later, and goes on with them then', async () => {
    const dataDir = copyOfBase()
    const fine = { fine: true }
    const readDays = async (): Promise<unknown> => {
      const groups = `SELECT max(stats_max_value::DATE) - DATE '2011-02-02' FROM parquet_metadata(${publishedTable(dataDir, 'fine_flows')})`
      const ends = await rowsOf(`${groups} WHERE path_in_schema = 'date' GROUP BY row_group_id ORDER BY row_group_id`)
      return { days: await readRowGroupEnds(dataDir, 'days'), fine: ends.map(([end]) => Number(end)) }
    }
    await computeFolder(dataDir, await blockFiles(290), fine)
    expect(await readDays()).toEqual({ days: [53, 86, 96], fine: [96] })
    for (const [height, ends] of [
      [310, [93, 103]],
      [320, [93, 106]],
    ] as const) {
      await ingestFolder(dataDir, await blockFiles(height))
      await computeFolder(dataDir, await blockFiles(height), fine)
      expect(await readDays()).toEqual({ days: ends, fine: ends })
    }
    const blocks = await blockFiles(320)
    expect(await tableDifferences(dataDir, await fromGenesis(dataDir, blocks, fine))).toEqual({})
  })

  it.each([
    ['an update', {}],
    ['a forced update', { force: true }],
  ])('publishes the same after bits flipped in everything that %s reads', async (_, options) => {
    const dataDir = copyOfBase()
    const files = globSync(
      [
        ...['raw/segments/*/*.parquet', 'raw/checkpoints/*/state.bin', 'raw/checkpoints/*/days.parquet'],
        ...['raw/merged-hours/*.parquet', 'raw/headers/*', 'raw/chain-*.blocks'],
        ...['published/*/metrics_market.parquet', 'published/*/days.parquet'],
      ],
      { cwd: dataDir },
    )
    expect(new Set(files.map((file) => file.split('/').slice(0, 2).join('/'))).size).toBeGreaterThan(6)
    for (const file of files) flipBit(path.join(dataDir, file))
    await updateFolder(dataDir, await blockFiles(290), options)
    expect(await tableDifferences(dataDir, base)).toEqual({})
    expect(await findDamagedTables(currentGeneration(dataDir)!)).toEqual([])
    expect((await updateFolder(dataDir, await blockFiles(290))).unchanged).toBe(true)
  })

  it('publishes again if the description of what is published is damaged', async () => {
    const dataDir = copyOfBase()
    const { id } = currentGeneration(dataDir)!.generation
    flipBit(path.join(dataDir, 'published', id, 'generation.json'))
    expect((await updateFolder(dataDir, await blockFiles(290))).unchanged).toBeUndefined()
    expect(currentGeneration(dataDir)!.generation.id).not.toBe(id)
    expect(await tableDifferences(dataDir, base)).toEqual({})
  })

  describe('where one is damaged', () => {
    const damages: readonly (readonly [name: string, what: string, damage: (file: string) => void])[] = [
      ['state.bin', 'gone', rmSync],
      ['state.bin', 'changed', (file) => flipBit(file, 20)],
      ['checkpoint.json', 'changed', (file) => flipBit(file, 20)],
      ['flows.parquet', 'changed', (file) => flipBit(file, 20)],
      ['blocks.parquet', 'cut off', (file) => truncateSync(file, 40)],
      ['metrics_market.parquet', 'changed', (file) => flipBit(file, statSync(file).size - 12)],
    ]
    /** Day on which an update begins after each of these damages to checkpoints. */
    const ends = new Map<number, number[]>()

    beforeAll(async () => {
      const scanned = copyOfBase()
      const blocks = await blockFiles(295)
      await ingestFolder(scanned, blocks)
      const checkpoints = checkpointsIn(scanned)
      for (let first = 0; first < damages.length; first += checkpoints.length) {
        const dataDir = copyFolder(scanned)
        const places = checkpoints.map((_, i) => (first + i) % damages.length)
        for (const [i, place] of places.entries()) {
          const [name, , damage] = damages[place]!
          damage(path.join(checkpointsFolder(dataDir), checkpoints[i]!, name))
        }
        await computeFolder(dataDir, blocks)
        for (const place of places) ends.set(place, await readRowGroupEnds(dataDir, 'days'))
      }
    })

    it.each(damages.map(([name, what], place) => [name, what, place] as const))(
      'begins with the first day: %s is %s',
      (_, what, place) => expect(ends.get(place), what).toEqual([88, 98]),
    )
  })
})
