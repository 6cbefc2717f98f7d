import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAndScan } from '#compute/scan/initial-scan.ts'
import { segmentKey } from '#compute/scan/segments.ts'
import type { ScanUnits } from '#compute/scan/unit-scanner.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import type { FileUnit } from '#ingest/chain/file-unit.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { networks } from '#ingest/chain/networks.ts'
import { makeChain, writeChain } from '../../support/made-chain.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-first-'))
afterAll(() => rmSync(folder, { recursive: true }))

const network = networks.regtest
const inOrder = path.join(folder, 'in-order')
const shuffled = path.join(folder, 'shuffled')

beforeAll(async () => {
  const chain = makeChain(1_201)
  for (const into of [inOrder, shuffled]) await writeChain(into, chain, 1_200)
  // Blocks that arrived before their parents: three files later, and next to each other.
  for (const [one, other] of [
    [5, 8],
    [12, 13],
  ] as const) {
    for (const kind of ['blk', 'rev']) {
      const [first, second] = [one, other].map((number) =>
        path.join(shuffled, `${kind}${String(number).padStart(5, '0')}.dat`),
      ) as [string, string]
      renameSync(first, `${first}.aside`)
      renameSync(second, first)
      renameSync(`${first}.aside`, second)
    }
  }
})

const nothing = {
  keys: [],
  lastHeights: [],
  unproved: [],
  refetched: [],
  unclaimedUndo: 0,
  unclaimedAtEnd: 0,
  corrected: 0,
  blocks: 0,
  bytes: 0,
}

const unitKey = (unit: FileUnit): string => segmentKey(unit.hashes, 'off')

/** Reads a folder for the first time and records the files to scan meanwhile. */
async function readWith(blocksFolder: string, scan: (files: readonly string[]) => Promise<void>, skipBytes = 0) {
  const blocks = openBlockFolder(blocksFolder)
  const cache = mkdtempSync(path.join(folder, 'cache'))
  const scanned: string[] = []
  const ahead: number[] = []
  const scanUnits: ScanUnits = async (_, units) => {
    const files = (units as readonly FileUnit[]).map(({ blockFile }) => blockFile)
    await scan(files)
    ahead.push(readdirSync(cache).length - scanned.length - files.length)
    scanned.push(...(units as readonly FileUnit[]).map(unitKey))
    return nothing
  }
  const tree = await readAndScan(blocks, network, cache, scanUnits, skipBytes)
  return { scanned, ahead, units: planFileUnits(blocks, network, tree.bestChain()), files: blocks.fileNumbers.length }
}

describe('the first reading of block files', () => {
  it.each([
    ['in order', inOrder],
    ['of which some arrived before their parents', shuffled],
  ])('hands files %s to the scan as they are read, as the chain then needs them', async (_, blocksFolder) => {
    const { scanned, units, files } = await readWith(blocksFolder, () => setTimeout(1))
    expect(files).toBeGreaterThan(20)
    const needed = units.map(unitKey)
    expect(new Set(scanned).size).toBe(scanned.length)
    expect(needed).toEqual(expect.arrayContaining(scanned))
    // All but what may still grow, and the last files that were read.
    expect(scanned.length).toBeGreaterThan(files - 2 - 4 - 4)
  })

  it('is never far ahead of the scan, so that the page cache still holds what it needs', async () => {
    const { ahead, files } = await readWith(inOrder, () => setTimeout(300))
    expect(ahead.length).toBeGreaterThan(1)
    expect(Math.max(...ahead)).toBeLessThanOrEqual(8)
    expect(Math.max(...ahead)).toBeLessThan(files / 2)
  })

  it('leaves the newest files to the scan that proves them', async () => {
    const { scanned, units, files } = await readWith(inOrder, () => setTimeout(1), 10 * 2 ** 14)
    expect(scanned.length).toBeGreaterThan(0)
    // Files have just under 2^14 bytes, so that eleven of them hold so much.
    expect(units.slice(-11).map(unitKey)).not.toEqual(expect.arrayContaining([expect.toBeOneOf(scanned)]))
    expect(scanned.length).toBeLessThanOrEqual(files - 11)
    expect(await readWith(inOrder, () => setTimeout(1), 1e9)).toMatchObject({ scanned: [] })
  })

  it('ends with the failure of the scan', async () => {
    const failing = readWith(inOrder, async (files) => {
      if (files.some((file) => file.includes('blk00009'))) throw new Error('damaged')
    })
    await expect(failing).rejects.toThrow('damaged')
  })

  it('happens once: what is remembered needs no reading', async () => {
    const blocks = openBlockFolder(inOrder)
    const cache = mkdtempSync(path.join(folder, 'cache'))
    const calls: number[] = []
    const scanUnits: ScanUnits = async (_, units) => {
      calls.push(units.length)
      return nothing
    }
    await readAndScan(blocks, network, cache, scanUnits, 0)
    const first = calls.length
    await readAndScan(blocks, network, cache, scanUnits, 0)
    expect(first).toBeGreaterThan(1)
    expect(calls.length).toBe(first)
  })
})
