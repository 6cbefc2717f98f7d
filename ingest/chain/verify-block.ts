import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, doubleSha256, isSameBytes } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { headerMerkleRoot } from './header-chain.ts'
import { merkleRoot, noHash } from './merkle.ts'

const hashBytes = 32
const flagBytes = 2
const versionBytes = 4
const lockTimeBytes = 4

/** A coinbase's witness: a single item of 32 bytes (BIP141). */
const reservedValueTag = Buffer.from('0120', 'hex')

/**
 * Start of the coinbase output script that commits to all witnesses (BIP141): OP_RETURN, 36 bytes,
 * a tag.
 */
const commitmentTag = Buffer.from('6a24aa21a9ed', 'hex')

/**
 * Decodes a block, except for spent outputs, and verifies every byte: the header by the hash,
 * transactions by the merkle root, witnesses by the coinbase's commitment. Throws `RangeError` for
 * a mismatch.
 */
export function verifyBlock(bytes: Uint8Array, hash: Uint8Array, block: DecodedBlock): void {
  if (bytes.length < headerBytes || !isSameBytes(doubleSha256(bytes.subarray(0, headerBytes)), hash)) {
    throw new RangeError('has a header with another hash')
  }
  const txids: Uint8Array[] = []
  const wtxids: Uint8Array[] = []
  let reserved: Uint8Array | undefined
  let hasWitnesses = false
  decodeBlock(new ByteReader(bytes), block, (transaction, start, end, witnessBytes) => {
    const whole = bytes.subarray(start, end)
    const txid = doubleSha256(witnessBytes > 0 ? withoutWitness(whole, witnessBytes) : whole)
    txids.push(txid)
    wtxids.push(transaction === 0 ? noHash : witnessBytes > 0 ? doubleSha256(whole) : txid)
    if (transaction === 0) reserved = reservedValue(whole, witnessBytes)
    hasWitnesses ||= witnessBytes > 0
  })
  if (!isSameBytes(merkleRoot(txids), headerMerkleRoot(bytes)))
    throw new RangeError('has other transactions than its merkle root commits to')
  if (!hasWitnesses) return
  // The last of several commitments counts (BIP141).
  const commitment = block.coinbase.outputs.findLast(({ script }) => isCommitment(script))?.script
  if (!commitment) throw new RangeError('has witnesses that its coinbase does not commit to')
  if (reserved?.length !== hashBytes) {
    throw new RangeError('has a coinbase without the reserved value for its witness commitment')
  }
  const committed = commitment.subarray(commitmentTag.length, commitmentTag.length + hashBytes)
  if (!isSameBytes(doubleSha256(merkleRoot(wtxids), reserved), committed)) {
    throw new RangeError('has other witnesses than its coinbase commits to')
  }
}

const isCommitment = (script: Uint8Array): boolean =>
  script.length >= commitmentTag.length + hashBytes &&
  isSameBytes(script.subarray(0, commitmentTag.length), commitmentTag)

function withoutWitness(transaction: Uint8Array, witnessBytes: number): Uint8Array {
  const witnessEnd = transaction.length - lockTimeBytes
  return Buffer.concat([
    transaction.subarray(0, versionBytes),
    transaction.subarray(versionBytes + flagBytes, witnessEnd - (witnessBytes - flagBytes)),
    transaction.subarray(witnessEnd),
  ])
}

/** The only item of the coinbase's witness, of 32 bytes; otherwise `undefined`. */
function reservedValue(coinbase: Uint8Array, witnessBytes: number): Uint8Array | undefined {
  if (witnessBytes === 0) return undefined
  const witness = coinbase.subarray(0, -lockTimeBytes).subarray(-(witnessBytes - flagBytes))
  const tagged = isSameBytes(witness.subarray(0, reservedValueTag.length), reservedValueTag)
  return tagged ? witness.subarray(reservedValueTag.length) : undefined
}
