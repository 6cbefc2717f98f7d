import { doubleSha256, isSameBytes } from './bytes.ts'
import { merkleRoot } from './merkle.ts'

const hashBytes = 32

/** Stands for the coinbase among the ids with witnesses: it cannot commit to its own witness. */
export const noHash = new Uint8Array(hashBytes)

/** Begins the script of the coinbase output that commits to all witnesses (BIP141): OP_RETURN, 36 bytes, a tag. */
const commitmentTag = Buffer.from('6a24aa21a9ed', 'hex')

/** What the header and the coinbase of a block say about its transactions. Hashes as in the block files. */
export interface Commitments {
  readonly merkleRoot: Uint8Array
  /** The scripts of the coinbase's outputs, in their order. */
  readonly coinbaseScripts: readonly Uint8Array[]
  /** The one item of the coinbase's witness; `undefined` where it has none, or another number of items. */
  readonly reservedValue: Uint8Array | undefined
}

/** The ids of the transactions of a block, the coinbase first. */
export interface TransactionIds {
  readonly txids: readonly Uint8Array[]
  /** With their witnesses; the coinbase's is `noHash`. */
  readonly wtxids: readonly Uint8Array[]
  /** Whether any transaction of the block has a witness. */
  readonly hasWitnesses: boolean
}

/**
 * Checks that a block has the transactions that its header commits to (by the merkle root) and the witnesses that its
 * coinbase commits to (BIP141). Throws `RangeError` with what is wrong.
 */
export function checkCommitments(
  { txids, wtxids, hasWitnesses }: TransactionIds,
  { merkleRoot: root, coinbaseScripts, reservedValue }: Commitments,
): void {
  if (!isSameBytes(merkleRoot(txids), root))
    throw new RangeError('has other transactions than its merkle root commits to')
  if (!hasWitnesses) return
  // Of several commitments the last one counts.
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
