import { Block, type Transaction } from 'bitcoinjs-lib'
import { doubleSha256 } from '../chain/bytes.ts'
import { ByteWriter } from './byte-writer.ts'
import { bitsOn, isBelowTarget } from './difficulty.ts'
import { branchOfFirst, rootFrom } from './merkle.ts'
import type { SimulatedTransaction } from './transaction.ts'

const noHash = new Uint8Array(32)

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
  readonly coinbase: Transaction
  readonly body: BlockBody
}

export interface BuiltBlock {
  /** In protocol order. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

/** A whole block with its merkle root and a nonce that fits the target. */
export function buildBlock({ version, previousHash, time, coinbase, body }: BlockPlan): BuiltBlock {
  const header = new Block()
  header.version = version
  header.prevHash = previousHash
  header.merkleRoot = rootFrom(coinbase.getHash(), body.branch)
  header.timestamp = time
  header.bits = bitsOn(Math.floor(time / 86_400))
  const headerBytes = Buffer.from(header.toBuffer(true))
  let hash = doubleSha256(headerBytes)
  for (let nonce = 1; !isBelowTarget(hash, header.bits); nonce++) {
    headerBytes.writeUInt32LE(nonce, 76)
    hash = doubleSha256(headerBytes)
  }
  const writer = new ByteWriter()
  writer.bytes(headerBytes)
  writer.compactSize(1 + body.transactionCount)
  writer.bytes(coinbase.toBuffer())
  writer.bytes(body.bytes)
  return { hash, bytes: writer.toBytes() }
}
