import { statSync } from 'node:fs'
import { dayAt } from '#base/days.ts'

/**
 * A file's seal: its size and modification time; `undefined` if it does not exist. A file whose seal has not changed since
 * its checksum was last verified is assumed intact. Hard links do not change the seal.
 */
export function readSeal(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeNs}`
}

/** Disks can corrupt files that nobody wrote to, so each file is hashed again once in this many days. */
const rehashIntervalDays = 16

export const isRehashDue = (sha256: string, now: number): boolean =>
  Number.parseInt(sha256.slice(0, 4), 16) % rehashIntervalDays === dayAt(now) % rehashIntervalDays
