import { z } from 'zod'
import { btcToSats } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { toKind } from '#contract/kinds.ts'
import { headerBytes } from './block.ts'
import { displayHash, doubleSha256, internalHash } from './bytes.ts'
import { checkCommitments, noHash } from './commitments.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { reindexCure } from './file-unit.ts'
import { noKey, scriptTypeAt, sizeOf } from './output-kind.ts'
import { amountSchema, hashSchema, heightSchema, type RpcClient, RpcError } from './rpc.ts'

const outputSchema = z.object({ value: amountSchema, scriptPubKey: z.object({ hex: z.string() }) })
const spentSchema = outputSchema.extend({ height: heightSchema, generated: z.boolean() })
const inputSchema = z.object({ prevout: spentSchema.optional() })
const transactionSchema = z.object({ vin: z.array(inputSchema).min(1), vout: z.array(outputSchema).min(1) })

const rpcBlockSchema = z.object({
  hash: hashSchema,
  size: z.int().positive(),
  weight: z.int().positive(),
  time: z.int().positive(),
  bits: z.hex().length(8),
  tx: z.array(transactionSchema).min(1),
})
type RpcBlock = z.infer<typeof rpcBlockSchema>

const provableBlockSchema = rpcBlockSchema.extend({
  versionHex: z.hex().length(8),
  previousblockhash: hashSchema.optional(),
  merkleroot: hashSchema,
  nonce: z.int().min(0).max(0xffff_ffff),
  tx: z
    .array(
      transactionSchema.extend({
        txid: hashSchema,
        hash: hashSchema,
        vin: z.array(inputSchema.extend({ txinwitness: z.array(z.string()).optional() })).min(1),
      }),
    )
    .min(1),
})
type ProvableBlock = z.infer<typeof provableBlockSchema>

const blockBytes = ({ size }: RpcBlock): number => size

/**
 * Decodes the blocks of consecutive hashes (in display order) into `block` one by one, and yields the height of each.
 * With `prove`, verifies them first.
 */
export async function* readRpcBlocks(
  client: RpcClient,
  firstHeight: number,
  hashes: readonly string[],
  block: DecodedBlock,
  prove = false,
): AsyncGenerator<number> {
  let height = firstHeight
  const answers: AsyncGenerator<RpcBlock> = prove
    ? provedAnswers(client, firstHeight, hashes)
    : fetchBlocks(client, hashes, { verbosity: 3, schema: rpcBlockSchema, blockBytes: blockBytes })
  try {
    for await (const answer of answers) {
      decodeRpcBlock(answer, height, block)
      yield height++
    }
  } catch (error) {
    const unanswered = hashes.findIndex((hash) => error instanceof RpcError && error.message.includes(hash))
    const undoUnreadable = error instanceof RpcError && /undo data/i.test(error.message)
    throw undoUnreadable && unanswered >= 0 ? undoMissing(hashes[unanswered]!, firstHeight + unanswered, error) : error
  }
}

async function* provedAnswers(
  client: RpcClient,
  firstHeight: number,
  hashes: readonly string[],
): AsyncGenerator<RpcBlock> {
  let height = firstHeight
  for await (const answer of fetchBlocks(client, hashes, {
    verbosity: 3,
    schema: provableBlockSchema,
    blockBytes: blockBytes,
  })) {
    const hash = hashes[height - firstHeight]!
    try {
      checkRpcBlock(answer, hash)
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw corruptRpcBlock(height, hash, cause.message)
    }
    yield answer
    height++
  }
}

/**
 * Checks that header and transactions of a response belong to the block of this hash, because a node verifies only the
 * header of what it reads from disk. Throws `RangeError` for a mismatch.
 */
function checkRpcBlock(answer: ProvableBlock, hash: string): void {
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

function encodeHeader({ versionHex, previousblockhash, merkleroot, time, bits, nonce }: ProvableBlock): Uint8Array {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(Number.parseInt(versionHex, 16), 0)
  if (previousblockhash) header.set(internalHash(previousblockhash), 4)
  header.set(internalHash(merkleroot), 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(Number.parseInt(bits, 16), 72)
  header.writeUInt32LE(nonce, 76)
  return header
}

export const corruptRpcBlock = (height: number, hash: string, what: string): CoinstrataError =>
  new CoinstrataError('block_corrupt', `block ${height} (${hash}), as the node returns it over RPC, ${what}`, {
    cure: reindexCure,
  })

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
      const sats = btcToSats(value)
      total += sats
      const kind = kindOf(scriptPubKey.hex, sats, transaction === 0)
      block.addCreated(kind, sats)
    }
    block.outputSats[transaction] = total
    if (transaction === 0) continue
    block.reserveSpent(block.spentCount + vin.length)
    for (const { prevout } of vin) {
      if (!prevout) throw undoMissing(answer.hash, height)
      if (prevout.height === 0) throw undoOutdated(answer.hash, height)
      block.spentHeights[block.spentCount] = prevout.height
      const sats = btcToSats(prevout.value)
      block.spentSats[block.spentCount] = sats
      block.spentKinds[block.spentCount] = kindOf(prevout.scriptPubKey.hex, sats, prevout.generated)
      block.spentCount++
    }
  }
}

function kindOf(script: string, sats: number, isMined: boolean): number {
  const bytes = Buffer.from(script, 'hex')
  return toKind(scriptTypeAt(bytes, noKey, 0, bytes.length), sizeOf(sats), isMined ? 1 : 0)
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

/** JSON takes some 10 bytes per byte of a block, and the node holds a whole batch of it in memory. */
const blockBytesPerBatch = 2_000_000
const blocksPerBatch = 8
const batchesInFlight = 2

interface BlockAnswer<T> {
  readonly verbosity: number
  readonly schema: z.ZodType<T>
  readonly blockBytes: (answer: T) => number
}

/** Fetches the blocks of these hashes (in display order) in concurrent batches, and yields the responses in order. */
export async function* fetchBlocks<T>(
  client: RpcClient,
  hashes: readonly string[],
  { verbosity, schema, blockBytes: bytesOf }: BlockAnswer<T>,
): AsyncGenerator<T> {
  const batches: Promise<T[]>[] = []
  let batchLength = 1
  let requested = 0
  for (;;) {
    while (batches.length < batchesInFlight && requested < hashes.length) {
      const wanted = hashes.slice(requested, requested + batchLength)
      const calls = wanted.map((hash) => ({ method: 'getblock', params: [hash, verbosity] }))
      const batch = client.batch(calls, z.array(schema))
      // It may fail before it is awaited, and throws then.
      batch.catch(() => {})
      batches.push(batch)
      requested += batchLength
    }
    const batch = batches.shift()
    if (!batch) return
    const answers = await batch
    yield* answers
    const largest = Math.max(...answers.map(bytesOf))
    batchLength = Math.max(1, Math.min(blocksPerBatch, Math.floor(blockBytesPerBatch / largest)))
  }
}

export async function fetchRawBlock(client: RpcClient, hash: string): Promise<Uint8Array> {
  return Buffer.from(await client.call('getblock', [hash, 0], z.hex()), 'hex')
}
