import { headerBytes } from './block.ts'
import { displayHash, doubleSha256, internalHash } from './bytes.ts'
import { checkCommitments, noHash } from './commitments.ts'

/** The fields of `getblock <hash> 3` that prove it, with hashes in display order. */
export interface ProvableAnswer {
  readonly hash: string
  readonly versionHex: string
  /** Missing on genesis. */
  readonly previousblockhash?: string | undefined
  readonly merkleroot: string
  readonly time: number
  readonly bits: string
  readonly nonce: number
  readonly tx: ReadonlyArray<{
    readonly txid: string
    /** The wtxid. */
    readonly hash: string
    readonly vin: ReadonlyArray<{ readonly txinwitness?: readonly string[] | undefined }>
    readonly vout: ReadonlyArray<{ readonly scriptPubKey: { readonly hex: string } }>
  }>
}

/**
 * Checks that the header and transactions of a response belong to the block of this hash. A node computes the txids
 * from what it reads from disk, but verifies only the header. Throws `RangeError` for a mismatch.
 */
export function checkRpcBlock(answer: ProvableAnswer, hash: string): void {
  if (displayHash(doubleSha256(encodeHeader(answer))) !== hash) throw new RangeError('has a header with another hash')
  const { tx } = answer
  const coinbase = tx[0]!
  const [reservedValue, ...more] = coinbase.vin[0]?.txinwitness ?? []
  checkCommitments(
    {
      txids: tx.map(({ txid }) => internalHash(txid)),
      wtxids: tx.map((transaction, i) => (i === 0 ? noHash : internalHash(transaction.hash))),
      hasWitnesses: tx.some((transaction) => transaction.hash !== transaction.txid),
    },
    {
      merkleRoot: internalHash(answer.merkleroot),
      coinbaseScripts: coinbase.vout.map(({ scriptPubKey }) => Buffer.from(scriptPubKey.hex, 'hex')),
      reservedValue: reservedValue === undefined || more.length > 0 ? undefined : Buffer.from(reservedValue, 'hex'),
    },
  )
}

function encodeHeader({ versionHex, previousblockhash, merkleroot, time, bits, nonce }: ProvableAnswer): Uint8Array {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(Number.parseInt(versionHex, 16), 0)
  if (previousblockhash) header.set(internalHash(previousblockhash), 4)
  header.set(internalHash(merkleroot), 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(Number.parseInt(bits, 16), 72)
  header.writeUInt32LE(nonce, 76)
  return header
}
