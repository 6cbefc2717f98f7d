import { memoize } from '#base/memoize.ts'
import { internalHash } from './bytes.ts'

/** Expected number of hashes to find a block with this target: 2^256 / (target + 1). */
export const blockWork = memoize((bits: number): bigint => 2n ** 256n / (decodeTarget(bits) + 1n))

/**
 * Checks that the hash at `at` meets its own target, and that this is no easier than `easiestBits`.
 * On a network with miners, a damaged header practically never passes.
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

/**
 * A sum of work as four 32-bit limbs, lowest first: more than all hashes that could ever be
 * computed.
 */
const limbs = 4

export class WorkSums {
  readonly #sums: Uint32Array
  #bits = -1
  #own: Float64Array = new Float64Array(limbs)

  constructor(rows: number) {
    this.#sums = new Uint32Array(limbs * rows)
  }

  /** Adds the work of `bits` to the parent's sum. */
  set(row: number, parent: number | undefined, bits: number): void {
    const sums = this.#sums
    if (bits !== this.#bits) {
      this.#bits = bits
      this.#own = workLimbs(bits)
    }
    const own = this.#own
    let carry = 0
    for (let limb = 0; limb < limbs; limb++) {
      const sum = own[limb]! + carry + (parent === undefined ? 0 : sums[limbs * parent + limb]!)
      sums[limbs * row + limb] = sum
      carry = sum > 0xffff_ffff ? 1 : 0
    }
  }

  /** Negative if `one` has less work than `other`, 0 if equal. */
  compare(one: number, other: number): number {
    for (let limb = limbs - 1; limb >= 0; limb--) {
      const difference = this.#sums[limbs * one + limb]! - this.#sums[limbs * other + limb]!
      if (difference !== 0) return difference
    }
    return 0
  }
}

const workLimbs = memoize((bits: number): Float64Array => {
  const work = blockWork(bits)
  return Float64Array.from({ length: limbs }, (_, limb) => Number((work >> BigInt(32 * limb)) & 0xffff_ffffn))
})
