import { z } from 'zod'
import type { RpcClient } from './rpc.ts'

/** An answer has some 10 bytes for each byte of its block, and the node holds a whole batch of them in memory. */
const blockBytesPerBatch = 2_000_000
const blocksPerBatch = 8
const batchesInFlight = 2

/** What `getblock` is asked for, and how its answer is checked and measured. */
export interface BlockAnswer<T> {
  readonly verbosity: number
  readonly schema: z.ZodType<T>
  /** Bytes of the block that an answer tells of. */
  readonly bytesOf: (answer: T) => number
}

/**
 * Asks for the blocks of these hashes (in display order), several at a time, and yields the answers in their order.
 * Throws what `RpcClient.call` throws.
 */
export async function* fetchBlocks<T>(
  client: RpcClient,
  hashes: readonly string[],
  { verbosity, schema, bytesOf }: BlockAnswer<T>,
): AsyncGenerator<T> {
  const batches: Promise<T[]>[] = []
  let batchLength = 1
  let requested = 0
  for (;;) {
    while (batches.length < batchesInFlight && requested < hashes.length) {
      const wanted = hashes.slice(requested, requested + batchLength)
      const calls = wanted.map((hash) => ({ method: 'getblock', params: [hash, verbosity] }))
      const batch = client.batch(calls, z.array(schema))
      // It may fail before its turn comes, and is then thrown there.
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
