import { headerBytes } from '../chain/block.ts'
import { doubleSha256Text } from '../chain/bytes.ts'
import { networks } from '../chain/networks.ts'
import { decodeTarget, hasProofOfWork } from '../chain/proof-of-work.ts'
import { ByteWriter } from './byte-writer.ts'
import { bitsOn } from './difficulty.ts'
import { branchOfFirst, rootFrom } from './merkle.ts'
import type { SimulatedTransaction } from './transaction.ts'
import type { EncodedTransaction } from './transaction-bytes.ts'

const noHash = new Uint8Array(32)
const { easiestBits } = networks.simulated
const writer = new ByteWriter()

/** All of a block but its header and coinbase; several blocks can share one. */
export interface BlockBody {
  readonly transactionCount: number
  readonly bytes: Uint8Array
  readonly feeSats: number
  readonly branch: readonly Uint8Array[]
  /** What the coinbase commits to, apart from its reserved value. */
  readonly witnessRoot: Uint8Array
}

export function blockBody(transactions: readonly SimulatedTransaction[]): BlockBody {
  return {
    transactionCount: transactions.length,
    bytes: Buffer.concat(transactions.map(({ bytes }) => bytes)),
    feeSats: transactions.reduce((sum, { feeSats }) => sum + feeSats, 0),
    branch: branchOfFirst(transactions.map(({ txid }) => txid)),
    witnessRoot: rootFrom(noHash, branchOfFirst(transactions.map(({ wtxid }) => wtxid))),
  }
}

export interface BlockPlan {
  readonly version: number
  readonly previousHash: Uint8Array
  /** Unix seconds. */
  readonly time: number
  readonly coinbase: EncodedTransaction
  readonly body: BlockBody
}

export interface BuiltBlock {
  /** In protocol order. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

/** A whole block with its merkle root and a nonce that fits the target. */
export function buildBlock({ version, previousHash, time, coinbase, body }: BlockPlan): BuiltBlock {
  const bits = bitsOn(Math.floor(time / 86_400))
  const header = Buffer.alloc(headerBytes)
  header.writeInt32LE(version, 0)
  header.set(previousHash, 4)
  header.set(rootFrom(coinbase.txid, body.branch), 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(bits, 72)
  const hash = mine(header, bits)
  writer.length = 0
  writer.bytes(header)
  writer.compactSize(1 + body.transactionCount)
  writer.bytes(coinbase.bytes)
  writer.bytes(body.bytes)
  return { hash, bytes: writer.toBytes() }
}

/** Finds the first nonce that fits the target, and returns the hash. */
function mine(header: Buffer, bits: number): Uint8Array {
  const highest = Number(decodeTarget(bits) >> 248n)
  for (let nonce = 0; ; nonce++) {
    header.writeUInt32LE(nonce, 76)
    const text = doubleSha256Text(header)
    // Of nearly all, the highest byte tells enough.
    if (text.charCodeAt(31) > highest) continue
    const hash = Buffer.from(text, 'binary')
    if (hasProofOfWork(bits, easiestBits, hash)) return hash
  }
}
