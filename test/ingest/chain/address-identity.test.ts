import { ECDH } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptTypes } from '#contract/kinds.ts'
import { partnerHigh, writeIdentity } from '#ingest/chain/address-identity.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { scriptTypeAt } from '#ingest/chain/output-kind.ts'
import { decodeUndo } from '#ingest/chain/undo.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { addressText } from '#test/support/replayed-addresses.ts'
import { hasModernBlocks, modernBlock } from '#test/support/sample-blocks.ts'

const none = '0 0'

/** The identity of a script between other bytes, obfuscated with `mask`. */
function identify(script: Uint8Array, mask = new Uint8Array(8), before = 0): string {
  const masked = Buffer.concat([Buffer.alloc(before, 7), script, Buffer.alloc(9, 7)]).map(
    (byte, i) => byte ^ mask[i & 7]!,
  )
  const reader = new ByteReader(new Uint8Array(0))
  reader.reset(masked, 0, masked.length, mask)
  const found = new Uint32Array(4)
  const type = scriptTypeAt(masked, mask, before, script.length)
  writeIdentity(found, 1, type, reader.view, reader.keyWords, before, script.length)
  return `${found[2]} ${found[3]}`
}

/**
 * The identities of spent outputs as their undo records have them; a version before Bitcoin Core
 * 0.15 takes the slow path.
 */
function identifySpent(scripts: readonly Uint8Array[]): string[] {
  const block = new DecodedBlock()
  block.transactionCount = 2
  block.inputCounts.set([1, scripts.length])
  const spent = scripts.map((script) => ({ sats: 5000, script, height: 7, coinbase: false }))
  decodeUndo(new ByteReader(encodeUndo([spent])), block)
  return scripts.map((_, i) => `${block.spentIdentities[2 * i]} ${block.spentIdentities[2 * i + 1]}`)
}

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex')
const secret = ECDH.convertKey(
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'.padStart(66, '02'),
  'secp256k1',
  'hex',
  'hex',
  'uncompressed',
).toString()
const x = secret.slice(2, 66)
const compressed = `21${(Number.parseInt(secret.slice(-2), 16) & 1 ? '03' : '02') + x}ac`

const program = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const script = (start: string, length: number, end = '') =>
  program(length).map((bytes) => Buffer.concat([hex(start), bytes, hex(end)]))
const anyScript = fc.oneof(
  script('76a914', 20, '88ac'),
  script('a914', 20, '87'),
  script('0014', 20),
  script('0020', 32),
  script('5120', 32),
  script('2102', 32, 'ac'),
  script('2103', 32, 'ac'),
  script('4104', 64, 'ac'),
  script('4106', 64, 'ac'),
  fc.integer({ min: 2, max: 40 }).chain((length) => script(`52${length.toString(16).padStart(2, '0')}`, length)),
  fc.constant(hex('51024e73')),
)

describe('the identity of an address', () => {
  it('is the same from an output, obfuscated or not, and from the undo record that spends it', () => {
    fc.assert(
      fc.property(
        fc.array(anyScript, { minLength: 1, maxLength: 30 }),
        program(8),
        fc.nat(16),
        (scripts, mask, before) => {
          const plain = scripts.map((one) => identify(one))
          expect(scripts.map((one) => identify(one, mask, before))).toEqual(plain)
          expect(identifySpent(scripts)).toEqual(plain)
          expect(plain).not.toContain(none)
        },
      ),
    )
  })

  it('is one for both forms of a key, and different for key hashes in other types', () => {
    const forms = [`41${secret}ac`, compressed].map(hex)
    expect(new Set(forms.map((one) => identify(one)))).toEqual(new Set(identifySpent(forms)))
    expect(identify(forms[0]!)).toBe(identify(forms[1]!))
    expect(identify(hex(`21${compressed.slice(2, 4) === '02' ? '03' : '02'}${x}ac`))).not.toBe(identify(forms[1]!))
    const hash = 'ab'.repeat(20)
    const types = [`76a914${hash}88ac`, `a914${hash}87`, `0014${hash}`, `5214${hash}`, `5314${hash}`]
    expect(new Set(types.map((one) => identify(hex(one)))).size).toBe(types.length)
  })

  it('is for P2PKH and P2WPKH of one key the same but for one bit, which neither sample nor partition depends on', () => {
    fc.assert(
      fc.property(program(20), (hash) => {
        const key = Buffer.from(hash).toString('hex')
        const [legacy, segwit] = [`76a914${key}88ac`, `0014${key}`].map((text) =>
          identify(hex(text)).split(' ').map(Number),
        )
        expect(segwit).toEqual([partnerHigh(legacy![0]!), legacy![1]])
        expect(partnerHigh(segwit![0]!)).toBe(legacy![0])
        expect(segwit![0]! >>> 28).toBe(legacy![0]! >>> 28)
      }),
    )
  })

  it('depends on every byte of a program', () => {
    fc.assert(
      fc.property(anyScript, fc.nat(), fc.integer({ min: 1, max: 255 }), (one, place, change) => {
        const other = Uint8Array.from(one)
        other[place % one.length]! ^= change
        const [text, otherText] = [addressText(one), addressText(other)]
        expect(identify(other) === identify(one)).toBe(text === otherText)
        expect(identify(other) === none).toBe(otherText === undefined)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([`51${'2102'.padEnd(68, 'ab')}51ae`, '6a04deadbeef', 'ac', '', '00', 'ab'.repeat(300)])(
    'of %s is none',
    (text) => {
      expect(identify(hex(text))).toBe(none)
      expect(identifySpent([hex(text)])).toEqual([none])
    },
  )

  it('spreads over all classes, even of programs that are counted up', () => {
    const classes = new Float64Array(64)
    const slices = new Float64Array(64)
    const count = 64_000
    const found = new Uint32Array(2)
    const bytes = Buffer.alloc(34)
    bytes.set([0x51, 0x20])
    const { view, keyWords } = new ByteReader(bytes)
    const all = new Set<number>()
    for (let i = 0; i < count; i++) {
      bytes.writeUInt32BE(i, 30)
      writeIdentity(found, 0, scriptTypes.indexOf('p2tr'), view, keyWords, 0, 34)
      classes[found[1]! & 63]!++
      slices[found[0]! >>> 26]!++
      all.add(found[0]! * 2 ** 21 + (found[1]! >>> 11))
    }
    expect(all.size).toBe(count)
    for (const sums of [classes, slices]) {
      // 63 degrees of freedom: above 110 with a probability of 2 in 10,000.
      const chiSquare = sums.reduce((sum, value) => sum + (value - count / 64) ** 2 / (count / 64), 0)
      expect(chiSquare).toBeLessThan(110)
    }
  })

  it.skipIf(!hasModernBlocks).each([367_891, 866_342])(
    'tells the addresses of mainnet block %d apart as bitcoinjs-lib does',
    (height) => {
      const { undo, spent } = modernBlock(height)
      const block = new DecodedBlock()
      block.transactionCount = spent.length + 1
      block.inputCounts = Uint32Array.from([1, ...spent.map((one) => one.length)])
      decodeUndo(new ByteReader(undo), block)
      const known = new Map<string, string | undefined>()
      const texts = new Map<string | undefined, string>()
      // Without an `expect` for each output, which would take most of the time.
      const wrong: unknown[] = []
      for (const [i, one] of spent.flat().entries()) {
        const identity = `${block.spentIdentities[2 * i]} ${block.spentIdentities[2 * i + 1]}`
        const text = addressText(one.script)
        const isSame = (known.get(identity) ?? text) === text && (texts.get(text) ?? identity) === identity
        if (!isSame || (identity === none) !== (text === undefined)) wrong.push([identity, text])
        known.set(identity, text)
        texts.set(text, identity)
      }
      expect(wrong).toEqual([])
      expect(known.size).toBeGreaterThan(500)
    },
  )
})

it('differs between programs that differ in one or two bits', () => {
  const zeros = hex('5120'.padEnd(68, '0'))
  const flip = (bits: readonly number[]): Uint8Array => {
    const script = Uint8Array.from(zeros)
    for (const bit of bits) script[2 + (bit >> 3)]! ^= 1 << (bit & 7)
    return script
  }
  const bits = Array.from({ length: 256 }, (_, bit) => bit)
  const pairs = bits.flatMap((one) => bits.filter((other) => other < one).map((other) => [one, other]))
  const changed = [[], ...bits.map((bit) => [bit]), ...pairs].map((flipped) => identify(flip(flipped)))
  expect(new Set(changed).size).toBe(changed.length)
  // Each half alone tells most of them apart, and the lowest bits of the lower one, which choose
  // the sample, are spread evenly.
  for (const half of [0, 1]) {
    expect(new Set(changed.map((identity) => identity.split(' ')[half])).size).toBeGreaterThan(0.99 * changed.length)
  }
  const classes = new Float64Array(64)
  for (const identity of changed) classes[Number(identity.split(' ')[1]) % 64]! += 1
  expect(Math.max(...classes)).toBeLessThan((1.3 * changed.length) / 64)
  expect(Math.min(...classes)).toBeGreaterThan((0.7 * changed.length) / 64)
})
