import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { msPerDay, parseDay } from '#base/days.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { firstValuesOf } from '#test/support/first-values.ts'
import { fixture } from '#test/support/fixture.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { placesIn, temporaryFolder } from '#test/support/program.ts'

/** Genesis is from 2011-02-02, 23:16; three blocks a day follow. */
const chain = makeChain(120)

/** Height of the first block of the day after a date. */
export const heightAfter = (date: string): number => 1 + 3 * (parseDay(date) - parseDay('2011-02-02'))

/** Copies of folders with first published values, in which nights go by. */
export function useNights() {
  const folder = temporaryFolder('first-values')
  let made = ''
  let dataDir = ''
  let copies = 0
  let nights = 0
  const blocksUntil = (height: number): string => path.join(folder, `blocks-${height}`)

  async function store(target: string, from: string, closes: readonly number[]): Promise<void> {
    await withSession({ temporaryFolder: path.join(folder, 'tmp') }, (connection) => {
      const rows = closes.map((close, i) => {
        const price = { open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
        return { date: parseDay(from) + i, ...price }
      })
      return appendObservations(connection, target, tables.prices, 'import', rows, Date.now())
    })
  }

  async function publish(date: string, target: string): Promise<string> {
    // Ids are times.
    vi.setSystemTime((parseDay(date) + 1) * msPerDay + 3_600_000 + 1_000 * nights++)
    const height = heightAfter(date)
    const blocks = blocksUntil(height)
    rmSync(blocks, { recursive: true, force: true })
    await writeChain(blocks, chain, height)
    const { generation, unchanged } = await updateFolder(target, blocks)
    expect(unchanged).toBeUndefined()
    expect(generation?.last_date).toBe(date)
    return generation!.id
  }

  /** Publishes up to a day of which nothing is noted, and then a day further, which has a price or not. */
  async function begin(shared: string): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: parseDay('2011-02-20') * msPerDay })
    const { begun, unpriced, priced } = placesIn(shared, 'begun', 'unpriced', 'priced')
    await store(
      begun,
      '2011-02-03',
      Array.from({ length: 16 }, (_, i) => 1 + i / 16),
    )
    await publish('2011-02-18', begun)
    expect(existsSync(firstPublishedFolder(begun))).toBe(false)
    for (const other of [unpriced, priced]) copyFolder(begun, other)
    await publish('2011-02-19', unpriced)
    await store(priced, '2011-02-19', [2.5])
    await publish('2011-02-19', priced)
    vi.useRealTimers()
  }

  beforeAll(async () => {
    made = await fixture('first-values', begin)
    // Ids of later generations are other ones than those of the fixture.
    nights = 10
  })
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  return {
    folder,
    blocksUntil,
    /** Continues with a copy of a folder; returns its path and its newest generation. */
    copyOf(name: 'unpriced' | 'priced'): { dataDir: string; id: string } {
      dataDir = path.join(folder, `copy-${copies++}`)
      copyFolder(path.join(made, name), dataDir)
      return { dataDir, id: currentGeneration(dataDir)!.generation.id }
    },
    /** Publishes the chain up to the end of a day, some hours after it; returns the generation. */
    update: (date: string): Promise<string> => publish(date, dataDir),
    /** Closes of days in order, as a source reports them. */
    storePrices: (from: string, closes: readonly number[]): Promise<void> => store(dataDir, from, closes),
    datesOf: async (metric: string): Promise<string[]> =>
      (await firstValuesOf(dataDir, `metric = '${metric}'`)).map((row) => row.split(' ')[1]!),
  }
}
