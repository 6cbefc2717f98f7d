import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { mergeHours } from '#compute/publish/price-tables.ts'
import { mergeBars } from '#ingest/market/merged-bars.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-merged-hours-'))
afterAll(() => rmSync(dataDir, { recursive: true }))
beforeEach(() => rmSync(path.join(dataDir, 'raw'), { recursive: true, force: true }))

const cacheFolder = path.join(dataDir, 'raw', 'merged-hours')
const cachedFiles = (): string[] => readdirSync(cacheFolder)
const hour = 3_600_000
const february = Date.parse('2024-02-01')

/** Stores closes of a source by hours from the beginning of February 2024. */
const store = (source: string, closes: readonly (readonly [hours: number, close: number])[]): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, (connection) => {
    const rows = closes.map(([at, close]) => {
      const time = february + at * hour
      return { time, open: close, high: close, low: close, close, volume_btc: 1, volume_usd: close }
    })
    return appendObservations(connection, dataDir, tables.prices_hourly, source, rows, Date.now())
  })

/**
 * The merged hours as a night merges them, which must be what is merged from all; and whether some
 * were kept.
 */
const merged = (lastDay: string): Promise<{ rows: unknown[]; fromKept: boolean }> =>
  withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, async (connection) => {
    const from = await mergeHours(connection, dataDir, parseDay(lastDay))
    const read = async (rows: string): Promise<unknown[]> =>
      (await connection.runAndReadAll(`FROM ${rows} ORDER BY time`)).getRowsJson()
    const rows = await read(from)
    await mergeBars(connection, dataDir, tables.prices_hourly)
    expect(rows).toEqual(await read('prices_hourly_merged'))
    return { rows, fromKept: from.includes('read_parquet') }
  })

test('hours of old months are kept, and made anew where something was added to them or their file is damaged', async () => {
  await store('kraken', [
    ...[-700, -699, -690, -2].map((at) => [at, 40_000 + at] as const),
    ...[0, 1, 5, 1000].map((at) => [at, 43_000 + at] as const),
  ])
  await store('bitstamp', [
    [-699, 39_000],
    [5, 44_000],
  ])
  expect(await merged('2024-03-04')).toMatchObject({ fromKept: false })
  const first = await merged('2024-03-04')
  expect(first.fromKept).toBe(true)
  expect(first.rows).toHaveLength(1701)

  // A correction of an old hour, and one that was not known.
  await store('bitstamp', [
    [-699, 39_500],
    [-300, 40_500],
  ])
  expect((await merged('2024-03-04')).fromKept).toBe(false)
  expect((await merged('2024-03-05')).fromKept).toBe(true)
  expect(cachedFiles()).toHaveLength(1)

  const file = path.join(cacheFolder, cachedFiles()[0]!)
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  expect((await merged('2024-03-05')).fromKept).toBe(false)
  expect((await merged('2024-03-05')).fromKept).toBe(true)

  // New hours are merged each time.
  await store('kraken', [[1001, 50_000]])
  const grown = await merged('2024-03-06')
  expect(grown.fromKept).toBe(true)
  expect(grown.rows).toHaveLength(1702)
})

test('a price that is carried over the beginning of a month comes from the hours before it', async () => {
  await store('kraken', [
    [-3, 40_000],
    [2, 41_000],
  ])
  for (let night = 0; night < 2; night++) {
    const { rows, fromKept } = await merged('2024-03-04')
    expect(rows).toHaveLength(6)
    expect(fromKept).toBe(false)
  }
})

test('old hours without newer ones are not kept, since more are carried over behind them later', async () => {
  await store('kraken', [
    [-30, 40_000],
    [-20, 41_000],
  ])
  expect((await merged('2024-03-04')).rows).toHaveLength(11)
  await store('kraken', [[0, 42_000]])
  expect((await merged('2024-03-04')).rows).toHaveLength(31)
  expect((await merged('2024-03-04')).fromKept).toBe(true)
})
