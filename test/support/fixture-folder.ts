import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { isBundleCurrent } from '#root/build/run-program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the fixtures that these sources make on this day. */
    fixtureFolder: string
  }
}

const root = path.join(import.meta.dirname, '..', '..')

/** Sources of whatever fixtures hold: the code of an update, and the code that makes fixtures. */
const deciding = [
  '{base,cli,compute,contract,data/reference,ingest,sql,state,test/support}/**',
  'test/api/support/served-chain.ts',
  'test/{compute,program}/**/support/**',
  '{cli,config,vitest.config}.ts',
  'package-lock.json',
]

/** Runs that began earlier than this have ended, and do not read their fixtures any more. */
const maxRunMs = 2 * 3_600_000

/**
 * A hash of what decides the content of fixtures. It includes the day, because the simulated chain
 * ends today.
 */
export function hashSources(): string {
  const hash = createHash('sha256').update(`${process.version} ${new Date().toISOString().slice(0, 10)}`)
  for (const name of globSync(deciding, { cwd: root }).sort()) {
    const file = path.join(root, name)
    if (statSync(file).isFile()) hash.update(`\n${name}\n`).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Marks fixtures whose sources changed while they were made: later runs do not use them. */
export const changedMark = 'changed'

/**
 * Tells all test files of a run where its fixtures are, and removes those of other sources. Bundles
 * the program that tests start, so that it starts in half the time.
 */
export default async function provideFixtureFolder(project: TestProject): Promise<void> {
  if (!isBundleCurrent()) await (await import('#root/build/program-bundle.ts')).bundleCheckout()
  const all = path.join(root, '.cache', 'fixtures')
  const folder = path.join(all, hashSources())
  if (existsSync(path.join(folder, changedMark))) rmSync(folder, { recursive: true })
  mkdirSync(folder, { recursive: true })
  const now = new Date()
  utimesSync(folder, now, now)
  for (const name of readdirSync(all)) {
    const other = path.join(all, name)
    if (statSync(other).mtimeMs < now.getTime() - maxRunMs) rmSync(other, { recursive: true })
  }
  project.provide('fixtureFolder', folder)
}
