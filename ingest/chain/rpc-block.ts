import { z } from 'zod'
import { satsOf } from '#root/bitcoin.ts'
import { CoinstrataError } from '#root/errors.ts'
import { maxSpendableScriptBytes } from './block.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { type RpcClient, RpcError } from './rpc.ts'
import { fetchBlocks } from './rpc-block-batches.ts'
import { amountSchema, hashSchema, heightSchema } from './rpc-values.ts'

/** What we need of an answer to `getblock <hash> 3`; the rest is dropped. */
const rpcBlockSchema = z.object({
  hash: hashSchema,
  size: z.int().positive(),
  weight: z.int().positive(),
  time: z.int().positive(),
  bits: z.hex().length(8),
  tx: z
    .array(
      z.object({
        vin: z.array(z.object({ prevout: z.object({ height: heightSchema, value: amountSchema }).optional() })).min(1),
        vout: z.array(z.object({ value: amountSchema, scriptPubKey: z.object({ hex: z.string() }) })).min(1),
      }),
    )
    .min(1),
})
export type RpcBlock = z.infer<typeof rpcBlockSchema>

const answerWithSpentOutputs = { verbosity: 3, schema: rpcBlockSchema, bytesOf: ({ size }: RpcBlock) => size }

/**
 * Reads the blocks of these hashes (in display order, of consecutive heights) into `block`, one after the other, and
 * yields the height of each. Throws `undo_missing`, `undo_outdated`, and what `RpcClient.call` throws.
 */
export async function* readRpcBlocks(
  client: RpcClient,
  firstHeight: number,
  hashes: readonly string[],
  block: DecodedBlock,
): AsyncGenerator<number> {
  let height = firstHeight
  try {
    for await (const answer of fetchBlocks(client, hashes, answerWithSpentOutputs)) {
      decodeRpcBlock(answer, height, block)
      yield height++
    }
  } catch (error) {
    const unanswered = hashes.findIndex((hash) => error instanceof RpcError && error.message.includes(hash))
    const undoUnreadable = error instanceof RpcError && /undo data/i.test(error.message)
    throw undoUnreadable && unanswered >= 0 ? undoMissing(hashes[unanswered]!, firstHeight + unanswered, error) : error
  }
}

/** Fills `block` just as the decoders of block and undo files do. */
function decodeRpcBlock(answer: RpcBlock, height: number, block: DecodedBlock): void {
  block.time = answer.time
  block.bits = Number.parseInt(answer.bits, 16)
  block.size = answer.size
  block.weight = answer.weight
  block.begin(answer.tx.length)
  for (const [transaction, { vin, vout }] of answer.tx.entries()) {
    block.inputCounts[transaction] = vin.length
    block.outputCount += vout.length
    let total = 0
    for (const { value, scriptPubKey } of vout) {
      const sats = satsOf(value)
      total += sats
      countOutput(scriptPubKey.hex, sats, block)
    }
    block.outputSats[transaction] = total
    if (transaction === 0) continue
    block.reserveSpent(block.spentCount + vin.length)
    for (const { prevout } of vin) {
      if (!prevout) throw undoMissing(answer.hash, height)
      if (prevout.height === 0) throw undoOutdated(answer.hash, height)
      block.spentHeights[block.spentCount] = prevout.height
      block.spentSats[block.spentCount] = satsOf(prevout.value)
      block.spentCount++
    }
  }
}

function countOutput(script: string, sats: number, block: DecodedBlock): void {
  const bytes = script.length / 2
  const isOpReturn = script.startsWith('6a')
  if (isOpReturn) block.opReturnOutputs++
  if (isOpReturn || bytes > maxSpendableScriptBytes) {
    block.unspendableOutputs++
    block.unspendableSats += sats
  } else if ((bytes === 22 && script.startsWith('0014')) || (bytes === 34 && script.startsWith('0020'))) {
    block.segwitOutputs++
  } else if (bytes === 34 && script.startsWith('5120')) {
    block.taprootOutputs++
  }
}

function undoMissing(hash: string, height: number, cause?: unknown): CoinstrataError {
  const message = `the node does not have the outputs that block ${height} (${hash}) spends`
  return new CoinstrataError('undo_missing', message, {
    cause,
    cure: 'use a node that has validated the chain itself and still has its undo files, or start this one with -reindex',
  })
}

function undoOutdated(hash: string, height: number): CoinstrataError {
  const message = `the node does not know when the outputs were created that block ${height} (${hash}) spends: its undo files are older than Bitcoin Core 0.15`
  return new CoinstrataError('undo_outdated', message, {
    cure: 'start the node once with -reindex, or use the RPC of a freshly synced node',
  })
}
