import { cpSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { BalanceStore } from '#compute/addresses/balance-store.ts'
import { readScannedBlocks, readScannedChain, scannedUnits } from '#compute/scan/scanned-chain.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { ingestFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'

/** Block files of the current test file, and a data folder that is scanned and not merged. */
export let folder: string
export let blocks: string
export let scanned: string
/** The same, merged. */
export let merged: string
/** The measures of all days. */
export let expected: Float64Array

/** Four months of blocks, eight hours apart. */
export const height = 360
export const keys = 120
export const chain = makeChain(height + 1, undefined, keys)

export const closes = (change?: { readonly day: number; readonly close: number }) => (days: number) =>
  Float64Array.from({ length: days }, (_, day) =>
    day === change?.day ? change.close : 1000 + Math.round(400 * Math.sin(day / 9)),
  )

export interface Choices {
  readonly findCloses?: (days: number) => Float64Array
  readonly maxEvents?: number
  readonly inThreads?: boolean
}

export function openStore(
  dataDir: string,
  { findCloses = closes(), maxEvents = 1e6, inThreads = false }: Choices = {},
) {
  const findBasis = ({ days }: { readonly days: Int32Array }) => {
    const price = findCloses(days.at(-1)! - days[0]!)
    return { price, cost: price }
  }
  return new BalanceStore(dataDir, findBasis, { maxEvents, eventsWithoutThreads: inThreads ? 0 : 1e6 })
}

/** The measures of all days. */
export async function compute(dataDir: string, choices: Choices = {}): Promise<Float64Array> {
  const chainOf = readScannedChain(dataDir)!
  const days = readScannedBlocks(dataDir, chainOf)
  const last = days.days.at(-1)! - 1
  const price = (choices.findCloses ?? closes())(last + 1 - days.days[0]!)
  const basis = { price, cost: price }
  const rows = await openStore(dataDir, choices).compute(days, scannedUnits(chainOf), basis, last)
  expect(rows).toHaveLength(balanceMeasureNames.length * (last + 1 - days.days[0]!))
  return rows
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Matchers take a second for so many numbers: they only describe a difference. */
export function expectRows(rows: Float64Array, expected: Float64Array): void {
  if (!toBytes(rows).equals(toBytes(expected))) expect(rows).toEqual(expected)
}

export const scan = (dataDir: string, from = blocks) => ingestFolder(dataDir, from, { addresses: 'all' })

export const storedIn = (dataDir: string): string => path.join(dataDir, 'raw/balances')
export const filesOf = (dataDir: string, pattern: RegExp): string[] =>
  readdirSync(storedIn(dataDir)).filter((name) => pattern.test(name))

/** Removes files that were replaced. */
export const clean = (dataDir: string): void => {
  const chainOf = readScannedChain(dataDir)!
  openStore(dataDir).removeOthers(readScannedBlocks(dataDir, chainOf), scannedUnits(chainOf))
}

export async function scanTo(dataDir: string, to: number, from = chain): Promise<void> {
  const grown = `${dataDir}-blocks`
  rmSync(grown, { recursive: true, force: true })
  await writeChain(grown, from, to)
  await scan(dataDir, grown)
}

/** Scans the chain and computes its measures at once, for the tests of a file. */
export function useBalanceStores(): void {
  beforeAll(async () => {
    folder = temporaryFolder('balance-store')
    blocks = path.join(folder, 'blocks')
    scanned = path.join(folder, 'scanned')
    await writeChain(blocks, chain, height)
    await scan(scanned)
    merged = path.join(folder, 'merged')
    cpSync(scanned, merged, { recursive: true })
    expected = await compute(merged)
    clean(merged)
  })
  afterAll(() => rmSync(folder, { recursive: true }))
}
