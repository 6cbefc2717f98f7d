import { memoize } from '#base/memoize.ts'
import { internalHash } from './bytes.ts'

/** Expected number of hashes to find a block: 2^256 / (target + 1). */
export const blockWork = memoize((bits: number): bigint => 2n ** 256n / (decodeTarget(bits) + 1n))

/**
 * Checks that the hash at `at` meets its own target, no easier than `easiestBits`. With miners, a
 * damaged header practically never passes.
 */
export function hasProofOfWork(bits: number, easiestBits: number, hashes: Uint8Array, at = 0): boolean {
  const target = targetBytes(bits)
  return isAtMost(target, 0, targetBytes(easiestBits)) && isAtMost(hashes, at, target)
}

/** Compares 256-bit little-endian numbers; `one` begins at `at`. */
function isAtMost(one: Uint8Array, at: number, other: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) if (one[at + i] !== other[i]) return one[at + i]! < other[i]!
  return true
}

/** The target as 32 little-endian bytes, capped at 2^256 − 1. */
const targetBytes = memoize((bits: number): Uint8Array => {
  const target = decodeTarget(bits)
  const max = 2n ** 256n - 1n
  return internalHash((target < max ? target : max).toString(16).padStart(64, '0'))
})

export function decodeTarget(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}
