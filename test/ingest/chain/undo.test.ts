import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { decodeUndo, OutdatedUndoError, readAmount, readVarint } from '#ingest/chain/undo.ts'
import { ByteWriter } from '#ingest/simulated/byte-writer.ts'
import { compressAmount, encodeUndo } from '#ingest/simulated/undo-record.ts'
import { decompressAmount } from '#test/ingest/simulated/core-undo.ts'
import { spentKindsIn } from '#test/support/kind-names.ts'
import { kindName } from '#test/support/replay.ts'

const reader = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'))

function varintBytes(value: number | bigint): Uint8Array {
  const writer = new ByteWriter()
  writer.varint(value)
  return writer.toBytes()
}

/** A block whose transactions after the coinbase have these input counts. */
function createBlock(inputs: readonly number[]): DecodedBlock {
  const block = new DecodedBlock()
  block.transactionCount = inputs.length + 1
  block.inputCounts.set([1, ...inputs])
  return block
}

function decode(bytes: Uint8Array, inputs: readonly number[]): DecodedBlock {
  const block = createBlock(inputs)
  decodeUndo(new ByteReader(bytes), block)
  return block
}

describe('varints', () => {
  // Bitcoin Core, serialize_tests.cpp
  it.each([
    ['00', 0],
    ['7f', 0x7f],
    ['8000', 0x80],
    ['a334', 0x1234],
    ['82fe7f', 0xffff],
    ['c7e756', 0x123456],
    ['86ffc7e756', 0x80123456],
    ['8efefefe7f', 0xffffffff],
  ])('%s is %d', (hex, value) => {
    const from = reader(hex)
    expect(readVarint(from)).toBe(value)
    expect(from.position).toBe(from.end)
  })

  it.each(['fefefefefefefefe7f', '80fefefefefefefefe7f', 'ff'.repeat(100)])(
    'refuses %s, larger than anything in an undo record',
    (hex) => expect(() => readVarint(reader(hex))).toThrow(/too large/),
  )

  it('read back what was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
        expect(readVarint(new ByteReader(varintBytes(value)))).toBe(value)
      }),
    )
  })
})

describe('compressed amounts', () => {
  const coin = 100_000_000

  // Bitcoin Core, compress_tests.cpp
  it.each([
    [0, 0],
    [1, 1],
    [7, coin / 100],
    [9, coin],
    [0x32, 50 * coin],
    [0x1406f40, 21_000_000 * coin],
  ])('%d is %d sat', (compressed, sats) => {
    expect(readAmount(new ByteReader(varintBytes(compressed)))).toBe(sats)
  })

  it('give every amount up to 21 million bitcoin, exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 21_000_000 * coin }), fc.nat(9), (sats, zeros) => {
        for (const value of [sats, Math.floor(sats / 10 ** zeros) * 10 ** zeros]) {
          expect(readAmount(new ByteReader(varintBytes(compressAmount(value))))).toBe(value)
        }
      }),
      { numRuns: 5000, examples: [[21_000_000 * coin - 1, 0]] },
    )
  })

  it('of any bytes are what exact arithmetic gives, or more than can exist', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 54n }), (compressed) => {
        const exact = decompressAmount(compressed)
        const found = readAmount(new ByteReader(varintBytes(compressed)))
        if (exact <= 21_000_000n * 100_000_000n) expect(found).toBe(Number(exact))
        else expect(found).toBeGreaterThan(21_000_000 * coin)
      }),
      { numRuns: 5000 },
    )
  })

  it('are refused where they are too long', () => {
    expect(() => readAmount(reader('ff'.repeat(12)))).toThrow(/too large/)
    expect(() => readAmount(reader('ffff'))).toThrow(RangeError)
  })
})

describe('an undo record', () => {
  const script = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) => Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) => Uint8Array.of(0xa9, 20, ...hash, 0x87)),
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((key) => Uint8Array.of(33, 2 + ((key[0] ?? 0) & 1), ...key, 0xac)),
  )
  const output = fc.record({
    // Numbers for the fast path beside numbers for the slow path.
    sats: fc
      .tuple(fc.oneof(fc.nat(100_000), fc.integer({ min: 0, max: 21e14 })), fc.nat(9))
      .map(([sats, zeros]) => Math.min(sats * 10 ** zeros, 21e14)),
    script,
    height: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 2 ** 30 })),
    coinbase: fc.boolean(),
  })
  const spentOutputs = fc.array(fc.array(output, { minLength: 1, maxLength: 20 }), { maxLength: 20 })
  const countInputs = (spent: ReadonlyArray<readonly unknown[]>): number[] => spent.map(({ length }) => length)

  it('gives amount, creation height and kind of each spent output in order', () => {
    fc.assert(
      fc.property(spentOutputs, (spent) => {
        const block = decode(encodeUndo(spent), countInputs(spent))
        expect(block.spentCount).toBe(spent.flat().length)
        expect([...block.spentSats.subarray(0, block.spentCount)]).toEqual(spent.flat().map(({ sats }) => sats))
        expect([...block.spentHeights.subarray(0, block.spentCount)]).toEqual(spent.flat().map(({ height }) => height))
        expect(spentKindsIn(block)).toEqual(
          spent.flat().map(({ script, sats, coinbase }) => kindName(script, sats, coinbase, 1)),
        )
      }),
    )
  })

  it('is refused for a block of another shape', () => {
    fc.assert(
      fc.property(spentOutputs, spentOutputs, (spent, other) => {
        fc.pre(countInputs(spent).join() !== countInputs(other).join())
        expect(() => decode(encodeUndo(spent), countInputs(other))).toThrow(RangeError)
      }),
    )
  })

  it('is refused when it ends early or late', () => {
    fc.assert(
      fc.property(spentOutputs, fc.nat(), (spent, at) => {
        const bytes = encodeUndo(spent)
        expect(() => decode(bytes.subarray(0, at % bytes.length), countInputs(spent))).toThrow(RangeError)
        expect(() => decode(Buffer.concat([bytes, Uint8Array.of(0)]), countInputs(spent))).toThrow(RangeError)
      }),
    )
  })

  // Bitcoin Core before 0.15 wrote the version of the transaction before the amount; later ones
  // write 0.
  it.each([0, 1, 2, 127, 128, 2 ** 31 - 1, 2 ** 32 - 1])('has after the height a number such as %d', (version) => {
    const output = [varintBytes(2 * 100_000 + 1), varintBytes(version), varintBytes(0x32), Buffer.alloc(21)]
    // The last output is decoded byte by byte, those before it as words.
    const { spentHeights, spentSats } = decode(
      Buffer.concat([Buffer.from('0103', 'hex'), ...output, ...output, ...output]),
      [3],
    )
    expect([...spentHeights.subarray(0, 3)]).toEqual([100_000, 100_000, 100_000])
    expect([...spentSats.subarray(0, 3)]).toEqual([50e8, 50e8, 50e8])
  })

  it('of Bitcoin Core before 0.15, without heights, is told apart from a damaged one', () => {
    // One transaction, one input: height 0, amount 50 BTC, a key hash.
    const old = Buffer.from(`0101${'00'}${'32'}00${'11'.repeat(20)}`, 'hex')
    expect(() => decode(old, [1])).toThrow(OutdatedUndoError)
  })

  it('is refused with more money than exists, or a height that no column could hold', () => {
    const tooMuch = Buffer.concat([
      Buffer.from('01010200', 'hex'),
      varintBytes(0x1406f40 + 10),
      Buffer.from('06', 'hex'),
    ])
    expect(() => decode(tooMuch, [1])).toThrow(/more than can exist/)
    const height = Buffer.concat([Buffer.from('0101', 'hex'), varintBytes(2 ** 33 + 200), Buffer.from('003206', 'hex')])
    expect(() => decode(height, [1])).toThrow(/too large/)
  })
})
