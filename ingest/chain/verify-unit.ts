import { z } from 'zod'
import { CoinstrataError } from '#root/errors.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { corruptBlock, type FileUnit, readBlock } from './file-unit.ts'
import { NodeFile } from './node-file.ts'
import { RpcClient } from './rpc.ts'
import { fetchBlocks } from './rpc-block-batches.ts'
import type { RpcUnit } from './rpc-unit.ts'
import { verifyBlock } from './verify-block.ts'

export interface VerifiedUnit {
  readonly blocks: number
  readonly bytes: number
  /** Of each block the numbers of `blockAmounts`, one block after the other. */
  readonly amounts: Float64Array
}

/** What a block says by itself, by the names of the table `blocks`; `paid_sats` are all outputs but the coinbase's. */
export const blockAmounts = [
  'transactions',
  'outputs',
  'coinbase_sats',
  'paid_sats',
  'unspendable_sats',
  'unspendable_outputs',
] as const

/** Lives as long as the worker, and with it the memory that it reads into. */
const file = new NodeFile()

/** Verifies each block of a block file against its hash. Throws `block_corrupt` for the first that is not intact. */
export function verifyFileUnit(unit: FileUnit): VerifiedUnit {
  file.open(unit.blockFile, unit.key)
  try {
    const amounts = new Float64Array(unit.heights.length * blockAmounts.length)
    let bytes = 0
    for (let i = 0; i < unit.heights.length; i++) {
      const block = readBlock(file, unit, i)
      const what = faultOf(block, unit.hashes.subarray(32 * i, 32 * i + 32), unit.heights[i]!, amounts, i)
      if (what !== undefined) throw corruptBlock(unit, i, what)
      bytes += block.length
    }
    return { blocks: unit.heights.length, bytes, amounts }
  } finally {
    file.close()
  }
}

const rawAnswer = { verbosity: 0, schema: z.hex(), bytesOf: (hex: string) => hex.length / 2 }

/** Verifies each block of a unit that a node hands out. Throws `block_corrupt`, and what `RpcClient.call` throws. */
export async function verifyRpcUnit({ endpoint, firstHeight, hashes }: RpcUnit): Promise<VerifiedUnit> {
  const amounts = new Float64Array(hashes.length * blockAmounts.length)
  let blocks = 0
  let bytes = 0
  for await (const hex of fetchBlocks(new RpcClient(endpoint), hashes, rawAnswer)) {
    const block = Buffer.from(hex, 'hex')
    const hash = hashes[blocks]!
    const what = faultOf(block, Buffer.from(hash, 'hex').reverse(), firstHeight + blocks, amounts, blocks)
    if (what !== undefined) {
      throw new CoinstrataError('block_corrupt', `block ${firstHeight + blocks} (${hash}) of ${endpoint.url} ${what}`, {
        cure: 'let the node check its files: restart it with -reindex',
      })
    }
    blocks++
    bytes += block.length
  }
  return { blocks, bytes, amounts }
}

/** What is wrong with a block; if nothing is, its amounts are written to the place of the `i`-th block. */
function faultOf(
  block: Uint8Array,
  hash: Uint8Array,
  height: number,
  amounts: Float64Array,
  i: number,
): string | undefined {
  try {
    amounts.set(amountsOf(verifyBlock(block, hash), height), i * blockAmounts.length)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

function amountsOf(block: DecodedBlock, height: number): number[] {
  const { transactionCount, outputCount, outputSats } = block
  const coinbaseSats = outputSats[0]!
  let paidSats = 0
  for (let transaction = 1; transaction < transactionCount; transaction++) paidSats += outputSats[transaction]!
  const amounts = [transactionCount, outputCount, coinbaseSats, paidSats]
  // The coinbase of the first block was never entered into the set of unspent outputs.
  if (height === 0) return [...amounts, coinbaseSats, outputCount]
  return [...amounts, block.unspendableSats, block.unspendableOutputs]
}
