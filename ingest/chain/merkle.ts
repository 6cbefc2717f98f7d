import { doubleSha256, isSameBytes } from './bytes.ts'

const pair = new Uint8Array(64)

/** The hash above two neighbours of a merkle tree. */
export function merkleParent(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 0)
  pair.set(right, 32)
  return doubleSha256(pair)
}

/**
 * The root of the merkle tree over one or more hashes of 32 bytes; an odd one out is paired with itself. Throws
 * `RangeError` where two neighbours are equal: a block whose last transactions stand there twice would have the root of
 * the block that has them once (CVE-2012-2459).
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes
  while (level.length > 1) {
    const parents: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i]!
      const right = level[i + 1]
      if (right && isSameBytes(left, right)) throw new RangeError('holds the same transactions twice')
      parents.push(merkleParent(left, right ?? left))
    }
    level = parents
  }
  return level[0]!
}
