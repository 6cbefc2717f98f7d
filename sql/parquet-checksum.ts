import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Precedes the SHA-256 of all other bytes of a file. Both are between pages and metadata, where no
 * Parquet reader looks, so that a file and its checksum are replaced together.
 */
const label = Buffer.from('coinstrata-sha256:', 'latin1')
const checksumBytes = label.length + 64

/** Adds the checksum to an unfinished Parquet file, and syncs it to the disk. */
export function addChecksum(unfinished: string): void {
  const bytes = readFileSync(unfinished)
  const metadataStart = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
  const checksum = Buffer.concat([label, Buffer.from(sha256(bytes), 'latin1')])
  const content = Buffer.concat([bytes.subarray(0, metadataStart), checksum, bytes.subarray(metadataStart)])
  writeFileSync(unfinished, content, { flush: true })
}

/** SHA-256 of a file without its checksum; undefined if the file is damaged. */
export function verifyChecksum(bytes: Buffer): string | undefined {
  const at = bytes.lastIndexOf(label)
  if (at < 0) return undefined
  const end = at + checksumBytes
  const digest = sha256(bytes.subarray(0, at), bytes.subarray(end))
  return bytes.toString('latin1', at + label.length, end) === digest ? digest : undefined
}

function sha256(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
