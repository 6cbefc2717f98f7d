import { doubleSha256, isSameBytes } from './bytes.ts'

const hashBytes = 32

/** Takes the place of the coinbase's wtxid, which cannot commit to its own witness (BIP141). */
export const noHash = new Uint8Array(hashBytes)

/**
 * Start of the script of the coinbase output that commits to all witnesses (BIP141): OP_RETURN, 36
 * bytes, a tag.
 */
const commitmentTag = Buffer.from('6a24aa21a9ed', 'hex')

/** In internal byte order. */
export interface Commitments {
  readonly merkleRoot: Uint8Array
  readonly coinbaseScripts: readonly Uint8Array[]
  /** The only item of the coinbase's witness; `undefined` if the number of items is not one. */
  readonly reservedValue: Uint8Array | undefined
}

/** In internal byte order. */
export interface TransactionIds {
  readonly txids: readonly Uint8Array[]
  /** The coinbase's is `noHash`. */
  readonly wtxids: readonly Uint8Array[]
  readonly hasWitnesses: boolean
}

/**
 * Checks the transactions of a block against the merkle root in its header, and their witnesses
 * against its coinbase (BIP141). Throws `RangeError` for a mismatch.
 */
export function checkCommitments(
  { txids, wtxids, hasWitnesses }: TransactionIds,
  { merkleRoot: root, coinbaseScripts, reservedValue }: Commitments,
): void {
  if (!isSameBytes(merkleRoot(txids), root))
    throw new RangeError('has other transactions than its merkle root commits to')
  if (!hasWitnesses) return
  // The last of several commitments counts (BIP141).
  const commitment = coinbaseScripts.map(commitmentIn).findLast((hash) => hash !== undefined)
  if (!commitment) throw new RangeError('has witnesses that its coinbase does not commit to')
  if (reservedValue?.length !== hashBytes) {
    throw new RangeError('has a coinbase without the reserved value for its witness commitment')
  }
  if (!isSameBytes(doubleSha256(merkleRoot(wtxids), reservedValue), commitment)) {
    throw new RangeError('has other witnesses than its coinbase commits to')
  }
}

function commitmentIn(script: Uint8Array): Uint8Array | undefined {
  const hash = script.subarray(commitmentTag.length, commitmentTag.length + hashBytes)
  return hash.length === hashBytes && isSameBytes(script.subarray(0, commitmentTag.length), commitmentTag)
    ? hash
    : undefined
}

const pair = new Uint8Array(64)

export function merkleParent(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 0)
  pair.set(right, 32)
  return doubleSha256(pair)
}

/**
 * The merkle root of one or more 32-byte hashes. Throws `RangeError` for two equal neighbours: a
 * block with duplicated transactions at its end would have the same root as the valid block
 * (CVE-2012-2459).
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
