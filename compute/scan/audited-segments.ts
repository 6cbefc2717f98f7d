import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#root/errors.ts'
import { replaceFile } from '#sql/files.ts'
import { removeOtherSegments } from './segments.ts'

const keysSchema = z.array(z.string())

const auditedFile = (dataDir: string): string => path.join(dataDir, 'raw', 'audited-segments.json')

/** Remembers that these segments passed an audit, and removes all others, which no chain needs any more. */
export function keepAuditedSegments(dataDir: string, keys: readonly string[]): void {
  replaceFile(auditedFile(dataDir), `${JSON.stringify(keys)}\n`)
  removeOtherSegments(dataDir, keys)
}

/**
 * Removes the segments scanned since the last audit that passed, so that their blocks are read anew, and returns how
 * many there were: a key tells which blocks a segment covers, but not whether the files were intact when it was scanned.
 */
export function removeUnauditedSegments(dataDir: string): number {
  return removeOtherSegments(dataDir, readAuditedSegments(auditedFile(dataDir)))
}

function readAuditedSegments(file: string): string[] {
  if (!existsSync(file)) return []
  try {
    return keysSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CoinstrataError('invalid_file', `${file} is damaged`, {
      cause,
      cure: 'remove it and run "coinstrata update"',
    })
  }
}
