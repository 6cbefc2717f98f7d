import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Block, Transaction } from 'bitcoinjs-lib'
import { afterAll, describe, expect, it } from 'vitest'
import { displayHash, doubleSha256 } from '#ingest/chain/bytes.ts'
import type { FileUnit } from '#ingest/chain/file-unit.ts'
import { FileUnitReader, type ResolveSpent } from '#ingest/chain/file-unit-reader.ts'
import { deobfuscate } from '#ingest/chain/obfuscation.ts'
import { verifyFileUnit } from '#ingest/chain/verify-unit.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { blockRecord, undoRecord } from '#test/support/core-records.ts'
import { openFiles } from '#test/support/open-files.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-unit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const magic = 0xdab5bffa
const key = Buffer.from('0123456789abcdef', 'hex')
const firstHeight = 700

/**
 * A block whose transactions after the coinbase have these input counts and pay out 1,000 sat each.
 */
function blockOn(previousHash: Uint8Array, inputs: readonly number[]): Buffer {
  const block = new Block()
  const coinbase = new Transaction()
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0, Uint8Array.of(1, 2))
  coinbase.addOutput(Uint8Array.of(0x51), 50n)
  const others = inputs.map((count, position) => {
    const transaction = new Transaction()
    for (let i = 0; i < count; i++) transaction.addInput(new Uint8Array(32).fill(position + 1), i)
    transaction.addOutput(Uint8Array.of(0x51), 1000n)
    return transaction
  })
  block.prevHash = previousHash
  block.transactions = [coinbase, ...others]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  return Buffer.from(block.toBuffer())
}

/** The undo record of a block: an amount for each input of each transaction. */
const createUndo = (amounts: readonly (readonly number[])[], height = 5): Uint8Array =>
  encodeUndo(
    amounts.map((spent) => spent.map((sats) => ({ sats, height, coinbase: false, script: new Uint8Array(0) }))),
  )

function writeObfuscated(file: string, records: readonly Buffer[]): string {
  const bytes = Buffer.concat(records)
  deobfuscate(bytes, key, 0)
  writeFileSync(file, bytes)
  return file
}

/** Writes blocks and undo records (each with the block that its checksum is for) as a unit. */
function createUnit(
  blocks: readonly Buffer[],
  undo: ReadonlyArray<readonly [body: Uint8Array, block: Buffer]>,
  inFolder = folder,
): FileUnit {
  let end = 0
  const offsets = blocks.map((block) => {
    const offset = end + 8
    end = offset + block.length
    return offset
  })
  const blockRecords = blocks.map((block) => blockRecord(magic, block))
  const undoRecords = undo.map(([body, block]) => undoRecord(magic, block.subarray(4, 36), body))
  return {
    kind: 'files',
    key,
    magic,
    blockFile: writeObfuscated(path.join(inFolder, 'blk00000.dat'), blockRecords),
    undoFile: writeObfuscated(path.join(inFolder, 'rev00000.dat'), undoRecords),
    heights: Uint32Array.from(blocks, (_, i) => firstHeight + i),
    hashes: Buffer.concat(blocks.map((block) => doubleSha256(block.subarray(0, 80)))),
    offsets: Uint32Array.from(offsets),
    sizes: Uint32Array.from(blocks, ({ length }) => length),
  }
}

/** Height and spent amounts of every block of a unit, and the rest of the result. */
async function read(unit: FileUnit, resolveSpent?: ResolveSpent) {
  const spent: Array<[height: number, amounts: number[]]> = []
  const result = await new FileUnitReader().read(
    unit,
    (height, block) => spent.push([height, [...block.spentSats.subarray(0, block.spentCount)]]),
    resolveSpent,
  )
  return { spent, unproved: result.withoutUndo, unclaimed: result.unclaimed }
}

const first = blockOn(new Uint8Array(32).fill(1), [2, 1])
const second = blockOn(doubleSha256(first.subarray(0, 80)), [1])

describe('the blocks of a file', () => {
  it('come in height order with what they spend, from obfuscated files', async () => {
    const unit = createUnit(
      [first, second],
      [
        [createUndo([[9000]]), second],
        [createUndo([[4000, 5000], [6000]]), first],
      ],
    )
    expect(await read(unit)).toEqual({
      spent: [
        [700, [4000, 5000, 6000]],
        [701, [9000]],
      ],
      unproved: [],
      unclaimed: 0,
    })
    expect(await verifyFileUnit(unit)).toMatchObject({ blocks: 2, bytes: first.length + second.length })
  })

  it('find their undo records where some stand in another order', async () => {
    const third = blockOn(doubleSha256(second.subarray(0, 80)), [2])
    const unit = createUnit(
      [first, second, third],
      [
        [createUndo([[4000, 5000], [6000]]), first],
        [createUndo([[7000, 8000]]), third],
        [createUndo([[9000]]), second],
      ],
    )
    expect(await read(unit)).toEqual({
      spent: [
        [700, [4000, 5000, 6000]],
        [701, [9000]],
        [702, [7000, 8000]],
      ],
      unproved: [],
      unclaimed: 0,
    })
  })

  it('are told apart where as many undo records are none of theirs', async () => {
    const stranger = blockOn(new Uint8Array(32).fill(9), [1])
    const unit = createUnit(
      [first, second],
      [
        [createUndo([[4000, 5000], [6000]]), first],
        [createUndo([[9000]]), stranger],
      ],
    )
    expect(await read(unit)).toMatchObject({ unproved: [701], unclaimed: 1 })
  })

  it('are not handed on where one of them has no undo record', async () => {
    const unit = createUnit([first, second], [[createUndo([[4000, 5000], [6000]]), first]])
    expect(await read(unit)).toEqual({ spent: [], unproved: [701], unclaimed: 0 })
    await expect(verifyFileUnit(unit)).rejects.toThrow(
      expect.objectContaining({
        code: 'block_corrupt',
        message: expect.stringMatching(/rev\S+ has no undo record that fits block 701 \([0-9a-f]{64}\) in/),
      }),
    )
    rmSync(unit.undoFile)
    expect(await read(unit)).toEqual({ spent: [], unproved: [700, 701], unclaimed: 0 })
  })

  it('are verified without leaving their files open, whether intact or not', async () => {
    const intact = createUnit(
      [first, second],
      [
        [createUndo([[4000, 5000], [6000]]), first],
        [createUndo([[9000]]), second],
      ],
    )
    const before = openFiles()
    await verifyFileUnit(intact)
    expect(openFiles()).toBeLessThanOrEqual(before)
    const swapped = { ...intact, offsets: intact.offsets.toReversed() }
    await expect(verifyFileUnit(swapped)).rejects.toMatchObject({ code: 'block_corrupt' })
    rmSync(intact.undoFile)
    await expect(verifyFileUnit(intact)).rejects.toMatchObject({ code: 'block_corrupt' })
    expect(openFiles()).toBeLessThanOrEqual(before)
  })

  it('of two units are read at once without mixing them up', async () => {
    const rivals = (folder: string, amounts: readonly number[]) => {
      mkdirSync(folder)
      const undo = [createUndo([amounts, [6000]]), createUndo([amounts, [6001]])]
      return createUnit(
        [first],
        undo.map((body) => [body, first] as const),
        folder,
      )
    }
    const units = [rivals(path.join(folder, 'one'), [4000, 5000]), rivals(path.join(folder, 'other'), [4002, 5002])]
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>()
    let asked = 0
    // Each unit waits for the node until the other does, too.
    const resolveSpent: ResolveSpent = async () => {
      if (++asked === units.length) resolve()
      await bothAsked
    }
    const both = await Promise.all(units.map((unit) => read(unit, resolveSpent)))
    expect(both.map(({ spent }) => spent)).toEqual([[[700, [4000, 5000, 6001]]], [[700, [4002, 5002, 6001]]]])
  })

  it('are refused where another block stands in the place that the index names', async () => {
    const unit = createUnit([first, second], [])
    const swapped = { ...unit, hashes: Buffer.concat([unit.hashes.subarray(32), unit.hashes.subarray(0, 32)]) }
    await expect(verifyFileUnit(swapped)).rejects.toThrow(
      expect.objectContaining({
        code: 'block_corrupt',
        message: `block 700 (${displayHash(doubleSha256(second.subarray(0, 80)))}) in ${unit.blockFile} at offset 8 has a header with another hash`,
      }),
    )
  })
})

describe('undo records of siblings that fit a block too', () => {
  const right = createUndo([[4000, 5000], [6000]])
  const otherInputs = createUndo([[4000], [5000, 6000]])
  const tooLittle = createUndo([[400, 500], [6000]])
  const asGood = createUndo([[4001, 5000], [6000]], 6)

  it.each([
    ['other numbers of inputs', otherInputs],
    ['less than the block pays out', tooLittle],
  ])('are passed over with %s, wherever they stand', async (_, other) => {
    for (const records of [
      [right, other],
      [other, right],
    ]) {
      const unit = createUnit(
        [first],
        records.map((body) => [body, first] as const),
      )
      expect(await read(unit)).toEqual({ spent: [[700, [4000, 5000, 6000]]], unproved: [], unclaimed: 1 })
    }
  })

  it('stop the run where they are as good, and name the height and the records', async () => {
    const unit = createUnit(
      [first],
      [
        [asGood, first],
        [right, first],
      ],
    )
    const offset = 8 + asGood.length + 32 + 8
    await expect(read(unit)).rejects.toThrow(
      expect.objectContaining({
        code: 'undo_ambiguous',
        message: expect.stringContaining(`2 undo records in ${unit.undoFile} (offsets 8, ${offset}) fit block 700`),
      }),
    )
  })

  it('are decided by the node where it can be asked', async () => {
    const unit = createUnit(
      [first],
      [
        [asGood, first],
        [right, first],
      ],
    )
    const asked: Array<[number, string]> = []
    const { spent } = await read(unit, async (height, hash, block) => {
      asked.push([height, hash])
      block.spentSats.set([4000, 5000, 6000])
      block.spentCount = 3
    })
    expect(spent).toEqual([[700, [4000, 5000, 6000]]])
    expect(asked).toEqual([
      [
        700,
        Buffer.from(doubleSha256(first.subarray(0, 80)))
          .reverse()
          .toString('hex'),
      ],
    ])
  })
})
