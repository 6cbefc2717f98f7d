import { merkleParent } from '../chain/merkle.ts'

/**
 * The hashes that lead from the first leaf of a merkle tree to its root: with them, a block whose coinbase changes
 * needs no more than the coinbase hashed again.
 * @param others the leaves behind the first
 */
export function branchOfFirst(others: readonly Uint8Array[]): Uint8Array[] {
  const branch: Uint8Array[] = []
  let level = others
  while (level.length > 0) {
    branch.push(level[0]!)
    const next: Uint8Array[] = []
    for (let i = 1; i < level.length; i += 2) next.push(merkleParent(level[i]!, level[i + 1] ?? level[i]!))
    level = next
  }
  return branch
}

/** The merkle root of the tree whose first leaf is `first`. */
export function rootFrom(first: Uint8Array, branch: readonly Uint8Array[]): Uint8Array {
  return branch.reduce(merkleParent, first)
}
