import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader, displayHash, doubleSha256 } from '#ingest/chain/bytes.ts'

const reader = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'))

describe('compact sizes', () => {
  it.each([
    ['00', 0],
    ['fc', 252],
    ['fdfd00', 253],
    ['fdffff', 65_535],
    ['fe00000100', 65_536],
    ['feffffffff', 4_294_967_295],
    ['ff0000000001000000', 4_294_967_296],
    ['ffffffffffffff1f00', 2 ** 53 - 1],
  ])('%s is %d', (bytes, size) => {
    const from = reader(`${bytes}aa`)
    expect(from.compactSize()).toBe(size)
    expect(from.position).toBe(bytes.length / 2)
  })

  // Bitcoin Core, serialize_tests.cpp, noncanonical
  it.each(['fd0000', 'fdfc00', 'fe00000000', 'feffff0000', 'ff0000000000000000', 'ffffffffff00000000'])(
    'refuses %s, which is longer than need be',
    (bytes) => expect(() => reader(bytes).compactSize()).toThrow(/needless/),
  )

  it.each(['', 'fd', 'fd01', 'fe000001', 'ff00000000010000'])('refuses %s, which is cut off', (bytes) => {
    expect(() => reader(bytes).compactSize()).toThrow(RangeError)
  })
})

describe('a byte reader', () => {
  it('reads integers with the lowest byte first', () => {
    expect(reader('04030281').uint32()).toBe(0x81020304)
    expect(reader('0040075af0750700').uint64()).toBe(21_000_000 * 1e8)
    expect(reader('ffffffffffffffff').uint64()).toBe(2 ** 64)
  })

  it('never reads beyond its end, even where there are bytes', () => {
    const bytes = new Uint8Array(16)
    const from = new ByteReader(bytes, 4, 8)
    expect(() => from.uint64()).toThrow(RangeError)
    expect(from.position).toBe(4)
    expect(from.uint32()).toBe(0)
    expect(() => from.uint8()).toThrow(RangeError)
    from.reset(bytes, 8, 16)
    expect(from.uint64()).toBe(0)
  })

  it('reads obfuscated bytes through their key', () => {
    const key = Uint8Array.of(0x11, 0x82, 0xf3, 0x04, 0x95, 0x66, 0xd7, 0xe8)
    const plain = Buffer.from('aa0403020140420f0000000000fdffff7ffe00000100', 'hex')
    const from = new ByteReader(new Uint8Array(0))
    for (let start = 0; start < 8; start++) {
      const memory = Buffer.concat([new Uint8Array(start), plain])
      const obfuscated = Uint8Array.from(memory, (byte, i) => byte ^ (key[i % 8] ?? 0))
      from.reset(obfuscated, start, obfuscated.length, key)
      expect(from.uint8()).toBe(0xaa)
      expect(from.uint32()).toBe(0x01020304)
      expect(from.uint64()).toBe(1_000_000)
      expect(from.compactSize()).toBe(65_535)
      expect(from.compactSize()).toBe(127)
      expect(from.compactSize()).toBe(65_536)
      expect(from.position).toBe(from.end)
    }
  })
})

describe('hashes', () => {
  it('are SHA-256 applied twice, over one part or several', () => {
    const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (first, second) => {
        const whole = Buffer.concat([first, second])
        const expected = Buffer.from(sha256(sha256(whole)))
        expect(expected.equals(doubleSha256(whole))).toBe(true)
        expect(expected.equals(doubleSha256(first, second))).toBe(true)
      }),
    )
  })

  it('stay what they were when the next one is made', () => {
    const first = doubleSha256(Uint8Array.of(1))
    const copy = Buffer.from(first)
    doubleSha256(Uint8Array.of(2))
    expect(copy.equals(first)).toBe(true)
  })

  it('are shown with the last byte first', () => {
    // Block 0 of mainnet.
    const header =
      '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c'
    expect(displayHash(doubleSha256(Buffer.from(header, 'hex')))).toBe(
      '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    )
  })
})
