import { scriptTypes } from '#contract/kinds.ts'
import { p2a, p2pk, p2pkh, p2sh, p2tr, p2wpkh, p2wsh, witnessOther } from './output-kind.ts'

/**
 * For each script type four bytes in one number: seed, length of the hash or key in words, offset of
 * the hash or key in the script, and a bit that tells a partner apart. The number is 0 for types
 * that `writeRareIdentity` reads. Packed, because memory is slower than arithmetic here.
 */
const layouts = new Uint32Array(scriptTypes.length)
for (const [type, at, words, seed, partnerBit] of [
  [p2pkh, 3, 5, p2pkh, 0],
  [p2sh, 2, 5, p2sh, 0],
  [p2wpkh, 2, 5, p2pkh, 1],
  [p2wsh, 2, 8, p2wsh, 0],
  [p2tr, 2, 8, p2tr, 0],
] as const) {
  layouts[type] = seed | (words << 8) | (at << 16) | (partnerBit << 24)
}

/**
 * Words of the hashes and keys in the special forms of compressed scripts (Bitcoin Core,
 * compressor.cpp).
 */
const formWords = Uint8Array.of(5, 5, 8, 8, 8, 8)

/*
 * An identity is two words, mixed from the type and all bytes of the hash, key or program. P2PK
 * counts by its compressed key, so both forms are one address. Scripts without an address (bare
 * multisig, unknown) have the identity 0, 0. Somebody can make witness programs with the same
 * identity on purpose; they then count as one address.
 *
 * The P2PKH and P2WPKH addresses of a key are partners: only the lowest bit of the higher word
 * differs, so they share sample and partition, and each is found from the other.
 */

export const hasPartner = (type: number): boolean => type === p2pkh || type === p2wpkh

/** The lower word is the same. */
export const partnerHigh = (high: number): number => (high ^ 1) >>> 0

/**
 * Writes the identity of the script of `length` bytes at `at`, obfuscated with `keyWords`, as words
 * `2 * i` and `2 * i + 1`.
 */
export function writeIdentity(
  identities: Uint32Array,
  i: number,
  type: number,
  view: DataView,
  keyWords: Int32Array,
  at: number,
  length: number,
): void {
  const layout = layouts[type]!
  const words = (layout >>> 8) & 0xff
  if (words > 0) {
    mix(identities, i, layout & 0xff, view, keyWords, at + ((layout >>> 16) & 0xff), words, layout >>> 24)
  } else writeRareIdentity(identities, i, type, view, keyWords, at, length)
}

/** Writes the identity of an unobfuscated script in a special form. */
export function writeFormIdentity(
  identities: Uint32Array,
  i: number,
  form: number,
  type: number,
  view: DataView,
  at: number,
): void {
  // The lowest bit of the P2PK forms is that of the key's y coordinate.
  mix(identities, i, form < 2 ? type : p2pkSeed(form & 1), view, noKeyWords, at, formWords[form]!)
}

/** Key of unobfuscated bytes, in words. */
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

/**
 * Sums the words in both halves, each multiplied by its own odd number, then mixes the halves by a
 * bijection. Independent multiplications take half the time of mixing word by word. The
 * lower half also mixes the bits of each word, so that two scripts that differ in two bits never
 * have the same identity.
 */
function mix(
  identities: Uint32Array,
  i: number,
  seed: number,
  view: DataView,
  keyWords: Int32Array,
  at: number,
  words: number,
  partnerBit = 0,
): void {
  let high = Math.imul(seed + 1, 0x9e37_79b1)
  let low = Math.imul(seed + 1, 0x85eb_ca6b)
  let highFactor = 0xcc9e_2d51 | 0
  let lowFactor = 0x1b87_3593
  for (const end = at + 4 * words; at < end; at += 4) {
    const word = view.getInt32(at, true) ^ keyWords[at & 7]!
    high = (high + Math.imul(word, highFactor)) | 0
    low = (low + Math.imul(word ^ (word >>> 15), lowFactor)) | 0
    highFactor = Math.imul(highFactor, 0x9e37_79b1)
    lowFactor = Math.imul(lowFactor, 0x85eb_ca6b)
  }
  low ^= high
  low = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b)
  low = Math.imul(low ^ (low >>> 13), 0xc2b2_ae35)
  low ^= low >>> 16
  high = (high + Math.imul(low, 0x9e37_79b1)) | 0
  identities[2 * i] = high ^ partnerBit
  // 0, 0 is no address, and partners have the same lower word.
  identities[2 * i + 1] = low === 0 ? 1 : low
}
