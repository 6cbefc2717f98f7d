import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { findDamagedTables } from '#sql/file-digest.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { publishedBytes } from '#state/operational-state.ts'

/** Below this, starting a thread takes longer than hashing. */
const bytesWithoutThread = 32e6

/** As `findDamagedTables`, without delaying requests. */
export async function verifyTables({ folder, generation }: OpenGeneration, pauseMs = 0): Promise<readonly string[]> {
  if (publishedBytes(generation) < bytesWithoutThread) return findDamagedTables({ folder, generation }, pauseMs)
  const workerData = { opened: { folder, generation }, pauseMs }
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { workerData })
  // Nobody waits for a slow verification.
  if (pauseMs > 0) worker.unref()
  const ended = once(worker, 'exit').then(() => {
    throw new Error('the thread that verifies tables ended without a result')
  })
  const [damaged] = await Promise.race([once(worker, 'message'), ended])
  return damaged
}
