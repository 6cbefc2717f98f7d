import { statSync } from 'node:fs'
import { dayAt } from '#base/days.ts'

/**
 * Size and time of modification of a file, as a text; `undefined` where there is none. Written to, a file has another
 * one: while it has that under which its checksum held, its content is taken to be what it was. A further name changes
 * nothing.
 */
export function sealOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeNs}`
}

/** A disk can change what nobody wrote to: each file is hashed again on one day of so many, though its seal is whole. */
const daysBetween = 16

export const isDue = (sha256: string, now: number): boolean =>
  Number.parseInt(sha256.slice(0, 4), 16) % daysBetween === dayAt(now) % daysBetween
