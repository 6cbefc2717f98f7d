import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { z } from 'zod'
import { replaceFile } from '#sql/files.ts'
import { publishedFolder } from '#sql/generation.ts'
import { coinstrata } from './program.ts'

const outcomeSchema = z.object({ exitCode: z.int().nullable(), stdout: z.string(), stderr: z.string() })

/**
 * Gives a data folder what the program publishes on a machine without a node, and returns what the program said. It is
 * made once for all test files of a run, by the first that asks; the others wait. Accounts and counters stay those of
 * the data folder.
 */
export async function publishDemoChain(dataDir: string): Promise<z.infer<typeof outcomeSchema>> {
  const shared = path.join(inject('runFolder'), 'demo')
  const file = path.join(shared, 'outcome.json')
  if (mkdirSync(shared, { recursive: true }) !== undefined) {
    const made = await coinstrata(['update', '--data-dir', path.join(shared, 'data')])
    replaceFile(file, JSON.stringify(made))
  }
  while (!existsSync(file)) await setTimeout(200)
  const outcome = outcomeSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  if (outcome.exitCode !== 0) throw new Error(`the demo chain could not be published: ${outcome.stderr}`)
  mkdirSync(dataDir, { recursive: true })
  symlinkSync(publishedFolder(path.join(shared, 'data')), publishedFolder(dataDir))
  return outcome
}
