import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '#ingest/simulated/byte-writer.ts'
import { compressAmount, encodeUndo, writeCompressedScript } from '#ingest/simulated/undo-record.ts'
import { decompressAmount, readUndo } from './core-undo.ts'

function written(write: (writer: ByteWriter) => void): string {
  const writer = new ByteWriter()
  write(writer)
  return Buffer.from(writer.toBytes()).toString('hex')
}

describe('varints', () => {
  // Bitcoin Core, serialize_tests.cpp
  it.each([
    [0, '00'],
    [0x7f, '7f'],
    [0x80, '8000'],
    [0x1234, 'a334'],
    [0xffff, '82fe7f'],
    [0x123456, 'c7e756'],
    [0x80123456, '86ffc7e756'],
    [0xffffffff, '8efefefe7f'],
    [0x7fffffffffffffffn, 'fefefefefefefefe7f'],
    [0xffffffffffffffffn, '80fefefefefefefefe7f'],
  ])('writes %d as Bitcoin Core does', (value, hex) => {
    expect(written((writer) => writer.varint(value))).toBe(hex)
    expect(written((writer) => writer.varint(BigInt(value)))).toBe(hex)
  })
})

describe('compressed amounts', () => {
  const coin = 100_000_000
  // Bitcoin Core, compress_tests.cpp
  it.each([
    [0, 0],
    [1, 1],
    [coin / 100, 7],
    [coin, 9],
    [50 * coin, 0x32],
    [21_000_000 * coin, 0x1406f40],
  ])('compresses %d sat as Bitcoin Core does', (sats, compressed) => {
    expect(compressAmount(sats)).toBe(compressed)
  })

  it('can be restored for every amount up to 21 million bitcoin', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 21_000_000 * coin }), (sats) => {
        expect(decompressAmount(BigInt(compressAmount(sats)))).toBe(BigInt(sats))
      }),
      { numRuns: 2000, examples: [[21_000_000 * coin - 1], [1_000_799_917_193_443]] },
    )
  })
})

describe('compressed scripts', () => {
  const hash = '00112233445566778899aabbccddeeff00112233'
  // The generator point of secp256k1 (y even), and its negative (y odd).
  const x = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
  const evenY = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'
  const oddY = 'b7c52588d95c3b9aa25b0403f1eef75702e84bb7597aabe663b82f6f04ef2777'
  it.each([
    ['pay to key hash', `76a914${hash}88ac`, `00${hash}`],
    ['pay to script hash', `a914${hash}87`, `01${hash}`],
    ['pay to compressed key', `2102${x}ac`, `02${x}`],
    ['pay to compressed key, odd', `2103${x}ac`, `03${x}`],
    ['pay to uncompressed key', `4104${x}${evenY}ac`, `04${x}`],
    ['pay to uncompressed key, odd', `4104${x}${oddY}ac`, `05${x}`],
    ['a key off the curve', `4104${x}${x}ac`, `494104${x}${x}ac`],
    ['pay to witness key hash', `0014${hash}`, `1c0014${hash}`],
    ['an empty script', '', '06'],
  ])('%s', (_, script, compressed) => {
    expect(written((writer) => writeCompressedScript(writer, Buffer.from(script, 'hex')))).toBe(compressed)
  })
})

describe('undo data', () => {
  it('equal a record put together by hand', () => {
    const script = Buffer.from(`a914${'11'.repeat(20)}87`, 'hex')
    const undo = encodeUndo([[{ sats: 5_000_000_000, script, height: 9, coinbase: true }], []])
    // two transactions; one input: 9·2+1, version 0, 0x32, script; no input
    expect(Buffer.from(undo).toString('hex')).toBe(`02${`01${`13${'00'}${'32'}01${'11'.repeat(20)}`}`}00`)
  })

  it('of any outputs can be read back', () => {
    const output = fc.record({
      sats: fc.integer({ min: 0, max: 21e14 }),
      script: fc.uint8Array({ maxLength: 80 }),
      height: fc.integer({ min: 1, max: 2 ** 24 }),
      coinbase: fc.boolean(),
    })
    const transactions = fc.array(fc.array(output, { minLength: 1, maxLength: 300 }), { maxLength: 5 })
    fc.assert(
      fc.property(transactions, (spent) => {
        const expected = spent.map((outputs) =>
          outputs.map(({ sats, script, height, coinbase }) => ({
            height,
            coinbase,
            sats: BigInt(sats),
            script: Buffer.from(script).toString('hex'),
          })),
        )
        expect(readUndo(encodeUndo(spent))).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })
})
