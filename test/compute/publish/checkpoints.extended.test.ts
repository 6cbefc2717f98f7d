import { globSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { importMiningPools } from '#ingest/market/mining-pools.ts'
import { findDamagedTables } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { computeFolder, ingestFolder, updateFolder } from '#test/support/made-folder.ts'
import { publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import {
  both,
  CheckpointedChain,
  checkpointsIn,
  readRowGroupEnds,
  somePrices,
  storeHours,
  storePrices,
} from './support/checkpointed-chain.ts'

describe('an update that goes on from a checkpoint', { timeout: 600_000 }, () => {
  let made: CheckpointedChain
  beforeAll(async () => {
    made = await CheckpointedChain.start()
  })
  afterAll(() => made.stop())

  it('publishes what all days give with one checkpoint', async () => {
    expect(await tableDifferences(made.base, await made.fromGenesis(made.base, await made.blockFiles(290)))).toEqual({})
  })

  it('does so after a reorganisation of 25 blocks, and a price before the last checkpoint', async () => {
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(295, 265)
    await storePrices(dataDir, { 60: 44 })
    expect(await made.update(dataDir, blocks)).toEqual(both([53, 88, 98]))
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, blocks))).toEqual({})
  })

  it('begins with the first day after a restated price of an hour of the first days', async () => {
    const dataDir = made.copyOfBase()
    await storeHours(dataDir, { [10 * 24 + 7]: 44 })
    expect(await made.update(dataDir, await made.blockFiles(295))).toEqual(both([88, 98]))
  })

  it('publishes again if the description of what is published is damaged', async () => {
    const dataDir = made.copyOfBase()
    const { id } = currentGeneration(dataDir)!.generation
    flipBit(path.join(dataDir, 'published', id, 'generation.json'))
    expect((await updateFolder(dataDir, await made.blockFiles(290))).unchanged).toBeUndefined()
    expect(currentGeneration(dataDir)!.generation.id).not.toBe(id)
    expect(await tableDifferences(dataDir, made.base)).toEqual({})
  })

  it('does so after a reorganisation of 1 block, and a price after the checkpoint', async () => {
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(295, 289)
    await storePrices(dataDir, { 90: 44 })
    expect(await made.update(dataDir, blocks)).toEqual(both([53, 86, 98]))
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, blocks))).toEqual({})
  })

  it('makes only metrics anew where something else has changed that they are made of', async () => {
    const dataDir = made.copyOfBase()
    // The close is as it was.
    await storePrices(dataDir, { 70: somePrices()[70] ?? 0 }, { open: 1, high: 20, low: 0.1 })
    const blocks = await made.blockFiles(290)
    expect(await made.update(dataDir, blocks)).toEqual({ days: [53, 86, 96], metrics: [96] })
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, blocks))).toEqual({})
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
    ['a halving, which brings a cohort', async () => {}, 310, undefined, [93, 103]],
  ])('begins with the first day after %s', async (_, change, height, fork, ends) => {
    const dataDir = made.copyOfBase()
    await change(dataDir)
    expect(await made.update(dataDir, await made.blockFiles(height, fork))).toEqual(both(ends))
  })

  it('begins with the first day where coins are valued by closes instead of hours, and with the checkpoint after the hours', async () => {
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(290)
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
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(290)
    const poolsOfDays = () =>
      rowsOf(
        `SELECT DISTINCT pool, blocks, own.fees_sats = days.fees_sats, own.coinbase_sats = days.coinbase_sats
         FROM ${publishedTable(dataDir, 'pool_days')} AS own JOIN ${publishedTable(dataDir, 'days')} AS days USING (date)
         WHERE blocks = blocks_mined ORDER BY ALL`,
      )
    expect(await poolsOfDays()).toEqual([])
    const list = path.join(made.folder, 'pools.json')
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
    const dataDir = made.copyOfBase()
    const fine = { fine: true }
    const readDays = async (): Promise<unknown> => {
      const groups = `SELECT max(stats_max_value::DATE) - DATE '2011-02-02' FROM parquet_metadata(${publishedTable(dataDir, 'fine_flows')})`
      const ends = await rowsOf(`${groups} WHERE path_in_schema = 'date' GROUP BY row_group_id ORDER BY row_group_id`)
      return { days: await readRowGroupEnds(dataDir, 'days'), fine: ends.map(([end]) => Number(end)) }
    }
    await computeFolder(dataDir, await made.blockFiles(290), fine)
    expect(await readDays()).toEqual({ days: [53, 86, 96], fine: [96] })
    for (const [height, ends] of [
      [310, [93, 103]],
      [320, [93, 106]],
    ] as const) {
      await ingestFolder(dataDir, await made.blockFiles(height))
      await computeFolder(dataDir, await made.blockFiles(height), fine)
      expect(await readDays()).toEqual({ days: ends, fine: ends })
    }
    const blocks = await made.blockFiles(320)
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, blocks, fine))).toEqual({})
  })

  it.each([
    ['an update', {}],
    ['a forced update', { force: true }],
  ])('publishes the same after bits flipped in everything that %s reads', async (_, options) => {
    const dataDir = made.copyOfBase()
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
    await updateFolder(dataDir, await made.blockFiles(290), options)
    expect(await tableDifferences(dataDir, made.base)).toEqual({})
    expect(await findDamagedTables(currentGeneration(dataDir)!)).toEqual([])
    expect((await updateFolder(dataDir, await made.blockFiles(290))).unchanged).toBe(true)
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
      const scanned = made.copyOfBase()
      const blocks = await made.blockFiles(295)
      await ingestFolder(scanned, blocks)
      const checkpoints = checkpointsIn(scanned)
      for (let first = 0; first < damages.length; first += checkpoints.length) {
        const dataDir = made.copyOf(scanned)
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
