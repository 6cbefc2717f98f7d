import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { publishedFolder } from '#sql/generation.ts'
import { madeOnce } from './made-once.ts'
import { startCoinstrata } from './program.ts'

const outcomeSchema = z.object({ exitCode: z.literal(0), stdout: z.string(), stderr: z.string() })

/**
 * Copies what the program publishes without a node into a data folder, and returns the program's
 * output. It is created once for all test files of a run. Accounts and counters of the data folder
 * stay.
 */
export async function publishDemoChain(dataDir: string): Promise<z.infer<typeof outcomeSchema>> {
  const { folder, made } = await madeOnce('the demo chain', async (shared) => {
    const outcome = await startCoinstrata(['update', '--data-dir', path.join(shared, 'data')]).outcome
    if (outcome.exitCode !== 0) throw new Error(outcome.stderr)
    return outcome
  })
  mkdirSync(dataDir, { recursive: true })
  symlinkSync(publishedFolder(path.join(folder, 'data')), publishedFolder(dataDir))
  return outcomeSchema.parse(made)
}
