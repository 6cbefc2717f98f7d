import { type ScriptType, scriptTypes } from '#contract/kinds.ts'

const number = (type: ScriptType): number => scriptTypes.indexOf(type)
const p2pk = number('p2pk')
const p2a = number('p2a')
const witnessOther = number('witness_other')

/** Where the hash or key of an address begins in its script, and its length in words, by script type; 0 words if it is read otherwise. */
const programAt = new Uint8Array(scriptTypes.length)
const programWords = new Uint8Array(scriptTypes.length)
for (const [type, at, words] of [
  ['p2pkh', 3, 5],
  ['p2sh', 2, 5],
  ['p2wpkh', 2, 5],
  ['p2wsh', 2, 8],
  ['p2tr', 2, 8],
] as const) {
  programAt[number(type)] = at
  programWords[number(type)] = words
}

/** Words of the hashes and keys in the special forms of compressed scripts (Bitcoin Core, compressor.cpp). */
const formWords = Uint8Array.of(5, 5, 8, 8, 8, 8)

/*
 * The identity of an address is two words, mixed from its type and all bytes of its hash, key or program. P2PK counts by its key
 * in compressed form, so that both forms are one address. Scripts without an address (bare multisig and unknown ones) have the
 * identity 0, 0. Whoever chooses programs freely can choose ones that mix alike; they then count as one address.
 */

/** Writes the identity of the script of `length` bytes at `at`, which are obfuscated with `keyWords`, as words `2 * i` and `2 * i + 1`. */
export function writeIdentity(
  identities: Uint32Array,
  i: number,
  type: number,
  view: DataView,
  keyWords: Int32Array,
  at: number,
  length: number,
): void {
  const words = programWords[type]!
  if (words > 0) mix(identities, i, type, view, keyWords, at + programAt[type]!, words)
  else writeRareIdentity(identities, i, type, view, keyWords, at, length)
}

/** Writes the identity of a script in a special form, whose bytes are not obfuscated. */
export function writeFormIdentity(
  identities: Uint32Array,
  i: number,
  form: number,
  type: number,
  view: DataView,
  at: number,
): void {
  // The lowest bit of the forms of P2PK is that of the key's y coordinate.
  mix(identities, i, form < 2 ? type : p2pkSeed(form & 1), view, noKeyWords, at, formWords[form]!)
}

/** The key of bytes that are not obfuscated, in words. */
export const noKeyWords = new Int32Array(8)
const p2pkSeed = (odd: number): number => p2pk | ((1 + odd) << 8)

function writeRareIdentity(
  identities: Uint32Array,
  i: number,
  type: number,
  view: DataView,
  keyWords: Int32Array,
  at: number,
  length: number,
): void {
  const byte = (offset: number): number => (view.getUint8(at + offset) ^ keyWords[(at + offset) & 7]!) & 0xff
  if (type === p2pk) {
    mix(identities, i, p2pkSeed(byte(length === 35 ? 1 : 65) & 1), view, keyWords, at + 2, 8)
  } else if (type === p2a) {
    mix(identities, i, type, view, keyWords, at, 0)
  } else if (type === witnessOther) {
    const bytes = length - 2
    let seed = type | (byte(0) << 8) | (bytes << 16)
    for (let rest = bytes & ~3; rest < bytes; rest++) seed = Math.imul(seed ^ byte(2 + rest), 0x0100_0193)
    mix(identities, i, seed, view, keyWords, at + 2, bytes >> 2)
  } else {
    identities[2 * i] = 0
    identities[2 * i + 1] = 0
  }
}

/** Each word changes both halves by a bijection; the constants are those of MurmurHash3. */
function mix(
  identities: Uint32Array,
  i: number,
  seed: number,
  view: DataView,
  keyWords: Int32Array,
  at: number,
  words: number,
): void {
  let high = seed ^ 0x9747_b28c
  let low = Math.imul(seed, 0x9e37_79b1)
  for (const end = at + 4 * words; at < end; at += 4) {
    const word = view.getInt32(at, true) ^ keyWords[at & 7]!
    high = Math.imul(high ^ word, 0xcc9e_2d51)
    high ^= high >>> 15
    low = Math.imul((low << 13) | (low >>> 19), 0x1b87_3593) + (word ^ high)
  }
  low = finish(low ^ high)
  high = finish((high + low) | 0)
  // 0, 0 is no address.
  identities[2 * i] = high
  identities[2 * i + 1] = (high | low) === 0 ? 1 : low
}

function finish(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2_ae35)
  return word ^ (word >>> 16)
}
