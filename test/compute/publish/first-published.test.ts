import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { rollBack } from '#compute/publish/rollback.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { firstValuesOf } from '#test/support/first-values.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { computeFolder, updateFolder } from '#test/support/made-folder.ts'
import { placesIn, temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

/** Genesis is from 2011-02-02, 23:16; three blocks a day follow. */
const chain = makeChain(120)
const folder = temporaryFolder('first-values')
/** Published up to a day of which nothing is noted, and then a day further, which has a price or not. */
const { begun, unpriced, priced } = placesIn(folder, 'begun', 'unpriced', 'priced')
let [firstUnpriced, firstPriced] = ['', '']
let dataDir = ''
let copies = 0
let nights = 0
const blocksUntil = (height: number): string => path.join(folder, `blocks-${height}`)

/** Closes of days in order, as a source reports them. */
const storePrices = (target: string, from: string, closes: readonly number[]): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp') }, (connection) => {
    const rows = closes.map((close, i) => {
      const price = { open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
      return { date: parseDay(from) + i, ...price }
    })
    return appendObservations(connection, target, tables.prices, 'import', rows, Date.now())
  })

/** Publishes the chain up to a height, some hours after the end of a day. */
async function night(date: string, height: number, target = dataDir): Promise<string> {
  // Ids are times.
  vi.setSystemTime((parseDay(date) + 1) * msPerDay + 3_600_000 + 1_000 * nights++)
  const blocks = blocksUntil(height)
  rmSync(blocks, { recursive: true, force: true })
  await writeChain(blocks, chain, height)
  const { generation, unchanged } = await updateFolder(target, blocks)
  expect(unchanged).toBeUndefined()
  expect(generation?.last_date).toBe(date)
  return generation!.id
}

/** Height of the first block of the day after a date. */
const heightAfter = (date: string): number => 1 + 3 * (parseDay(date) - parseDay('2011-02-02'))
const update = (date: string, target = dataDir): Promise<string> => night(date, heightAfter(date), target)
const datesOf = async (metric: string): Promise<string[]> =>
  (await firstValuesOf(dataDir, `metric = '${metric}'`)).map((row) => row.split(' ')[1]!)

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: parseDay('2011-02-20') * msPerDay })
  await storePrices(
    begun,
    '2011-02-03',
    Array.from({ length: 16 }, (_, i) => 1 + i / 16),
  )
  await update('2011-02-18', begun)
  expect(existsSync(firstPublishedFolder(begun))).toBe(false)
  for (const other of [unpriced, priced]) copyFolder(begun, other)
  firstUnpriced = await update('2011-02-19', unpriced)
  await storePrices(priced, '2011-02-19', [2.5])
  firstPriced = await update('2011-02-19', priced)
  vi.useRealTimers()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
/** Continues with a copy of a folder. */
function copyOf(made: string): void {
  dataDir = path.join(folder, `copy-${copies++}`)
  copyFolder(made, dataDir)
}
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the first published values', () => {
  test('begin with the days that close after the first generation, and have every value of them', async () => {
    copyOf(priced)
    const id = firstPriced
    const known = await firstValuesOf(dataDir)
    expect(known.length).toBeGreaterThan(1_000)
    expect(known).toContain(`price 2011-02-19 2.5 ${id}`)
    expect(known.filter((row) => !row.includes(` 2011-02-19 `) || !row.endsWith(` ${id}`))).toEqual([])
    // Each is what its table has, and none is missing.
    for (const [table, where] of [
      ['metrics_valuation', 'true'],
      ['metrics_market', 'true'],
    ] as const) {
      const published = await rowsOf(
        `UNPIVOT (SELECT date, COLUMNS(* EXCLUDE date)::DOUBLE FROM ${publishedTable(dataDir, table)} WHERE date = '2011-02-19' AND ${where})
         ON COLUMNS(* EXCLUDE date) INTO NAME metric VALUE value`,
      )
      const ids = await rowsOf(
        `SELECT column_name, id FROM ${publishedTable(dataDir, 'catalogue')} WHERE table_name = '${table}'`,
      )
      const idOf = new Map(ids.map(([column, metric]) => [column, metric]))
      expect(published.length).toBeGreaterThan(10)
      const expected = published.map(([date, column, value]) => `${idOf.get(column!)} ${date} ${value} ${id}`)
      expect(expected.filter((row) => !known.includes(row))).toEqual([])
    }
    const { generation } = currentGeneration(dataDir)!
    expect(generation.first_published?.rows).toBe(known.length)
    expect(Object.keys(generation.tables)).not.toContain('first_published')
  })

  test('stay as they are if a source corrects itself, or the same days are published again', async () => {
    copyOf(priced)
    const first = firstPriced
    const before = await firstValuesOf(dataDir)
    await storePrices(dataDir, '2011-02-19', [7.5])
    const second = await update('2011-02-19')
    expect(
      await rowsOf(`SELECT price FROM ${publishedTable(dataDir, 'metrics_market')} WHERE date = '2011-02-19'`),
    ).toEqual([['7.5']])
    vi.setSystemTime(Date.now() + 60_000)
    await computeFolder(dataDir, blocksUntil(heightAfter('2011-02-19')))
    expect(currentGeneration(dataDir)!.generation.first_published).toBeUndefined()
    expect(await firstValuesOf(dataDir, `generation = '${first}'`)).toEqual(before)
    await storePrices(dataDir, '2011-02-20', [8])
    await update('2011-02-20')
    expect(await firstValuesOf(dataDir, `metric = 'price'`)).toEqual([
      `price 2011-02-19 2.5 ${first}`,
      `price 2011-02-20 8.0 ${currentGeneration(dataDir)!.generation.id}`,
    ])
    expect(await firstValuesOf(dataDir, `generation = '${second}'`)).toEqual([])
  })

  test('include those that come up to a week late, under the generation that had them', async () => {
    // Nobody reports prices for some days.
    copyOf(unpriced)
    const without = firstUnpriced
    expect(await datesOf('price')).toEqual([])
    expect(await datesOf('block_height')).toEqual(['2011-02-19'])
    await update('2011-02-27')
    expect(await datesOf('block_height')).toEqual([
      '2011-02-19',
      ...Array.from({ length: 7 }, (_, i) => isoDate(parseDay('2011-02-21') + i)),
    ])
    await storePrices(
      dataDir,
      '2011-02-19',
      Array.from({ length: 10 }, (_, i) => 3 + i),
    )
    const late = await update('2011-02-28')
    // A day that ended more than a week ago is too old, as are those before the second generation.
    expect(await firstValuesOf(dataDir, `metric = 'price'`)).toEqual(
      Array.from({ length: 7 }, (_, i) => `price ${isoDate(parseDay('2011-02-22') + i)} ${6 + i}.0 ${late}`),
    )
    expect(await firstValuesOf(dataDir, `generation = '${without}' AND metric = 'price'`)).toEqual([])
    expect(readdirSync(firstPublishedFolder(dataDir))).toEqual(['2011-02.parquet'])
  })

  test('of a machine that was off are only those of the last week', async () => {
    copyOf(unpriced)
    await update('2011-03-05')
    expect(await datesOf('block_height')).toEqual([
      '2011-02-19',
      ...Array.from({ length: 7 }, (_, i) => isoDate(parseDay('2011-02-27') + i)),
    ])
    expect(readdirSync(firstPublishedFolder(dataDir))).toEqual(['2011-02.parquet', '2011-03.parquet'])
  })

  test('are not published a second time after a rollback', async () => {
    copyOf(unpriced)
    await update('2011-02-20')
    const before = await firstValuesOf(dataDir)
    await rollBack(dataDir)
    await update('2011-02-21')
    expect((await firstValuesOf(dataDir)).filter((row) => !row.includes('2011-02-21'))).toEqual(before)
  })

  test('are added by the next run if one was killed after it had published', async () => {
    copyOf(unpriced)
    const expected = await firstValuesOf(dataDir)
    rmSync(path.join(firstPublishedFolder(dataDir), '2011-02.parquet'))
    await update('2011-02-20')
    expect((await firstValuesOf(dataDir)).filter((row) => !row.includes('2011-02-20'))).toEqual(expected)
  })

  test('of a damaged month are not replaced by later ones, and the generation says so', async () => {
    copyOf(priced)
    await update('2011-02-20')
    // The generation that could fill the gap is gone.
    rmSync(path.join(publishedFolder(dataDir), firstPriced), { recursive: true })
    const file = path.join(firstPublishedFolder(dataDir), '2011-02.parquet')
    const bytes = readFileSync(file)
    bytes[100]! ^= 4
    writeFileSync(file, bytes)
    await update('2011-02-21')
    expect(await datesOf('block_height')).toEqual(['2011-02-20', '2011-02-21'])
    expect(currentGeneration(dataDir)!.generation.notes).toContainEqual(
      expect.stringMatching(/2011-02\.parquet\.damaged is damaged: .* backup/),
    )
    // Put back from a backup.
    bytes[100]! ^= 4
    writeFileSync(path.join(firstPublishedFolder(dataDir), '2011-02-restored.parquet'), bytes)
    renameSync(`${file}.damaged`, path.join(folder, 'removed'))
    await update('2011-02-22')
    expect([...new Set(await datesOf('block_height'))]).toEqual(
      Array.from({ length: 4 }, (_, i) => isoDate(parseDay('2011-02-19') + i)),
    )
    expect(currentGeneration(dataDir)!.generation.notes.join()).not.toContain('damaged')
  })
})
