import { mkdirSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeUndo, undoChecksum } from '#ingest/simulated/undo-record.ts'
import { CoreFile, copyFolder, firstHeightIn } from '#test/support/core-file.ts'
import { type MadeBlock, makeChain } from '#test/support/made-chain.ts'
import { coinstrata, type Outcome, placesIn, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'

/** Blocks above genesis of the chain, and of the part that was published before the damage. */
const tipHeight = 230
const publishedHeight = 60

const folder = temporaryFolder('damaged')
const { blocks, dataDir } = placesIn(folder, 'blocks', 'dataDir')
const { dataDir: publishedData } = await publishedChain(publishedHeight)
const { blocks: whole, dataDir: wholeData } = await publishedChain(tipHeight)
let chain: MadeBlock[]
let firstHeight: number

const update = (blocksFolder: string, data: string): Promise<Outcome> =>
  coinstrata(['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data])

beforeAll(() => {
  chain = makeChain(tipHeight + 1)
  firstHeight = firstHeightIn(whole, damagedPair)
})
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * A pair of files in the middle of what is new, by its number, and the height of its first block.
 */
const damagedPair = 3
const blockFile = (number: number): CoreFile => new CoreFile(blocks, `blk0000${number}.dat`)
const undoFile = (number: number): CoreFile => new CoreFile(blocks, `rev0000${number}.dat`)

/** The record that is damaged in its file. */
const place = 10

/** Offsets of magic, size, header, number of transactions and first output's amount in a record. */
const within = { size: 4, header: 8, count: 88, amount: 141 }

interface Damage {
  /** Changes the files and returns what the complaint must name: the file, and the offset in it. */
  readonly change: () => { readonly file: string; readonly offset?: number }
  readonly code: string
  readonly complaint: RegExp
  readonly height: boolean
}

function change(file: CoreFile, edit: (file: CoreFile, at: number) => void, named = file.record(place).offset) {
  edit(file, file.record(place).at)
  file.save()
  return { file: file.file, offset: named }
}

/**
 * The block after the damaged one, by which damage is found that leaves no trace of the block
 * itself.
 */
const nextBlock = (file: CoreFile): number => file.record(place + 1).offset

/** Damage to an undo record is told with the block that lacks its own. */
function changeUndo(edit: (file: CoreFile, at: number) => void) {
  const undo = undoFile(damagedPair)
  edit(undo, undo.record(place).at)
  undo.save()
  return { file: undo.file, offset: blockFile(damagedPair).record(place).offset }
}

/** Not even root can read a folder as a file. */
function replaceByFolder(file: string): { file: string } {
  rmSync(file)
  mkdirSync(file)
  return { file }
}

/**
 * The undo record of a block as Bitcoin Core wrote it before 0.15: the height only where a
 * transaction's last output goes.
 */
function forgeOldUndo(): { file: string; offset: number } {
  const undo = undoFile(damagedPair)
  const records = undo.records.map(({ offset, size }, i) => {
    const { block, undo: spent } = chain[firstHeight + i]!
    const body = encodeUndo(spent.map((outputs) => outputs.map((output) => ({ ...output, height: 0 }))))
    const forged = i === place && spent.length > 0
    return forged
      ? [body, undoChecksum(block.prevHash!, body)]
      : [undo.bytes.subarray(offset, offset + size), undo.bytes.subarray(offset + size, offset + size + 32)]
  })
  let offset = 0
  const magic = Buffer.from(undo.bytes.subarray(0, 4))
  const parts = records.map(([body, checksum], i) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(body!.length)
    const record = Buffer.concat([magic, size, body!, checksum!])
    if (i < place) offset += record.length
    return record
  })
  undo.bytes = Buffer.concat(parts)
  undo.save()
  return { file: undo.file, offset: offset + 8 }
}

const brokenChain = { code: 'chain_incomplete', complaint: /missing or damaged/, height: false }
const undoMissing = { code: 'undo_missing', complaint: /rev00003\.dat has no undo record that fits/, height: true }
const unreadable = { code: 'source_unreadable', complaint: /cannot read/, height: false }

const damages: Readonly<Record<string, Damage>> = {
  'a flipped bit in an amount': {
    change: () => change(blockFile(damagedPair), (file, at) => file.flipBit(at + within.amount + 5)),
    code: 'block_corrupt',
    complaint: /has other transactions than its merkle root commits to/,
    height: true,
  },
  'an absurd number of transactions': {
    change: () =>
      change(blockFile(damagedPair), (file, at) => {
        file.bytes.fill(0xff, at + within.count, at + within.count + 9)
      }),
    code: 'undo_missing',
    complaint: /one of the two is missing or damaged/,
    height: true,
  },
  'a block that is longer than its record says': {
    change: () =>
      change(blockFile(damagedPair), (file, at) => {
        file.bytes.writeUInt32LE(file.record(place).size - 20, at + within.size)
      }),
    code: 'block_corrupt',
    complaint: /beyond the end of the block/,
    height: true,
  },
  'a flipped bit in a header': {
    change: () => {
      const file = blockFile(damagedPair)
      return change(file, (_, at) => file.flipBit(at + within.header + 40), nextBlock(file))
    },
    ...brokenChain,
  },
  'a flipped bit in a magic': {
    change: () => {
      const file = blockFile(damagedPair)
      return change(file, (_, at) => file.flipBit(at), nextBlock(file))
    },
    ...brokenChain,
  },
  'an absurd size of a block': {
    change: () => {
      const file = blockFile(damagedPair)
      return change(file, (_, at) => file.bytes.writeUInt32LE(0xfffffff0, at + within.size), nextBlock(file))
    },
    ...brokenChain,
  },
  'a block file that ends early': {
    change: () => {
      const file = blockFile(damagedPair)
      truncateSync(file.file, file.record(place).offset + 200)
      const next = blockFile(damagedPair + 1)
      return { file: next.file, offset: next.record(0).offset }
    },
    ...brokenChain,
  },
  'a flipped bit in an undo record': {
    change: () => changeUndo((file, at) => file.flipBit(at + 12)),
    ...undoMissing,
  },
  'a flipped bit in the checksum of an undo record': {
    change: () => changeUndo((file, at) => file.flipBit(at + 8 + file.record(place).size + 5)),
    ...undoMissing,
  },
  'an absurd size of an undo record': {
    change: () => changeUndo((file, at) => file.bytes.writeUInt32LE(0x7fffffff, at + within.size)),
    ...undoMissing,
  },
  'an undo file that ends early': {
    change: () => {
      const undo = undoFile(damagedPair)
      truncateSync(undo.file, undo.record(place).offset + 3)
      return { file: undo.file, offset: blockFile(damagedPair).record(place).offset }
    },
    ...undoMissing,
  },
  'an undo file that is gone': {
    change: () => {
      const { file } = undoFile(damagedPair)
      rmSync(file)
      return { file, offset: blockFile(damagedPair).record(0).offset }
    },
    ...undoMissing,
    height: false,
  },
  'a block file that cannot be read': {
    change: () => replaceByFolder(blockFile(damagedPair).file),
    ...unreadable,
  },
  'an undo file that cannot be read': {
    change: () => replaceByFolder(undoFile(damagedPair).file),
    ...unreadable,
  },
  'a key of another length': {
    change: () => {
      const file = path.join(blocks, 'xor.dat')
      truncateSync(file, 5)
      return { file }
    },
    code: 'block_corrupt',
    complaint: /5 bytes instead of 8/,
    height: false,
  },
  'undo written before Bitcoin Core 0.15': {
    change: forgeOldUndo,
    code: 'undo_outdated',
    complaint: /before 0\.15/,
    height: true,
  },
}

describe('files with damage in what is new', () => {
  beforeAll(() => copyFolder(publishedData, dataDir))

  it.each(Object.keys(damages))('%s is named with its place and a cure, and nothing is published', async (name) => {
    const { change, code, complaint, height } = damages[name]!
    copyFolder(whole, blocks)
    const before = publishedBytes(dataDir)
    const { file, offset } = change()
    const { exitCode, stderr } = await update(blocks, dataDir)
    expect(stderr).toContain(`[${code}]`)
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(complaint)
    expect(stderr).toContain(file)
    if (offset !== undefined) expect(stderr).toContain(`offset ${offset}`)
    if (height) expect(stderr).toContain(`block ${firstHeight + place}`)
    expect(stderr).toMatch(/\nWhat to do: \w+/)
    expect(publishedBytes(dataDir)).toEqual(before)
  })

  it('are read to the end after their repair, as if nothing had happened', async () => {
    copyFolder(whole, blocks)
    const { exitCode, stderr } = await update(blocks, dataDir)
    expect(exitCode, stderr).toBe(0)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })
})
