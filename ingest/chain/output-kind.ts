import { type ScriptType, scriptTypes, sizes } from '#contract/kinds.ts'

/** Scripts above this size are unspendable (Bitcoin Core, MAX_SCRIPT_SIZE). */
export const maxSpendableScriptBytes = 10_000

const number = (type: ScriptType): number => scriptTypes.indexOf(type)
export const p2pk = number('p2pk')
export const p2pkh = number('p2pkh')
const multisig = number('multisig')
export const p2sh = number('p2sh')
export const p2wpkh = number('p2wpkh')
export const p2wsh = number('p2wsh')
export const p2tr = number('p2tr')
export const p2a = number('p2a')
export const witnessOther = number('witness_other')
const other = number('other')
export const opReturn = number('op_return')
export const unspendable = number('unspendable')

/** Script types of the special forms of compressed scripts (Bitcoin Core, compressor.cpp). */
export const typeOfForm = Uint8Array.of(p2pkh, p2sh, p2pk, p2pk, p2pk, p2pk)

/**
 * Type number of the script of `length` bytes at `at`, obfuscated with `key`. Never reads outside
 * the script.
 */
export function scriptTypeAt(bytes: Uint8Array, key: Uint8Array, at: number, length: number): number {
  if (length === 0) return other
  const last = at + length - 1
  const first = bytes[at]! ^ key[at & 7]!
  const second = length === 1 ? 0 : bytes[at + 1]! ^ key[(at + 1) & 7]!
  if (first === 0x6a) return opReturn
  switch (length) {
    case 22:
      if (first === 0 && second === 20) return p2wpkh
      break
    case 25:
      if (first === 0x76 && second === 0xa9 && (bytes[at + 2]! ^ key[(at + 2) & 7]!) === 20) {
        const verify = bytes[last - 1]! ^ key[(last - 1) & 7]!
        if (verify === 0x88 && (bytes[last]! ^ key[last & 7]!) === 0xac) return p2pkh
      }
      break
    case 23:
      if (first === 0xa9 && second === 20 && (bytes[last]! ^ key[last & 7]!) === 0x87) return p2sh
      break
    case 34:
      if (second === 32 && first === 0x51) return p2tr
      if (second === 32 && first === 0) return p2wsh
      break
    case 4:
      if (first === 0x51 && second === 2) {
        if ((bytes[at + 2]! ^ key[(at + 2) & 7]!) === 0x4e && (bytes[last]! ^ key[last & 7]!) === 0x73) return p2a
      }
      break
  }
  return rareTypeAt(bytes, key, at, length)
}

function rareTypeAt(bytes: Uint8Array, key: Uint8Array, at: number, length: number): number {
  if (length > maxSpendableScriptBytes) return unspendable
  const byte = (offset: number): number => bytes[at + offset]! ^ key[(at + offset) & 7]!
  const first = byte(0)
  const last = byte(length - 1)
  if (last === 0xac && length === first + 2 && first === keyBytes(byte(1))) return p2pk
  if (first !== 0 && isProgram(bytes, key, at, length)) return witnessOther
  if (last === 0xae && length > 3 && isMultisig(byte, length)) return multisig
  return other
}

/**
 * Whether a script is a version from 0 to 16, then a push of 2 to 40 bytes (BIP141). Version 0 has
 * rules for 20 and 32 bytes only.
 */
function isProgram(bytes: Uint8Array, key: Uint8Array, at: number, length: number): boolean {
  const version = bytes[at]! ^ key[at & 7]!
  if ((version !== 0 && (version < 0x51 || version > 0x60)) || length < 4 || length > 42) return false
  return (bytes[at + 1]! ^ key[(at + 1) & 7]!) === length - 2
}

/** Length of a public key by its first byte; 0 if it is none. */
const keyBytes = (first: number): number =>
  first === 2 || first === 3 ? 33 : first === 4 || first === 6 || first === 7 ? 65 : 0

/**
 * `OP_m key … key OP_n OP_CHECKMULTISIG` with up to 20 keys; counts above 16 take a byte (Bitcoin
 * Core, MatchMultisig).
 */
function isMultisig(byte: (offset: number) => number, length: number): boolean {
  let at = 0
  /** −1 if there is none. */
  const readCount = (): number => {
    const code = byte(at++)
    if (code >= 0x51 && code <= 0x60) return code - 0x50
    const count = code === 1 ? byte(at++) : 0
    return count > 16 && count <= 20 ? count : -1
  }
  const needed = readCount()
  let keys = 0
  while (at < length - 1 && keyBytes(byte(at + 1)) === byte(at) && byte(at) > 0) {
    at += 1 + byte(at)
    keys++
  }
  if (at >= length - 1) return false
  return readCount() === keys && needed >= 1 && needed <= keys && at === length - 1
}

/** Bytes of the spending input in Bitcoin Core's dust limit (policy.cpp, GetDustThreshold). */
const spendingBytes = 148
const witnessSpendingBytes = 67
const isWitness = Uint8Array.from(scriptTypes, (type) =>
  Number(['p2wpkh', 'p2wsh', 'p2tr', 'p2a', 'witness_other'].includes(type)),
)

/**
 * Whether a spendable output is worth less than spending it costs at 3 satoshis per byte: below 546
 * for P2PKH, 294 for P2WPKH. Bitcoin Core does not relay such outputs by default. The script of
 * `length` bytes at `at` is obfuscated with `key`.
 */
export function isDust(
  sats: number,
  type: number,
  bytes: Uint8Array,
  key: Uint8Array,
  at: number,
  length: number,
): boolean {
  // Standard scripts have at most some 700 bytes.
  if (sats >= 3000 && length < 700) return false
  const hasWitness = isWitness[type] === 1 || (type === other && isProgram(bytes, key, at, length))
  const sizeBytes = length < 0xfd ? 1 : 3
  return sats < 3 * (8 + sizeBytes + length + (hasWitness ? witnessSpendingBytes : spendingBytes))
}

/** The largest size that all numbers of so many bits reach. */
const sizeByBits = Uint8Array.from({ length: 64 }, (_, bits) =>
  bits === 0 ? 0 : sizes.findLastIndex((least) => least <= 2 ** (bits - 1)),
)
const nextSize = Float64Array.from([...sizes.slice(1), Number.POSITIVE_INFINITY])

/** Size number of a value in satoshis. */
export function sizeOf(sats: number): number {
  const high = (sats / 2 ** 32) | 0
  const bits = high === 0 ? 32 - Math.clz32(sats) : 64 - Math.clz32(high)
  const size = sizeByBits[bits]!
  return sats >= nextSize[size]! ? size + 1 : size
}
