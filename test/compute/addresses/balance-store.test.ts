import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { partitions } from '#compute/addresses/balance-pass.ts'
import { BalanceStore, settledDays } from '#compute/addresses/balance-store.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { chainDays, readScannedBlocks, readScannedChain, scannedUnits } from '#compute/scan/scanned-chain.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { networks } from '#ingest/chain/networks.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { ingestFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('balance-store')
afterAll(() => rmSync(folder, { recursive: true }))

/** Five months of blocks, eight hours apart. */
const height = 480
const keys = 120
const chain = makeChain(height + 1, undefined, keys)
const blocks = path.join(folder, 'blocks')

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
  const days = chainDays(readScannedBlocks(dataDir, chainOf))
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
const clean = (dataDir: string): void => openStore(dataDir).removeOthers(scannedUnits(readScannedChain(dataDir)!))

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
    const balances = openStore(dataDir, { maxEvents: 100 })
    const source = { kind: 'files', blocksFolder: blocks, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const ingested = await ingest({
      ...{ dataDir, network: networks.regtest, source, progress, addresses: 'all', balances },
    })
    expect(existsSync(path.join(storedIn(dataDir), 'saved.json'))).toBe(true)
    expect(filesOf(dataDir, /\.events$/).length).toBeLessThan(ingested.scanned.segments.length)
    expect(await compute(dataDir)).toEqual(expected)
  })
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
    ['a file of addresses without coins', /-(?:added|newest|joined)$/, 0.6],
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
    const days = chainDays(readScannedBlocks(dataDir, chainOf))
    expect(openStore(dataDir).isComplete(days, scannedUnits(chainOf))).toBe(false)
  })

  it('is corrected by the next scan, which reads all blocks if a merged file was damaged', async () => {
    const dataDir = path.join(folder, 'flip in the measures')
    await scan(dataDir)
    expect(await compute(dataDir)).toEqual(expected)
  })

  it('is used if it is a price of the last days, and needs all blocks again if it is of a merged day', async () => {
    const { days } = chainDays(readScannedBlocks(merged, readScannedChain(merged)!))
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
