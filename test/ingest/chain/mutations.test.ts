import { beforeAll, describe, expect, it } from 'vitest'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { decodeUndo, OutdatedUndoError } from '#ingest/chain/undo.ts'
import { pairUndoRecords } from '#ingest/chain/undo-pairing.ts'
import { verifyBlock } from '#ingest/chain/verify-block.ts'
import { undoRecord, undoRecordsIn } from '#test/support/core-records.ts'
import { Random } from '#test/support/random.ts'
import { hasModernBlocks, modernBlock, type SampleBlock, simulatedBlocks } from '#test/support/sample-blocks.ts'
import { trials } from '#test/support/trials.ts'

const magic = 0x4d495343

/** Damages bytes as disks, memory and crashes do. The result always differs. */
function mutate(bytes: Uint8Array, random: Random): Buffer {
  for (;;) {
    const mutated = damage(bytes, random)
    if (!mutated.includes(Buffer.from(bytes))) return mutated
  }
}

function damage(bytes: Uint8Array, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  const at = random.between(0, copy.length - 1)
  const end = Math.min(copy.length, at + random.between(1, 64))
  switch (random.between(0, 7)) {
    case 0:
      copy[at] = (copy[at] ?? 0) ^ (1 << random.between(0, 7))
      return copy
    case 1:
      copy[at] = random.between(0, 255)
      return copy
    case 2:
      return copy.fill(0, at, end)
    case 3:
      return copy.fill(0xff, at, end)
    case 4:
      return copy.subarray(0, at)
    case 5:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(end)])
    case 6:
      return Buffer.concat([copy.subarray(0, end), copy.subarray(at)])
    default:
      for (let i = at; i < end; i++) copy[i] = random.between(0, 255)
      return copy
  }
}

/** Checks if a file with one undo record passes the whole pipeline. */
function isAccepted(file: Buffer, sample: SampleBlock, block: DecodedBlock): boolean {
  const records = undoRecordsIn(magic, file)
  const { claimed } = pairUndoRecords([{ ...sample, transactionCount: block.transactionCount }], file, records)
  const record = records[claimed[0] ?? -1]
  return record !== undefined && decodes(file.subarray(record.offset, record.offset + record.size), block)
}

function decodes(undo: Uint8Array, block: DecodedBlock): boolean {
  try {
    decodeUndo(new ByteReader(undo), block)
    return true
  } catch (error) {
    if (error instanceof RangeError || error instanceof OutdatedUndoError) return false
    throw error
  }
}

/** Calls `check` with each sample in turn and a fixed sequence of random numbers. */
function repeat(
  samples: readonly SampleBlock[],
  count: number,
  check: (sample: SampleBlock, block: DecodedBlock, random: Random, time: number) => void,
): void {
  const random = new Random(20_090_103)
  const block = new DecodedBlock()
  for (let time = 0; time < count; time++) {
    const sample = samples[time % samples.length]
    if (!sample) throw new Error('no samples')
    decodeBlock(new ByteReader(sample.bytes), block)
    check(sample, block, random, time)
  }
}

function checkUndoMutations(samples: readonly SampleBlock[], count: number): void {
  repeat(samples, count, (sample, block, random, time) => {
    // The whole record with magic, size and checksum.
    const file = undoRecord(magic, sample.previousHash, sample.undo)
    if (time < samples.length) expect(isAccepted(file, sample, block)).toBe(true)
    expect(isAccepted(mutate(file, random), sample, block), `mutation ${time}, block ${sample.height}`).toBe(false)
  })
}

/** Returns the number of mutations that the structure of a block reveals. */
function checkBlockMutations(samples: readonly SampleBlock[], count: number): number {
  let byStructure = 0
  repeat(samples, count, (sample, block, random, time) => {
    if (time < samples.length) verifyBlock(sample.bytes, sample.hash, block)
    const mutated = mutate(sample.bytes, random)
    try {
      decodeBlock(new ByteReader(mutated), block)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      byStructure++
    }
    expect(() => verifyBlock(mutated, sample.hash, block), `mutation ${time}, block ${sample.height}`).toThrow(
      RangeError,
    )
  })
  return byStructure
}

const times = trials(1_500, 10_000)

describe('damage in a simulated chain', () => {
  let samples: SampleBlock[]
  beforeAll(async () => {
    const all = await simulatedBlocks('2010-02-08')
    // Blocks that spend something; a record of one byte has little to damage.
    samples = all.filter(({ undo }) => undo.length > 1).slice(-1000)
  })

  it(`to undo records is caught each of ${times} times`, () => {
    checkUndoMutations(samples, times)
  })

  it('to undo records that have a checksum all the same never hangs or crashes', () => {
    let refused = 0
    repeat(samples, times, ({ undo }, block, random) => {
      if (!decodes(mutate(undo, random), block)) refused++
    })
    expect(refused).toBeGreaterThan(0.3 * times)
  })

  it(`to blocks is caught each of ${times} times, and never hangs or crashes`, () => {
    expect(checkBlockMutations(samples, times)).toBeGreaterThan(0.5 * times)
  })
})

describe.skipIf(!hasModernBlocks)('damage in modern mainnet blocks', () => {
  const samples = hasModernBlocks ? [367_891, 866_342].map(modernBlock) : []

  const forUndo = trials(100, 500)
  it(`to undo records is caught each of ${forUndo} times`, () => {
    checkUndoMutations(samples, forUndo)
  })

  const forBlocks = trials(50, 200)
  it(`to blocks is caught each of ${forBlocks} times`, () => {
    expect(checkBlockMutations(samples, forBlocks)).toBeGreaterThan(forBlocks / 4)
  })
})
