import { doubleSha256, isSameBytes } from './bytes.ts'

/** Replaces the coinbase's wtxid, which cannot commit to its own witness (BIP141). */
export const noHash = new Uint8Array(32)

const pair = new Uint8Array(64)

export function merkleParent(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 0)
  pair.set(right, 32)
  return doubleSha256(pair)
}

/**
 * Merkle root of at least one 32-byte hash. Throws `RangeError` for two equal neighbours: a block
 * with duplicated transactions at its end would have the valid block's root (CVE-2012-2459).
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
