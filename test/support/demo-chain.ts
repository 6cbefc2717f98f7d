import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { publishedFolder } from '#sql/generation.ts'
import { fixture } from './fixture.ts'
import { placesIn, startCoinstrata } from './program.ts'

/** The memory flags of the tests, with which collecting garbage takes a fifth less of a long run. */
const nodeArguments = process.execArgv.filter((flag) => /space-size|external-memory|memory-reducer/.test(flag))

const outcomeSchema = z.object({ exitCode: z.literal(0), stdout: z.string(), stderr: z.string() })

/**
 * Links what the program publishes without a node into a data folder, which must not change it, and
 * returns the program's output.
 */
export async function publishDemoChain(dataDir: string): Promise<z.infer<typeof outcomeSchema>> {
  const folder = await fixture('demo-chain', async (unfinished) => {
    const { data, published, outcome } = placesIn(unfinished, 'data', 'published', 'outcome')
    const ended = await startCoinstrata(['update', '--data-dir', data], { nodeArguments }).outcome
    if (ended.exitCode !== 0) throw new Error(ended.stderr)
    writeFileSync(outcome, JSON.stringify(ended))
    renameSync(publishedFolder(data), published)
    rmSync(data, { recursive: true })
  })
  const { published, outcome } = placesIn(folder, 'published', 'outcome')
  mkdirSync(dataDir, { recursive: true })
  symlinkSync(published, publishedFolder(dataDir))
  return outcomeSchema.parse(JSON.parse(readFileSync(outcome, 'utf8')))
}
