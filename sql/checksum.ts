import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { RowGroups } from './join-parquet.ts'
import { parquetMagic } from './parquet-footer.ts'

/**
 * Precedes the SHA-256 of all other bytes of a file. Both are between the pages and the metadata,
 * where no reader of Parquet looks, so that a file and its checksum are replaced together.
 */
const label = Buffer.from('coinstrata-sha256:', 'latin1')
const checksumBytes = label.length + 64

/** Adds the checksum to a file that is still being written, and syncs it to the disk. */
export const addChecksum = (unfinished: string): void =>
  writeFileSync(unfinished, Buffer.concat(withChecksum(readFileSync(unfinished))), { flush: true })

/** The bytes of a Parquet file with its checksum. */
export function withChecksum(bytes: Buffer): Uint8Array[] {
  const end = metadataStart(bytes)
  return [bytes.subarray(0, end), label, Buffer.from(sha256(bytes), 'latin1'), bytes.subarray(end)]
}

/**
 * The SHA-256 of a file without its checksum, and whether it is that; `unmarked` for a Parquet file
 * that has none.
 */
export function readChecksum(bytes: Buffer): {
  readonly digest: string
  readonly state: 'intact' | 'damaged' | 'unmarked'
} {
  const at = bytes.lastIndexOf(label)
  if (at < 0) return { digest: sha256(bytes), state: isParquet(bytes) ? 'unmarked' : 'damaged' }
  const end = at + checksumBytes
  const digest = sha256(bytes.subarray(0, at), bytes.subarray(end))
  return { digest, state: bytes.toString('latin1', at + label.length, end) === digest ? 'intact' : 'damaged' }
}

/** The row groups of a file that has its checksum after them, without it. */
export const withoutChecksum = (file: RowGroups): RowGroups => ({ ...file, end: file.end - checksumBytes })

const metadataStart = (bytes: Buffer): number => bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)

const isParquet = (bytes: Buffer): boolean =>
  bytes.length > 12 &&
  bytes.subarray(0, 4).equals(parquetMagic) &&
  bytes.subarray(-4).equals(parquetMagic) &&
  metadataStart(bytes) >= 4

function sha256(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
