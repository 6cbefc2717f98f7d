import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { Scan } from '#compute/scan/scan.ts'
import { type ScannedChain, writeScannedChain } from '#compute/scan/scanned-chain.ts'
import { writeSegment } from '#compute/scan/segments.ts'
import { networks } from '#ingest/chain/networks.ts'
import { publishedFolder } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { decoded, type TestBlock } from '#test/support/decoded-blocks.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

const day = 86_400
const first = 14_247 * day
const btc = 100_000_000n
/** As much as one output can hold. */
const whale = 2_100_000_000_000_000
const empty: TestBlock = { coinbase: 0, transactions: [] }

/** A coin created in the block at `from`, spent whole `times` times, and once more as `sats`. */
const moved = (from: number, times: number, sats: number): TestBlock => ({
  coinbase: 0,
  transactions: [...new Array<number>(times).fill(whale), sats].map((one) => ({ spends: [[from, one]], paysOut: one })),
})

/**
 * Days since the first, seconds of the day, block. The middle of the second day is in another file.
 */
const blocks: readonly (readonly [number, number, TestBlock])[] = [
  [0, 0, empty],
  [1, 0, empty],
  // Spent at once, within the hour, and after three hours.
  [1, 1000, moved(2, 8, 0)],
  [1, 2000, moved(2, 7, 12_345)],
  [1, 13_000, moved(2, 8, 1_699_999_999_987_655)],
  // Moved by mainnet on 2016-01-24.
  [2, 0, empty],
  [2, 5000, moved(5, 3, 435_430_300_000_000)],
  // The open day has spends too, which are not published.
  [3, 0, empty],
  [3, 1000, moved(7, 1, 0)],
]
const files = [
  [0, 1, 2, 4],
  [3, 5, 6, 7, 8],
]

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-large-days-'))
const table = (name: string): string => publishedTable(folder, name)

beforeAll(async () => {
  mkdirSync(path.join(folder, 'raw'), { recursive: true })
  mkdirSync(publishedFolder(folder))
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    const segments = files.map((_, i) => `file${i}`)
    for (const [i, heights] of files.entries()) {
      const scan = new Scan(networks.regtest, {
        times: Uint32Array.from(blocks, ([days, seconds]) => first + days * day + seconds),
        days: Int32Array.from(blocks, ([days]) => first / day + days),
      })
      for (const height of heights) scan.addBlock(height, decoded(blocks[height]?.[2] ?? empty))
      await writeSegment(folder, segments[i] ?? '', withTimes(scan.finish()), false)
    }
    const times = Uint32Array.from(blocks, ([days, seconds]) => first + days * day + seconds)
    const scanned: ScannedChain = {
      version: 3,
      network: 'regtest',
      source: 'files',
      node: null,
      notes: [],
      work: '1',
      segments,
      lastHeights: files.map((heights) => heights.at(-1)!),
      tip: { height: blocks.length - 1, hash: 'f'.repeat(64) },
    }
    writeScannedChain(folder, { hashes: new Uint8Array(32 * blocks.length), times }, scanned)
    await buildGeneration(connection, folder, scanned, { pricing: 'hourly' })
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The headers' own times, which the decoder reads. */
function withTimes(result: ReturnType<Scan['finish']>): ReturnType<Scan['finish']> {
  const { height, time, bits } = result.blocks
  height.forEach((at, row) => {
    const [days = 0, seconds = 0] = blocks[at] ?? []
    time[row] = first + days * day + seconds
    bits[row] = 0x207f_ffff
  })
  return result
}

it('publishes a day of 500 million BTC, and one of 67,354,303, to the satoshi', async () => {
  const large = 500_000_000n * btc
  const mainnets = 67_354_303n * btc
  expect(await rowsOf(`SELECT spent_sats, created_sats, supply_sats FROM ${table('days')} ORDER BY date`)).toEqual([
    ['0', '0', '0'],
    [String(large), String(large), '0'],
    [String(mainnets), String(mainnets), '0'],
  ])
  expect(await rowsOf(`SELECT date - created_date, spent_sats FROM ${table('flows')} ORDER BY date`)).toEqual([
    ['0', String(large)],
    ['0', String(mainnets)],
  ])
  expect(await rowsOf(`SELECT spent_sats_under_1h FROM ${table('young_spends')} ORDER BY date`)).toEqual([
    [String(15n * BigInt(whale) + 12_345n)],
    ['0'],
  ])
  const [, ofDay] = await rowsOf(
    `SELECT supply_sats, spent_volume, spent_volume_1h FROM ${table('cohorts')} WHERE cohort = 'all' ORDER BY date`,
  )
  const afterHour = Number(large - 15n * BigInt(whale) - 12_345n) / 1e8
  expect(ofDay).toEqual(['0', '500000000.0', String(afterHour)])
})
