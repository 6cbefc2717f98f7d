const workByBits = new Map<number, bigint>()

/** Expected number of hashes to find a block of this compact target: 2^256 / (target + 1). */
export function blockWork(bits: number): bigint {
  let work = workByBits.get(bits)
  if (work === undefined) {
    work = 2n ** 256n / (decodeTarget(bits) + 1n)
    workByBits.set(bits, work)
  }
  return work
}

/**
 * Whether a header's hash (at `at` of `hashes`, in the byte order of the block files) is as low as its own compact target demands, and that
 * target no easier than `easiestBits`. A header with a flipped bit practically never is, on a network with real miners.
 */
export function hasProofOfWork(bits: number, easiestBits: number, hashes: Uint8Array, at = 0): boolean {
  const target = targetBytes(bits)
  return isAtMost(target, 0, targetBytes(easiestBits)) && isAtMost(hashes, at, target)
}

/** Compares 256-bit numbers in the byte order of the block files, the first of which begins at `at`. */
function isAtMost(one: Uint8Array, at: number, other: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) if (one[at + i] !== other[i]) return one[at + i]! < other[i]!
  return true
}

const targetsByBits = new Map<number, Uint8Array>()

/** The target of a compact form as a hash would be written; one beyond 2^256 as the highest that there is. */
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

/** The target that a compact form (`nBits`) stands for. */
export function decodeTarget(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}

/** Limbs of 32 bits, lowest first, in which sums of work stand: more than all hashes that could ever be made. */
const limbs = 4

/** Sums of work of the blocks of a tree, by row. */
export class WorkSums {
  readonly #sums: Uint32Array
  /** Those of the block before, which most often has the same. */
  #bits = -1
  #own: Float64Array = new Float64Array(limbs)

  constructor(rows: number) {
    this.#sums = new Uint32Array(limbs * rows)
  }

  /** Writes the work of a block of these bits, and of all blocks up to `parent` where it has one, to `row`. */
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

  /** Negative where `one` has less work than `other`, 0 where it has as much. */
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
