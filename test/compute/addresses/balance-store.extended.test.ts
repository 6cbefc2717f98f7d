import { cpSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AddressEvents, eventWords } from '#compute/addresses/address-events.ts'
import { settledDays } from '#compute/addresses/balance-store.ts'
import { packEvents, partitions } from '#compute/addresses/packed-events.ts'
import { readScannedBlocks, readScannedChain } from '#compute/scan/scanned-chain.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { writeSimulatedHours, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { Random } from '#test/support/random.ts'
import {
  blocks,
  type Choices,
  chain,
  clean,
  closes,
  compute,
  expected,
  expectRows,
  filesOf,
  folder,
  height,
  keys,
  merged,
  openStore,
  scan,
  scanned,
  scanTo,
  useBalanceStores,
} from './support/balance-stores.ts'

useBalanceStores()

const p2pkh = scriptTypes.indexOf('p2pkh')
const step = scriptTypes.indexOf('p2wpkh') - p2pkh

describe('the measures of all addresses', () => {
  it.each<[string, Choices]>([
    ['in threads', { inThreads: true }],
    ['some events at a time in threads', { maxEvents: 900, inThreads: true }],
  ])('are the same, merged %s', async (name, choices) => {
    const dataDir = path.join(folder, name)
    cpSync(scanned, dataDir, { recursive: true })
    expectRows(await compute(dataDir, choices), expected)
    // Nothing is merged twice.
    expectRows(await compute(dataDir, choices), expected)
  })

  it('are the same of a chain that grows by days, whose merged events are gone', async () => {
    const dataDir = path.join(folder, 'grown')
    for (const to of [20, 240, 303, 309]) {
      await scanTo(dataDir, to)
      await compute(dataDir)
    }
    await scanTo(dataDir, height)
    expectRows(await compute(dataDir), expected)
    const { segments } = readScannedChain(dataDir)!
    expect(filesOf(dataDir, /\.events$/).length).toBeLessThan(segments.length)
    clean(dataDir)
    expect(filesOf(dataDir, /./).length).toBeLessThan(partitions * 3 + 3 + segments.length)
    expectRows(await compute(dataDir), expected)
  })
})

it('eight years of addresses that rest for up to six are the same, merged at once or in many parts', async () => {
  const random = new Random(8)
  const [firstDay, dayCount, daysPerUnit] = [15_000, 2_900, 60]
  const wallets = Array.from({ length: 60 }, (_, i) => ({
    // Every second one is the other address of the key before it.
    ...{
      high: (0x0100_0000 * (i >> 1) * 7 + 0x1000 + (i & 1)) >>> 0,
      low: 17 * (i >> 1),
      type: p2pkh + (i & 1) * step,
    },
    coins: [] as [created: number, sats: number][],
    restsUntil: 0,
  }))
  const days = Int32Array.from({ length: dayCount + 1 }, (_, i) => firstDay + i)
  const chainOf = { hashes: new Uint8Array(32 * days.length), days }
  const price = Float64Array.from({ length: dayCount }, (_, day) => 100 + 50 * Math.sin(day / 40))
  const [few, some] = [120, 500]
  const stores = [1e6, few, some].map((maxEvents) => openStore(path.join(folder, `years-${maxEvents}`), { maxEvents }))
  const units: { key: string; firstHeight: number; lastHeight: number }[] = []
  const sizes: number[] = []
  for (let from = 0; from < dayCount; from += daysPerUnit) {
    const events = new AddressEvents()
    for (let day = firstDay + from; day < firstDay + Math.min(dayCount, from + daysPerUnit); day++) {
      for (let n = random.between(0, 4); n > 0; n--) {
        const wallet = wallets[random.between(0, wallets.length - 1)]!
        if (wallet.restsUntil > day) continue
        const { high, low, type, coins } = wallet
        const sats = random.between(1, 40e8)
        coins.push([day, sats])
        events.add(day, day, type, high, low, sats)
        if (random.next() < 0.5) continue
        // Half the time it spends all, often to rest for years afterwards.
        for (const [created, value] of coins.splice(0)) events.add(day, created, type, high, low, -value)
        if (random.next() < 0.4) wallet.restsUntil = day + random.between(1, 2_200)
      }
    }
    const lastHeight = Math.min(dayCount, from + daysPerUnit) - 1
    units.push({ key: `from-${from}`, firstHeight: from, lastHeight })
    sizes.push(events.words.length / eventWords)
    const file = packEvents(events.words)
    for (const store of stores) store.write(`from-${from}`, file)
  }
  // Some units have more than are merged at a time, and others fit several times.
  expect(Math.max(...sizes)).toBeGreaterThan(few)
  expect(Math.max(...sizes)).toBeLessThan(some / 2)
  const last = firstDay + dayCount - 1
  const [expected, ...others] = await Promise.all(
    stores.map((store) => store.compute(chainOf, units, { price, cost: price }, last)),
  )
  for (const rows of others) expectRows(rows, expected!)
  const sumOf = (name: string): number =>
    expected!
      .filter((_, i) => i % balanceMeasureNames.length === balanceMeasureNames.indexOf(name))
      .reduce((a, b) => a + b)
  for (const name of ['reactivated_1y', 'reactivated_5y', 'emptied']) expect(sumOf(name), name).toBeGreaterThan(3)
  expect(sumOf('new')).toBe(wallets.length)
})

it('an update reads no block again, although coins are valued by the hour', async () => {
  const dataDir = path.join(folder, 'hourly')
  const { timestamp: time } = chain[0]!.block
  const first = time - (time % 86_400)
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    const bar = (close: number) => ({ open: close, high: close, low: close, close, volume: 1 })
    const days = Array.from({ length: 165 }, (_, i) => ({ day: first / 86_400 + i, ...bar(1000 + i) }))
    await writeSimulatedPrices(connection, dataDir, days)
    // None of them is the close of its day.
    const hours = Array.from({ length: 165 * 24 }, (_, i) => ({ time: 1000 * (first + 3600 * i), ...bar(2000 + i) }))
    await writeSimulatedHours(connection, dataDir, hours)
  })
  const choices = { addresses: 'all', pricing: 'hourly' } as const
  // The chain grows in its last files; the others are merged, and their outputs gone.
  const grown = path.join(folder, 'hourly-blocks')
  await writeChain(grown, chain, height - 60)
  expect((await updateFolder(dataDir, grown, {}, choices)).blocks).toBe(height - 59)
  expect((await updateFolder(dataDir, blocks, {}, choices)).blocks).toBeLessThan(height / 2)
  expect(filesOf(dataDir, /^saved\.json$/)).toHaveLength(1)
  expect((await updateFolder(dataDir, blocks, {}, choices)).blocks).toBe(0)
})

describe('a change in what the balances follow from', () => {
  it('is used if it is a price of the last days, and needs all blocks again if it is of a merged day', async () => {
    const { days } = readScannedBlocks(merged, readScannedChain(merged)!)
    const last = days.at(-1)! - 1 - days[0]!
    for (const day of [last - settledDays + 1, last - settledDays]) {
      const findCloses = closes({ day, close: 5000 })
      const [fresh, dataDir] = [path.join(folder, `fresh-${day}`), path.join(folder, `corrected-${day}`)]
      cpSync(scanned, fresh, { recursive: true })
      cpSync(merged, dataDir, { recursive: true })
      const correct = await compute(fresh, { findCloses })
      expect(correct).not.toEqual(expected)
      if (day <= last - settledDays) {
        await expect(compute(dataDir, { findCloses })).rejects.toMatchObject({ code: 'data_not_ready' })
        await scan(dataDir)
      }
      expectRows(await compute(dataDir, { findCloses }), correct)
    }
  })

  it.each([
    ['after', height - 20],
    ['before', 300],
  ])('is followed if it is another branch from a block %s the last merged one on', async (name, from) => {
    const other = makeChain(height + 7, from, keys)
    const [fresh, followed] = [path.join(folder, `branch-${name}`), path.join(folder, `followed-${name}`)]
    await scanTo(fresh, height + 6, other)
    const correct = await compute(fresh)
    cpSync(merged, followed, { recursive: true })
    await scanTo(followed, height + 6, other)
    expectRows(await compute(followed), correct)
  })
})
