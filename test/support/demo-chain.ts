import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { publishedFolder } from '#sql/generation.ts'
import { coinstrata } from './program.ts'

/**
 * Gives a data folder what the program publishes on a machine without a node. It is made once for all test files of a
 * run, by the first that asks; the others wait. Accounts and counters stay those of the data folder.
 */
export async function publishDemoChain(dataDir: string): Promise<void> {
  const shared = path.join(inject('runFolder'), 'demo')
  const made = path.join(shared, 'made')
  const failed = path.join(shared, 'failed')
  if (mkdirSync(shared, { recursive: true }) !== undefined) {
    const { exitCode, stderr } = await coinstrata(['update', '--data-dir', shared, '--log-level', 'warn'])
    writeFileSync(exitCode === 0 ? made : failed, stderr)
  }
  while (!existsSync(made)) {
    if (existsSync(failed)) throw new Error('the demo chain could not be published')
    await setTimeout(200)
  }
  mkdirSync(dataDir, { recursive: true })
  symlinkSync(publishedFolder(shared), publishedFolder(dataDir))
}
