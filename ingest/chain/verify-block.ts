import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, doubleSha256, isSameBytes } from './bytes.ts'
import { checkCommitments, noHash } from './commitments.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { headerMerkleRoot } from './header-chain.ts'

const flagBytes = 2
const versionBytes = 4
const lockTimeBytes = 4

/** A coinbase's witness is a single item of 32 bytes (BIP141). */
const reservedValueTag = Buffer.from('0120', 'hex')

/**
 * Verifies every byte of a block against its hash and decodes it, except for spent outputs: the
 * header by the hash, transactions by the merkle root, witnesses by the coinbase's commitment.
 * Throws `RangeError` for a mismatch.
 */
export function verifyBlock(bytes: Uint8Array, hash: Uint8Array, block: DecodedBlock): void {
  if (bytes.length < headerBytes || !isSameBytes(doubleSha256(bytes.subarray(0, headerBytes)), hash)) {
    throw new RangeError('has a header with another hash')
  }
  const txids: Uint8Array[] = []
  const wtxids: Uint8Array[] = []
  const coinbase = { bytes: noHash, witnessBytes: 0 }
  let hasWitnesses = false
  decodeBlock(new ByteReader(bytes), block, (transaction, start, end, witnessBytes) => {
    const whole = bytes.subarray(start, end)
    const txid = doubleSha256(witnessBytes > 0 ? withoutWitness(whole, witnessBytes) : whole)
    txids.push(txid)
    wtxids.push(transaction === 0 ? noHash : witnessBytes > 0 ? doubleSha256(whole) : txid)
    if (transaction === 0) Object.assign(coinbase, { bytes: whole, witnessBytes })
    hasWitnesses ||= witnessBytes > 0
  })
  checkCommitments(
    { txids, wtxids, hasWitnesses },
    {
      merkleRoot: headerMerkleRoot(bytes),
      coinbaseScripts: block.coinbase.outputs.map(({ script }) => script),
      reservedValue: reservedValue(coinbase.bytes, coinbase.witnessBytes),
    },
  )
}

function withoutWitness(transaction: Uint8Array, witnessBytes: number): Uint8Array {
  const witnessEnd = transaction.length - lockTimeBytes
  return Buffer.concat([
    transaction.subarray(0, versionBytes),
    transaction.subarray(versionBytes + flagBytes, witnessEnd - (witnessBytes - flagBytes)),
    transaction.subarray(witnessEnd),
  ])
}

function reservedValue(coinbase: Uint8Array, witnessBytes: number): Uint8Array | undefined {
  if (witnessBytes === 0) return undefined
  const witness = coinbase.subarray(0, -lockTimeBytes).subarray(-(witnessBytes - flagBytes))
  const tagged = isSameBytes(witness.subarray(0, reservedValueTag.length), reservedValueTag)
  return tagged ? witness.subarray(reservedValueTag.length) : undefined
}
