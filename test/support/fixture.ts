import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { unfinishedPrefix } from '#sql/files.ts'
import { changedMark, hashSources } from './fixture-folder.ts'

/** Fixtures that this worker asked for; one that fails is not tried again for each test file. */
const asked = new Map<string, Promise<string>>()

/**
 * Returns a folder that `make` filled for these sources, in this run or an earlier one. It is on
 * disk and shared by all test files: copy what a test changes.
 */
export function fixture(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const found = asked.get(name) ?? exclusively(name, () => makeFixture(name, make))
  asked.set(name, found)
  return found
}

async function makeFixture(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const parent = inject('fixtureFolder')
  const folder = path.join(parent, name)
  if (existsSync(folder)) return folder
  const unfinished = path.join(parent, `${unfinishedPrefix}${name}`)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  await make(unfinished)
  renameSync(unfinished, folder)
  if (path.basename(parent) !== hashSources()) writeFileSync(path.join(parent, changedMark), '')
  return folder
}

/**
 * Runs `work` while no other worker does. The lock is a database transaction, which ends with its
 * process: if one is killed, the next continues.
 */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const database = new DatabaseSync(path.join(inject('fixtureFolder'), `${name}.lock`))
  try {
    while (!isLocked(database)) await setTimeout(50)
    return await work()
  } finally {
    database.close()
  }
}

function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false
    throw error
  }
}
