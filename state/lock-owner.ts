import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Lock of the one process that follows the node. */
export const followLock = (dataDir: string): string => path.join(dataDir, 'state', 'follow.db')

const ownerFile = (lock: string): string => `${lock}.owner`

/** For the process that has just taken a lock, whose own file others cannot read. */
export const recordLockOwner = (lock: string): void =>
  writeFileSync(ownerFile(lock), `process ${process.pid}, since ${new Date().toISOString()}`)

/** The process that holds a lock, or held it last, such as `process 71, since 2026-…`. */
export function readLockOwner(lock: string): string {
  const text = existsSync(ownerFile(lock)) ? readFileSync(ownerFile(lock), 'utf8') : ''
  return /^process \d+, since [\d:.TZ-]+$/.exec(text)?.[0] ?? 'an unknown process'
}
