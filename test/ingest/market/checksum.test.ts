import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { verifyFile } from '#ingest/market/checksum.ts'
import { tables } from '#ingest/market/observations.ts'
import {
  appendObservations,
  readObservations,
  storedDigest,
  storedExtent,
  storedInstants,
  storedObservations,
  verifyStored,
} from '#ingest/market/store.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'

freshDataFolders()

const bar = (date: number, close: number) => ({
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume_btc: 1,
  volume_usd: null,
})
const january = Date.parse('2026-01-01') / 86_400_000
const bars = Array.from({ length: 20 }, (_, i) => bar(january + i, 90_000 + i))

async function storeBars(source = 'kraken'): Promise<string> {
  await session((connection) => appendObservations(connection, dataDir, tables.prices, source, bars, 1_000))
  return path.join(dataDir, 'raw/market/prices', source, '2026-01.parquet')
}

const damaged = (file: string) => ({ code: 'data_folder_damaged', message: expect.stringContaining(file) })

test('every flipped bit is refused', async () => {
  const file = await storeBars()
  const intact = readFileSync(file)
  const mark = 8 * intact.indexOf('coinstrata-sha256:')
  const markEnd = mark + 8 * 18
  const descriptor = openSync(file, 'r+')
  for (let bit = 0; bit < 8 * intact.length; bit += bit > mark - 100 && bit < markEnd + 100 ? 1 : 37) {
    const place = bit >> 3
    writeSync(descriptor, Uint8Array.of(intact[place]! ^ (1 << (bit & 7))), 0, 1, place)
    expect(() => verifyFile(file), `bit ${bit}`).toThrow(expect.objectContaining(damaged(file)))
    writeSync(descriptor, intact, place, 1, place)
  }
  closeSync(descriptor)
})

test('no reader returns anything of a damaged file, and no update goes on', async () => {
  const file = await storeBars()
  flipBit(file, 125)
  await session(async (connection) => {
    for (const read of [
      () => readObservations(connection, dataDir, tables.prices),
      () => storedInstants(connection, dataDir, tables.prices, 'kraken', {}),
      () => storedExtent(connection, dataDir, tables.prices, 'kraken'),
      () => appendObservations(connection, dataDir, tables.prices, 'kraken', [bar(january, 1)], 2_000),
      async () => storedObservations(dataDir, tables.prices),
      async () => storedDigest(dataDir, tables.prices, Date.parse('2026-02-01')),
      async () => verifyStored(dataDir),
    ])
      await expect(read(), String(read)).rejects.toMatchObject(damaged(file))
    // A month that is not wanted is not read.
    expect(storedObservations(dataDir, tables.prices, Date.parse('2026-02-01'))).toBeUndefined()
  })
})

test.each([
  ['kraken', 'remove it and run "coinstrata fetch kraken --since 2026-01-01"'],
  ['import', 'remove it and import its observations again'],
  ['simulated', 'remove it and run "coinstrata update"'],
  ['okx-snapshots', 'remove it and do without its observations, which nobody offers a second time'],
])('a damaged file of %s comes with its cure', async (source, cure) => {
  const file = await storeBars(source)
  flipBit(file, 9)
  expect(() => verifyFile(file)).toThrow(expect.objectContaining({ cure: expect.stringContaining(cure) }))
})

test('a file without its checksum is refused', async () => {
  const file = await storeBars()
  const bytes = readFileSync(file)
  const at = bytes.indexOf('coinstrata-sha256:')
  writeFileSync(file, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 18 + 64)]))
  expect(() => verifyStored(dataDir)).toThrow(expect.objectContaining(damaged(file)))
})

test.each([0, 3, 12, 900])('a file that was cut after %i bytes is refused', async (bytes) => {
  const file = await storeBars()
  truncateSync(file, Math.min(bytes, statSync(file).size))
  expect(() => verifyStored(dataDir)).toThrow(expect.objectContaining(damaged(file)))
})

test('adding to a month replaces its checksum', async () => {
  const file = await storeBars()
  const before = verifyFile(file)
  await session((connection) => appendObservations(connection, dataDir, tables.prices, 'kraken', [bar(january, 1)], 2))
  expect(verifyFile(file)).not.toBe(before)
})

test('the hash of all observations distinguishes their places', async () => {
  const file = await storeBars()
  const one = verifyStored(dataDir)
  const other = path.join(dataDir, 'raw/market/prices/bitstamp')
  mkdirSync(other)
  copyFileSync(file, path.join(other, '2026-01.parquet'))
  expect(verifyStored(dataDir)).not.toBe(one)
})
