import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scriptTypes, sizes } from '#contract/kinds.ts'
import { noKey } from '#ingest/chain/bytes.ts'
import { scriptTypeAt, sizeOf } from '#ingest/chain/output-kind.ts'
import { bitcoind, nameScripts } from './core-script-types.ts'

const key = (first: string, bytes = 32): string => first + 'ab'.repeat(bytes)
const pushed = (hex: string): string => (hex.length / 2).toString(16).padStart(2, '0') + hex
const short = pushed(key('02'))
const long = pushed(key('04', 64))

/** The type of a script of other bytes around it, obfuscated with `mask`. */
function typeOf(hex: string, mask = noKey, before = 0): string {
  const script = Buffer.from(hex, 'hex')
  const bytes = Buffer.concat([Buffer.alloc(before, 0xac), script, Buffer.alloc(3, 0xae)])
  const masked = bytes.map((byte, i) => byte ^ mask[i & 7]!)
  return scriptTypes[scriptTypeAt(masked, mask, before, script.length)]!
}

const examples = [
  ['p2pk', `${short}ac`],
  ['p2pk', `${pushed(key('03'))}ac`],
  ['p2pk', `${long}ac`],
  // Hybrid keys are valid in scripts.
  ['p2pk', `${pushed(key('06', 64))}ac`],
  ['p2pk', `${pushed(key('07', 64))}ac`],
  ['other', `${pushed(key('05', 64))}ac`],
  ['other', `${pushed(key('04'))}ac`],
  ['other', `${pushed(key('02', 64))}ac`],
  ['other', `${short}ad`],
  ['p2pkh', `76a914${'ab'.repeat(20)}88ac`],
  ['other', `76a914${'ab'.repeat(20)}88ad`],
  ['other', `76a914${'ab'.repeat(20)}87ac`],
  ['other', `76aa14${'ab'.repeat(20)}88ac`],
  ['p2sh', `a914${'ab'.repeat(20)}87`],
  ['other', `a914${'ab'.repeat(20)}88`],
  ['p2wpkh', `0014${'ab'.repeat(20)}`],
  ['p2wsh', `0020${'ab'.repeat(32)}`],
  // Version 0 allows 20 and 32 bytes only.
  ['other', `0015${'ab'.repeat(21)}`],
  ['other', `0002${'ab'.repeat(2)}`],
  ['p2tr', `5120${'ab'.repeat(32)}`],
  ['witness_other', `5220${'ab'.repeat(32)}`],
  ['witness_other', `6028${'ab'.repeat(40)}`],
  ['other', `6029${'ab'.repeat(41)}`],
  ['witness_other', `5114${'ab'.repeat(20)}`],
  ['other', `5113${'ab'.repeat(20)}`],
  ['other', '5101ab'],
  ['p2a', '51024e73'],
  ['witness_other', '51024e74'],
  ['multisig', `51${short}51ae`],
  ['multisig', `52${short}${long}${short}53ae`],
  ['multisig', `5f${short.repeat(16)}60ae`],
  ['multisig', `51${short.repeat(17)}0111ae`],
  ['multisig', `0111${short.repeat(20)}0114ae`],
  ['other', `51${short.repeat(21)}0115ae`],
  ['other', `51${short.repeat(16)}0110ae`],
  ['other', `53${short.repeat(2)}52ae`],
  ['other', `52${short.repeat(3)}52ae`],
  ['other', `00${short}51ae`],
  ['other', `51${pushed(key('05', 64))}51ae`],
  ['other', `51${short}51af`],
  ['other', '5151ae'],
  ['other', 'ae'],
  ['other', ''],
  ['other', 'ac'],
  ['op_return', '6a'],
  ['op_return', `6a24${'ab'.repeat(36)}`],
  ['op_return', `6a${'ab'.repeat(10_001)}`],
  ['unspendable', 'ab'.repeat(10_001)],
  ['other', 'ab'.repeat(10_000)],
] as const

it.each(examples)('%s is the type of %s', (type, hex) => {
  expect(typeOf(hex)).toBe(type)
  expect(typeOf(hex, Buffer.from('0123456789abcdef', 'hex'), 5)).toBe(type)
})

it.skipIf(!bitcoind)('types of examples are those that Bitcoin Core names', async () => {
  const types = await nameScripts(examples.map(([, hex]) => hex))
  for (const [type, hex] of examples) {
    // Bitcoin Core gives no name to unspendable scripts that are too long, or that return more
    // than data.
    expect(types.get(hex), hex).toBe(hex.length > 20_000 ? 'other' : type)
  }
})

it('reads no byte outside a script', () => {
  for (const [type, hex] of examples) {
    const script = new Uint8Array(Buffer.from(hex, 'hex'))
    const watched = new Proxy(script, {
      get(bytes, name) {
        const at = Number(name)
        if (Number.isInteger(at) && at >= bytes.length) throw new Error(`byte ${at} of ${bytes.length}`)
        return Reflect.get(bytes, name)
      },
    })
    expect(scriptTypes[scriptTypeAt(watched, noKey, 0, script.length)]).toBe(type)
  }
})

it('sizes begin at nothing, a satoshi, 1,000 satoshis and their powers of ten', () => {
  const bounds = sizes.flatMap((least) => [least - 1, least, least + 1]).filter((sats) => sats >= 0)
  for (const sats of [...bounds, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 21e14]) {
    expect(sizeOf(sats), `${sats}`).toBe(sizes.findLastIndex((least) => least <= sats))
  }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 21e14 }), fc.nat(9), (value, zeros) => {
      const sats = Math.floor(value / 10 ** zeros)
      expect(sizeOf(sats)).toBe(sizes.findLastIndex((least) => least <= sats))
    }),
    { numRuns: 2_000 },
  )
})
