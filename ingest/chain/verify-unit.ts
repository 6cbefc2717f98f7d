import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { DecodedBlock } from './decoded-block.ts'
import { describeBlock, type FileUnit, reindexCure } from './file-unit.ts'
import { previousHash } from './header-chain.ts'
import { NodeFile } from './node-file.ts'
import { type Refetch, readProvedBlock } from './proved-block.ts'
import { RpcClient } from './rpc.ts'
import { fetchBlocks } from './rpc-block.ts'
import { displayHashes, type RpcUnit } from './rpc-unit.ts'
import { type PairingBlock, pairUndoRecords, readUndoFile } from './undo-pairing.ts'

export interface VerifiedUnit {
  readonly blocks: number
  readonly bytes: number
  /** By block, as `blockAmounts`. */
  readonly amounts: Float64Array
  /** Messages about damaged undo records, and damaged blocks that the node returns intact. */
  readonly damaged: readonly string[]
}

/** Columns of the table `blocks`. `paid_sats`: all outputs except the coinbase's. */
export const blockAmounts = [
  'transactions',
  'outputs',
  'coinbase_sats',
  'paid_sats',
  'unspendable_sats',
  'unspendable_outputs',
  'op_return_outputs',
  'segwit_outputs',
  'taproot_outputs',
  'size',
  'weight',
] as const

const blockFile = new NodeFile()
const decoded = new DecodedBlock()

/**
 * Verifies a file's blocks by their hashes and their undo records by checksums; for damaged blocks,
 * the node's copy. Undo records were intact when scanned: damaged ones fail the unit only without a
 * node. Throws `block_corrupt` for the first failure.
 */
export async function verifyFileUnit(unit: FileUnit, refetch?: Refetch): Promise<VerifiedUnit> {
  blockFile.open(unit.blockFile, unit.key)
  try {
    const amounts = new Float64Array(unit.heights.length * blockAmounts.length)
    const damaged: string[] = []
    const heads: PairingBlock[] = []
    let bytes = 0
    for (let i = 0; i < unit.heights.length; i++) {
      const block = await readProvedBlock(blockFile, unit, i, decoded, refetch)
      if (block.damage) damaged.push(block.damage)
      heads.push({ previousHash: previousHash(block.bytes).slice(), transactionCount: decoded.transactionCount })
      amounts.set(readAmounts(decoded, unit.heights[i]!), i * blockAmounts.length)
      bytes += decoded.size
    }
    const [undo, ...others] = findDamagedUndo(unit, heads)
    if (undo && !refetch) throw undo
    if (undo) damaged.push(...[undo, ...others].map(({ message }) => message))
    return { blocks: unit.heights.length, bytes, amounts, damaged }
  } finally {
    blockFile.close()
  }
}

const rawAnswer = { verbosity: 0, schema: z.hex(), encode: (hex: string) => Buffer.from(hex, 'hex') }

export async function verifyRpcUnit(unit: RpcUnit): Promise<VerifiedUnit> {
  const client = new RpcClient(unit.endpoint)
  const amounts = new Float64Array(unit.heights.length * blockAmounts.length)
  let blocks = 0
  let bytes = 0
  for await (const { height } of fetchBlocks(client, unit.heights, displayHashes(unit), rawAnswer, decoded)) {
    amounts.set(readAmounts(decoded, height), blocks * blockAmounts.length)
    blocks++
    bytes += decoded.size
  }
  return { blocks, bytes, amounts, damaged: [] }
}

function readAmounts(block: DecodedBlock, height: number): number[] {
  const { transactionCount, outputCount, outputSats } = block
  const coinbaseSats = outputSats[0]!
  let paidSats = 0
  for (let transaction = 1; transaction < transactionCount; transaction++) paidSats += outputSats[transaction]!
  // The genesis coinbase is not in the UTXO set.
  const unspendable = height === 0 ? [coinbaseSats, outputCount] : [block.unspendableSats, block.unspendableOutputs]
  const kinds = [block.opReturnOutputs, block.segwitOutputs, block.taprootOutputs]
  return [transactionCount, outputCount, coinbaseSats, paidSats, ...unspendable, ...kinds, block.size, block.weight]
}

/** Returns an error for each block without a matching undo record. */
function findDamagedUndo(unit: FileUnit, blocks: readonly PairingBlock[]): CoinstrataError[] {
  const first = unit.heights[0] === 0 ? 1 : 0
  const { undo, records } = readUndoFile(unit.undoFile, unit.key, unit.magic)
  const { claimed } = pairUndoRecords(blocks.slice(first), undo, records)
  const taken = new Set(claimed)
  return [...claimed].flatMap((record, i) => {
    if (record >= 0) return []
    // Nearly always each block has one record, in order of connection.
    const place = records.length === claimed.length ? i : (i > 0 ? claimed[i - 1]! : -1) + 1
    return [damagedUndo(unit, first + i, taken.has(place) ? undefined : records[place]?.offset)]
  })
}

function damagedUndo(unit: FileUnit, i: number, offset: number | undefined): CoinstrataError {
  const block = describeBlock(unit, i)
  const message =
    offset === undefined
      ? `${unit.undoFile} has no undo record that fits ${block}`
      : `the undo record in ${unit.undoFile} at offset ${offset} does not fit ${block}, by its checksum`
  return new CoinstrataError('block_corrupt', message, { cure: reindexCure })
}
