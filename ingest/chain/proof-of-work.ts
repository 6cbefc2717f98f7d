const workByBits = new Map<number, bigint>()

/** Expected number of hashes to find a block with this target: 2^256 / (target + 1). */
export function blockWork(bits: number): bigint {
  let work = workByBits.get(bits)
  if (work === undefined) {
    work = 2n ** 256n / (decodeTarget(bits) + 1n)
    workByBits.set(bits, work)
  }
  return work
}

/**
 * Checks that the header hash at `at` of `hashes` (internal byte order) meets its own compact target, and that this
 * target is no easier than `easiestBits`. On a network with real miners, a header with a flipped bit practically never
 * does.
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

const targetsByBits = new Map<number, Uint8Array>()

/** The target as 32 little-endian bytes, capped at 2^256 − 1. */
function targetBytes(bits: number): Uint8Array {
  let bytes = targetsByBits.get(bits)
  if (bytes === undefined) {
    const target = decodeTarget(bits)
    const highest = 2n ** 256n - 1n
    const hex = (target < highest ? target : highest).toString(16).padStart(64, '0')
    bytes = Buffer.from(hex, 'hex').reverse()
    targetsByBits.set(bits, bytes)
  }
  return bytes
}

/** Decodes a compact target (`nBits`). */
export function decodeTarget(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}

/** A sum of work as four 32-bit limbs, lowest first: more than all hashes that could ever be computed. */
const limbs = 4

/** Accumulated work of each block of a tree, by row. */
export class WorkSums {
  readonly #sums: Uint32Array
  /** The previous block's, which is usually the same. */
  #bits = -1
  #own: Float64Array = new Float64Array(limbs)

  constructor(rows: number) {
    this.#sums = new Uint32Array(limbs * rows)
  }

  /** Writes the work of `row`, with these bits, on top of its parent's. */
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

const limbsByBits = new Map<number, Float64Array>()

function workLimbs(bits: number): Float64Array {
  let own = limbsByBits.get(bits)
  if (own === undefined) {
    const work = blockWork(bits)
    own = Float64Array.from({ length: limbs }, (_, limb) => Number((work >> BigInt(32 * limb)) & 0xffff_ffffn))
    limbsByBits.set(bits, own)
  }
  return own
}
