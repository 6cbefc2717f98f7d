import { headerBytes } from '../chain/block.ts'
import { doubleSha256Text } from '../chain/bytes.ts'
import { merkleParent, noHash } from '../chain/merkle.ts'
import { networks } from '../chain/networks.ts'
import { decodeTarget, hasProofOfWork } from '../chain/proof-of-work.ts'
import { ByteWriter } from './byte-writer.ts'
import { bitsForDay } from './difficulty.ts'
import type { EncodedTransaction, SimulatedTransaction } from './transaction.ts'

const { easiestBits } = networks.simulated
const writer = new ByteWriter()

/** A block without header and coinbase; several blocks can share one. */
export interface BlockBody {
  readonly transactionCount: number
  readonly bytes: Uint8Array
  readonly feeSats: number
  readonly branch: readonly Uint8Array[]
  /** The coinbase commits to it, with the reserved value. */
  readonly witnessRoot: Uint8Array
}

export function blockBody(transactions: readonly SimulatedTransaction[]): BlockBody {
  return {
    transactionCount: transactions.length,
    bytes: Buffer.concat(transactions.map(({ bytes }) => bytes)),
    feeSats: transactions.reduce((sum, { feeSats }) => sum + feeSats, 0),
    branch: coinbaseBranch(transactions.map(({ txid }) => txid)),
    witnessRoot: rootFromBranch(noHash, coinbaseBranch(transactions.map(({ wtxid }) => wtxid))),
  }
}

export interface BlockPlan {
  readonly version: number
  readonly previousHash: Uint8Array
  readonly time: number
  readonly coinbase: EncodedTransaction
  readonly body: BlockBody
}

export interface BuiltBlock {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

export function buildBlock({ version, previousHash, time, coinbase, body }: BlockPlan): BuiltBlock {
  const bits = bitsForDay(Math.floor(time / 86_400))
  const header = Buffer.alloc(headerBytes)
  header.writeInt32LE(version, 0)
  header.set(previousHash, 4)
  header.set(rootFromBranch(coinbase.txid, body.branch), 36)
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

function mine(header: Buffer, bits: number): Uint8Array {
  const highest = Number(decodeTarget(bits) >> 248n)
  for (let nonce = 0; ; nonce++) {
    header.writeUInt32LE(nonce, 76)
    const text = doubleSha256Text(header)
    // The highest byte rules out nearly all hashes.
    if (text.charCodeAt(31) > highest) continue
    const hash = Buffer.from(text, 'binary')
    if (hasProofOfWork(bits, easiestBits, hash)) return hash
  }
}

/** With the branch, a new coinbase needs only its own hash. */
function coinbaseBranch(others: readonly Uint8Array[]): Uint8Array[] {
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

const rootFromBranch = (first: Uint8Array, branch: readonly Uint8Array[]): Uint8Array =>
  branch.reduce(merkleParent, first)
