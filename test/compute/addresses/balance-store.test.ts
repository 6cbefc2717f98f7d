import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { BalanceStore, settledDays } from '#compute/addresses/balance-store.ts'
import { packEvents, partitions } from '#compute/addresses/packed-events.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { readScannedBlocks, readScannedChain, scannedUnits } from '#compute/scan/scanned-chain.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedHours, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { ingestFolder, updateFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('balance-store')
afterAll(() => rmSync(folder, { recursive: true }))

/** Five months of blocks, eight hours apart. */
const height = 480
const keys = 120
const chain = makeChain(height + 1, undefined, keys)
const blocks = path.join(folder, 'blocks')

const p2pkh = scriptTypes.indexOf('p2pkh')
const step = scriptTypes.indexOf('p2wpkh') - p2pkh

const closes = (change?: { readonly day: number; readonly close: number }) => (days: number) =>
  Float64Array.from({ length: days }, (_, day) =>
    day === change?.day ? change.close : 1000 + Math.round(400 * Math.sin(day / 9)),
  )

interface Choices {
  readonly findCloses?: (days: number) => Float64Array
  readonly maxEvents?: number
  readonly inThreads?: boolean
}

function openStore(dataDir: string, { findCloses = closes(), maxEvents = 1e6, inThreads = false }: Choices = {}) {
  const findBasis = ({ days }: { readonly days: Int32Array }) => {
    const price = findCloses(days.at(-1)! - days[0]!)
    return { price, cost: price }
  }
  return new BalanceStore(dataDir, findBasis, { maxEvents, eventsWithoutThreads: inThreads ? 0 : 1e6 })
}

/** The measures of all days. */
async function compute(dataDir: string, choices: Choices = {}): Promise<Float64Array> {
  const chainOf = readScannedChain(dataDir)!
  const days = readScannedBlocks(dataDir, chainOf)
  const last = days.days.at(-1)! - 1
  const price = (choices.findCloses ?? closes())(last + 1 - days.days[0]!)
  const basis = { price, cost: price }
  const rows = await openStore(dataDir, choices).compute(days, scannedUnits(chainOf), basis, last)
  expect(rows).toHaveLength(balanceMeasureNames.length * (last + 1 - days.days[0]!))
  return rows
}

const scan = (dataDir: string, from = blocks) => ingestFolder(dataDir, from, { addresses: 'all' })

const storedIn = (dataDir: string): string => path.join(dataDir, 'raw/balances')
const filesOf = (dataDir: string, pattern: RegExp): string[] =>
  readdirSync(storedIn(dataDir)).filter((name) => pattern.test(name))

/** Removes files that were replaced. */
const clean = (dataDir: string): void => {
  const chainOf = readScannedChain(dataDir)!
  openStore(dataDir).removeOthers(readScannedBlocks(dataDir, chainOf), scannedUnits(chainOf))
}

async function scanTo(dataDir: string, to: number, from = chain): Promise<void> {
  const grown = `${dataDir}-blocks`
  rmSync(grown, { recursive: true, force: true })
  await writeChain(grown, from, to)
  await scan(dataDir, grown)
}

/** Scanned and not merged. */
const scanned = path.join(folder, 'scanned')

let expected: Float64Array

beforeAll(async () => {
  await writeChain(blocks, chain, height)
  await scan(scanned)
  const dataDir = path.join(folder, 'whole')
  cpSync(scanned, dataDir, { recursive: true })
  expected = await compute(dataDir)
})

describe('the measures of all addresses', () => {
  it.each<[string, Choices]>([
    ['a few events at a time', { maxEvents: 60 }],
    ['in threads', { inThreads: true }],
    ['a few events at a time in threads', { maxEvents: 300, inThreads: true }],
  ])('are the same, merged %s', async (name, choices) => {
    const dataDir = path.join(folder, name)
    cpSync(scanned, dataDir, { recursive: true })
    expect(await compute(dataDir, choices)).toEqual(expected)
    // Nothing is merged twice.
    expect(await compute(dataDir, choices)).toEqual(expected)
  })

  it('are the same of a chain that grows by days, whose merged events are gone', async () => {
    const dataDir = path.join(folder, 'grown')
    for (const to of [20, 240, 303, 309]) {
      await scanTo(dataDir, to)
      await compute(dataDir)
    }
    await scanTo(dataDir, height)
    expect(await compute(dataDir)).toEqual(expected)
    const { segments } = readScannedChain(dataDir)!
    expect(filesOf(dataDir, /\.events$/).length).toBeLessThan(segments.length)
    clean(dataDir)
    expect(filesOf(dataDir, /./).length).toBeLessThan(partitions * 3 + 3 + segments.length)
    expect(await compute(dataDir)).toEqual(expected)
  })

  it('are the same if a scan merges the first days before it knows the last ones', async () => {
    const dataDir = path.join(folder, 'meanwhile')
    const stores = [openStore(dataDir, { maxEvents: 100 })]
    const source = { kind: 'files', blocksFolder: blocks, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const ingested = await ingest({
      dataDir,
      network: networks.regtest,
      source,
      progress,
      addresses: 'all',
      stores,
    })
    expect(existsSync(path.join(storedIn(dataDir), 'saved.json'))).toBe(true)
    expect(filesOf(dataDir, /\.events$/).length).toBeLessThan(ingested.scanned.segments.length)
    expect(await compute(dataDir)).toEqual(expected)
  })
})

it('eight years of addresses that rest for up to six are the same, merged at once or in many parts', async () => {
  const random = new Random(8)
  const [firstDay, dayCount] = [15_000, 2_900]
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
  const stores = [1e6, 90, 400].map((maxEvents) => openStore(path.join(folder, `years-${maxEvents}`), { maxEvents }))
  const units: { key: string; firstHeight: number; lastHeight: number }[] = []
  for (let from = 0; from < dayCount; from += 30) {
    const events = new AddressEvents()
    for (let day = firstDay + from; day < firstDay + Math.min(dayCount, from + 30); day++) {
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
    const lastHeight = Math.min(dayCount, from + 30) - 1
    units.push({ key: `from-${from}`, firstHeight: from, lastHeight })
    const file = packEvents(events.words)
    for (const store of stores) store.write(`from-${from}`, file)
  }
  const last = firstDay + dayCount - 1
  const [expected, ...others] = await Promise.all(
    stores.map((store) => store.compute(chainOf, units, { price, cost: price }, last)),
  )
  for (const rows of others) expect(rows).toEqual(expected)
  const sumOf = (name: string): number =>
    expected!
      .filter((_, i) => i % balanceMeasureNames.length === balanceMeasureNames.indexOf(name))
      .reduce((a, b) => a + b)
  for (const name of ['reactivated_1y', 'reactivated_5y', 'emptied']) expect(sumOf(name), name).toBeGreaterThan(3)
  expect(sumOf('new')).toBe(wallets.length)
})

it.each([false, true])('an address that spends more than it holds is refused, in threads: %s', async (inThreads) => {
  const dataDir = path.join(folder, `overspent-${inThreads}`)
  const day = 20_000
  const events = new AddressEvents()
  events.add(day, day, 1, 0x2345_6789, 7, 5e8)
  events.add(day + 1, day, 1, 0x2345_6789, 7, -5e8 - 1)
  const store = openStore(dataDir, { inThreads })
  store.write('one', packEvents(events.words))
  const days = { hashes: new Uint8Array(32 * 4), days: Int32Array.of(day, day + 1, day + 2, day + 3) }
  const basis = { price: new Float64Array(3), cost: new Float64Array(3) }
  const computed = store.compute(days, [{ key: 'one', firstHeight: 0, lastHeight: 3 }], basis, day + 2)
  await expect(computed).rejects.toThrow(new RangeError('on 2024-10-05 an address holds -1 satoshis'))
  await computed.catch((error: unknown) => expect(error).toBeInstanceOf(RangeError))
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
  const merged = path.join(folder, 'merged')

  beforeAll(async () => {
    cpSync(scanned, merged, { recursive: true })
    await compute(merged)
    clean(merged)
  })

  it.each([
    ['saved.json', /^saved\.json$/, 0.5],
    ['a file of addresses with coins', /-funded$/, 0.3],
    ['a file of addresses without coins', /-(?:emptied|newest)$/, 0.6],
    ['the sums', /-sums$/, 0.5],
    ['the measures', /-rows$/, 0.99],
    ['the numbers of events', /\.events$/, 0],
    ['the events', /\.events$/, 0.99],
  ])('is found if it is a flipped bit in %s', async (name, pattern, share) => {
    const dataDir = path.join(folder, `flip in ${name}`)
    cpSync(merged, dataDir, { recursive: true })
    const sizeOf = (name: string): number => statSync(path.join(storedIn(dataDir), name)).size
    const file = filesOf(dataDir, pattern).findLast((one) => sizeOf(one) > 0)
    if (file === undefined) return expect.fail(filesOf(dataDir, /./).join(' '))
    const bytes = readFileSync(path.join(storedIn(dataDir), file))
    bytes[Math.floor(share * bytes.length)]! ^= 4
    writeFileSync(path.join(storedIn(dataDir), file), bytes)
    await expect(compute(dataDir)).rejects.toMatchObject({ code: 'data_not_ready' })
    const chainOf = readScannedChain(dataDir)!
    const days = readScannedBlocks(dataDir, chainOf)
    expect(openStore(dataDir).isComplete(days, scannedUnits(chainOf))).toBe(false)
  })

  it('is corrected by the next scan, which reads all blocks if a merged file was damaged', async () => {
    const dataDir = path.join(folder, 'flip in the measures')
    await scan(dataDir)
    expect(await compute(dataDir)).toEqual(expected)
  })

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
      expect(await compute(dataDir, { findCloses })).toEqual(correct)
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
    expect(await compute(followed)).toEqual(correct)
  })
})
