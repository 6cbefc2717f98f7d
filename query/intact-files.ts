import { statSync } from 'node:fs'
import { LRUCache } from 'lru-cache'

/** Changes with every write, replacement and restoration of a file; empty if it is missing. */
export function fileIdentity(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : ''
}

/** Files that were verified, by their identity then. */
const intactFiles = new LRUCache<string, string>({ max: 10_000 })

export const isKnownIntact = (file: string): boolean => intactFiles.get(file) === fileIdentity(file)

/** @param retentionMs default: until the file changes or a read fails */
export function recordIntact(file: string, identity: string, retentionMs = 0): void {
  intactFiles.set(file, identity, { ttl: retentionMs })
}

/** Disks damage files without changing their identity. */
export const forgetIntact = (): void => intactFiles.clear()

/** A verified file has changed: it must be verified again before it is read. */
export class FileChanged extends Error {
  readonly table: string

  constructor(table: string) {
    super(`${table} has changed`)
    this.table = table
  }
}
