import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crypto } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks, subsidySats } from '#ingest/chain/networks.ts'
import type { ChainTotals } from '#ingest/simulated/block-storage.ts'
import { BlockStorage } from '#ingest/simulated/block-storage.ts'
import { writeFullBlocks } from '#ingest/simulated/full-blocks.ts'
import { type ChainBlock, type CoreFiles, findChain, readCoreFiles } from './core-files.ts'
import { readUndo, type UndoEntry } from './core-undo.ts'

const folder = mkdtempSync(join(tmpdir(), 'coinstrata-full-blocks-'))
const { magic } = networks.simulated
const key = Buffer.from('0102030405060708', 'hex')
const tipHeight = 400
const full = { bodies: 2, repeats: 2 }
const firstFull = tipHeight + 1 - full.bodies * full.repeats
let totals: ChainTotals
let files: CoreFiles
let chain: ChainBlock[]
let undo: UndoEntry[][][]

beforeAll(async () => {
  const storage = new BlockStorage({ folder, magic, key, fileBytes: 2 ** 24 })
  totals = await writeFullBlocks({ seed: 1, tipHeight, storage, ...full, onHeight: () => {} })
  files = readCoreFiles(folder)
  chain = findChain(files, totals.tipHash).chain
  // In chain order, because there are no stale blocks.
  undo = files.undo.map(({ bytes }) => readUndo(bytes.subarray(0, -32)))
})

afterAll(() => rmSync(folder, { recursive: true }))

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

describe('full blocks', () => {
  it('are sound, and of the size and shape of modern ones', () => {
    expect(chain).toHaveLength(tipHeight + 1)
    for (const { block, bytes, height } of chain) {
      expect(block.checkTxRoots()).toBe(true)
      expect(block.checkProofOfWork()).toBe(true)
      if (height < firstFull) continue
      expect(bytes.length).toBeGreaterThan(1_450_000)
      expect(bytes.length).toBeLessThan(1_750_000)
      expect(block.transactions?.length).toBe(3001)
      const inputs = undo[height - 1]?.flat().length ?? 0
      expect(inputs).toBeGreaterThan(6700)
      expect(inputs).toBeLessThan(7300)
    }
  })

  it('have undo records with the right checksums that pay for every transaction', () => {
    for (const { block, height } of chain.slice(1)) {
      const record = files.undo[height - 1]?.bytes ?? Buffer.alloc(32)
      const parent = Buffer.from(chain[height - 1]?.hash ?? '', 'hex').reverse()
      expect(crypto.hash256(Buffer.concat([parent, record.subarray(0, -32)]))).toEqual(
        new Uint8Array(record.subarray(-32)),
      )
      let fees = 0n
      for (const [i, transaction] of (block.transactions ?? []).slice(1).entries()) {
        const spent = undo[height - 1]?.[i] ?? []
        expect(spent).toHaveLength(transaction.ins.length)
        const fee = sum(spent.map(({ sats }) => sats)) - sum(transaction.outs.map(({ value }) => value))
        expect(fee).toBeGreaterThanOrEqual(0n)
        fees += fee
      }
      expect(sum(block.transactions?.[0]?.outs.map(({ value }) => value) ?? [])).toBe(
        BigInt(subsidySats(networks.simulated, height)) + fees,
      )
    }
  })

  it('never spend more of a height than was created there, and know what is left', () => {
    const left = Array.from({ length: tipHeight + 1 }, () => ({ count: 0, sats: 0n }))
    for (const { block, height } of chain.slice(1)) {
      for (const { script, value } of (block.transactions ?? []).flatMap(({ outs }) => outs)) {
        if (script[0] === 0x6a || script.length > 10_000) continue
        left[height]!.count++
        left[height]!.sats += value
      }
      for (const entry of undo[height - 1]?.flat() ?? []) {
        const source = left[entry.height]!
        source.count--
        source.sats -= entry.sats
        expect(source.count).toBeGreaterThanOrEqual(0)
        expect(source.sats).toBeGreaterThanOrEqual(0n)
      }
    }
    expect(left.reduce((total, { count }) => total + count, 0)).toBe(totals.utxoCount)
    expect(sum(left.map(({ sats }) => sats))).toBe(BigInt(totals.supplySats))
  })

  it('repeat their transactions with other headers, coinbases and ages', () => {
    const [first, second, third] = chain.slice(firstFull)
    const ids = (current: ChainBlock | undefined) => current?.block.transactions?.slice(1).map((tx) => tx.getId())
    expect(ids(second)).toEqual(ids(first))
    expect(ids(third)?.[0]).not.toBe(ids(first)?.[0])
    expect(second?.block.transactions?.[0]?.getId()).not.toBe(first?.block.transactions?.[0]?.getId())
    const heights = (index: number) => undo[index]?.flat().map(({ height }) => height)
    expect(heights(firstFull)).not.toEqual(heights(firstFull - 1))
  })

  it('spend outputs of very different ages, some of their own block', () => {
    const ages = undo[tipHeight - 1]?.flat().map(({ height }) => tipHeight - height) ?? []
    const share = (condition: (age: number) => boolean) => ages.filter(condition).length / ages.length
    expect(share((age) => age === 0)).toBeGreaterThan(0.05)
    expect(share((age) => age === 0)).toBeLessThan(0.15)
    expect(share((age) => age > 0 && age <= 3)).toBeGreaterThan(0.3)
    expect(share((age) => age > 90)).toBeGreaterThan(0.05)
  })

  it('need room: a chain that is too short is refused', async () => {
    const storage = new BlockStorage({ folder, magic, key, fileBytes: 2 ** 24 })
    await expect(
      writeFullBlocks({ seed: 1, tipHeight: 10, storage, bodies: 5, repeats: 2, onHeight: () => {} }),
    ).rejects.toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})
