import { z } from 'zod'
import { btcToSats } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { toKind } from '#contract/kinds.ts'
import { noKeyWords, writeIdentity } from './address-identity.ts'
import { headerBytes } from './block.ts'
import { createView, internalHash, noKey } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { reindexCure } from './file-unit.ts'
import { scriptTypeAt, sizeOf } from './output-kind.ts'
import { amountSchema, hashSchema, heightSchema, type RpcClient, RpcError } from './rpc.ts'
import { verifyBlock } from './verify-block.ts'

const spentSchema = z.object({
  value: amountSchema,
  height: heightSchema,
  generated: z.boolean(),
  scriptPubKey: z.object({ hex: z.string() }),
})
const transactionSchema = z.object({
  hex: z.hex(),
  vin: z.array(z.object({ prevout: spentSchema.optional() })).min(1),
})

const rpcBlockSchema = z.object({
  hash: hashSchema,
  versionHex: z.hex().length(8),
  previousblockhash: hashSchema.optional(),
  merkleroot: hashSchema,
  time: z.int().positive(),
  bits: z.hex().length(8),
  nonce: z.int().min(0).max(0xffff_ffff),
  tx: z.array(transactionSchema).min(1),
})
type RpcBlock = z.infer<typeof rpcBlockSchema>

const blockAnswer: BlockAnswer<RpcBlock> = { verbosity: 3, schema: rpcBlockSchema, encode: encodeBlock }

/**
 * Decodes blocks, given by height and hash (display order), into `block` one by one, and yields
 * their heights. Every byte is verified by the hash, because a node verifies only the header of
 * blocks read from disk; spent outputs are not.
 */
export async function* readRpcBlocks(
  client: RpcClient,
  heights: ArrayLike<number>,
  hashes: readonly string[],
  block: DecodedBlock,
): AsyncGenerator<number> {
  try {
    for await (const { answer, height } of fetchBlocks(client, heights, hashes, blockAnswer, block)) {
      decodeRpcSpent(answer, height, block)
      yield height
    }
  } catch (error) {
    const unanswered = hashes.findIndex((hash) => error instanceof RpcError && error.message.includes(hash))
    const undoUnreadable = error instanceof RpcError && /undo data/i.test(error.message)
    throw undoUnreadable && unanswered >= 0 ? undoMissing(hashes[unanswered]!, heights[unanswered]!, error) : error
  }
}

function encodeBlock({ versionHex, previousblockhash, merkleroot, time, bits, nonce, tx }: RpcBlock): Uint8Array {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(Number.parseInt(versionHex, 16), 0)
  if (previousblockhash) header.set(internalHash(previousblockhash), 4)
  header.set(internalHash(merkleroot), 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(Number.parseInt(bits, 16), 72)
  header.writeUInt32LE(nonce, 76)
  const count = tx.length < 0xfd ? Buffer.of(tx.length) : Buffer.of(0xfd, tx.length & 0xff, tx.length >> 8)
  return Buffer.concat([header, count, ...tx.map(({ hex }) => Buffer.from(hex, 'hex'))])
}

const corruptRpcBlock = (height: number, hash: string, what: string): CoinstrataError =>
  new CoinstrataError('block_corrupt', `block ${height} (${hash}), as the node returns it over RPC, ${what}`, {
    cure: reindexCure,
  })

function decodeRpcSpent({ hash, tx }: RpcBlock, height: number, block: DecodedBlock): void {
  block.spentCount = 0
  for (const [i, { vin }] of tx.entries()) {
    if (i === 0) continue
    if (vin.length !== block.inputCounts[i]) {
      throw corruptRpcBlock(
        height,
        hash,
        `lists ${vin.length} inputs of transaction ${i}, which has ${block.inputCounts[i]}`,
      )
    }
    block.reserveSpent(block.spentCount + vin.length)
    for (const { prevout } of vin) {
      if (!prevout) throw undoMissing(hash, height)
      if (prevout.height === 0) throw undoOutdated(hash, height)
      const sats = btcToSats(prevout.value)
      const script = Buffer.from(prevout.scriptPubKey.hex, 'hex')
      const type = scriptTypeAt(script, noKey, 0, script.length)
      block.spentHeights[block.spentCount] = prevout.height
      block.spentSats[block.spentCount] = sats
      writeIdentity(block.spentIdentities, block.spentCount, type, createView(script), noKeyWords, 0, script.length)
      block.spentKinds[block.spentCount] = toKind(type, sizeOf(sats), prevout.generated ? 1 : 0)
      block.spentCount++
    }
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

/** JSON takes some 10 bytes per block byte, and the node holds a whole batch in memory. */
const blockBytesPerBatch = 2_000_000
const blocksPerBatch = 8
const batchesInFlight = 2

interface BlockAnswer<T> {
  readonly verbosity: number
  readonly schema: z.ZodType<T>
  /** The block as in the block files. */
  readonly encode: (answer: T) => Uint8Array
}

/**
 * Fetches blocks by height and hash (display order) in concurrent batches, verifies each, decodes
 * it into `block`, and yields the responses in order.
 */
export async function* fetchBlocks<T>(
  client: RpcClient,
  heights: ArrayLike<number>,
  hashes: readonly string[],
  { verbosity, schema, encode }: BlockAnswer<T>,
  block: DecodedBlock,
): AsyncGenerator<{ readonly answer: T; readonly height: number }> {
  const batches: Promise<T[]>[] = []
  let batchLength = 1
  let requested = 0
  let place = 0
  for (;;) {
    while (batches.length < batchesInFlight && requested < hashes.length) {
      const wanted = hashes.slice(requested, requested + batchLength)
      const calls = wanted.map((hash) => ({ method: 'getblock', params: [hash, verbosity] }))
      const batch = client.batch(calls, z.array(schema))
      // May fail before it is awaited; throws then.
      batch.catch(() => {})
      batches.push(batch)
      requested += batchLength
    }
    const batch = batches.shift()
    if (!batch) return
    let largest = 0
    for (const answer of await batch) {
      const height = heights[place]!
      const hash = hashes[place++]!
      try {
        verifyBlock(encode(answer), internalHash(hash), block)
      } catch (cause) {
        throw cause instanceof RangeError ? corruptRpcBlock(height, hash, cause.message) : cause
      }
      largest = Math.max(largest, block.size)
      yield { answer, height }
    }
    batchLength = Math.max(1, Math.min(blocksPerBatch, Math.floor(blockBytesPerBatch / largest)))
  }
}

export async function fetchRawBlock(client: RpcClient, hash: string): Promise<Uint8Array> {
  return Buffer.from(await client.call('getblock', [hash, 0], z.hex()), 'hex')
}
