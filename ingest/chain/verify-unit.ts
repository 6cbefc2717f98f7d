import { z } from 'zod'
import { CoinstrataError } from '#root/errors.ts'
import { corruptBlock, type FileUnit, readBlock } from './file-unit.ts'
import { NodeFile } from './node-file.ts'
import { RpcClient } from './rpc.ts'
import { fetchBlocks } from './rpc-block-batches.ts'
import type { RpcUnit } from './rpc-unit.ts'
import { verifyBlock } from './verify-block.ts'

export interface VerifiedUnit {
  readonly blocks: number
  readonly bytes: number
}

/** Lives as long as the worker, and with it the memory that it reads into. */
const file = new NodeFile()

/** Verifies each block of a block file against its hash. Throws `block_corrupt` for the first that is not intact. */
export function verifyFileUnit(unit: FileUnit): VerifiedUnit {
  file.open(unit.blockFile, unit.key)
  try {
    let bytes = 0
    for (let i = 0; i < unit.heights.length; i++) {
      const block = readBlock(file, unit, i)
      const what = faultOf(block, unit.hashes.subarray(32 * i, 32 * i + 32))
      if (what !== undefined) throw corruptBlock(unit, i, what)
      bytes += block.length
    }
    return { blocks: unit.heights.length, bytes }
  } finally {
    file.close()
  }
}

const rawAnswer = { verbosity: 0, schema: z.hex(), bytesOf: (hex: string) => hex.length / 2 }

/** Verifies each block of a unit that a node hands out. Throws `block_corrupt`, and what `RpcClient.call` throws. */
export async function verifyRpcUnit({ endpoint, firstHeight, hashes }: RpcUnit): Promise<VerifiedUnit> {
  let blocks = 0
  let bytes = 0
  for await (const hex of fetchBlocks(new RpcClient(endpoint), hashes, rawAnswer)) {
    const block = Buffer.from(hex, 'hex')
    const hash = hashes[blocks]!
    const what = faultOf(block, Buffer.from(hash, 'hex').reverse())
    if (what !== undefined) {
      throw new CoinstrataError('block_corrupt', `block ${firstHeight + blocks} (${hash}) of ${endpoint.url} ${what}`, {
        cure: 'let the node check its files: restart it with -reindex',
      })
    }
    blocks++
    bytes += block.length
  }
  return { blocks, bytes }
}

function faultOf(block: Uint8Array, hash: Uint8Array): string | undefined {
  try {
    verifyBlock(block, hash)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
