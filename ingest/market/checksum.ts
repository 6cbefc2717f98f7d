import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { replaceFile } from '#sql/files.ts'
import { parquetMagic } from '#sql/parquet-footer.ts'
import { simulatedSource } from './observations.ts'

/**
 * Precedes the SHA-256 of all other bytes of a file. Both are between the pages and the metadata, where no reader of Parquet
 * looks, so that a file and its checksum are replaced together.
 */
const label = Buffer.from('coinstrata-sha256:', 'latin1')
const checksumBytes = label.length + 64

/** Adds the checksum to a file that is still being written, and syncs it to the disk. */
export const addChecksum = (unfinished: string): void =>
  writeFileSync(unfinished, Buffer.concat(withChecksum(readFileSync(unfinished))), { flush: true })

/**
 * Reads a stored file and returns its SHA-256. A file of an earlier version has no checksum, and gets one with `adopt`, which
 * only the writer of the data folder may set. Throws `data_folder_damaged`.
 */
export function verifyFile(file: string, adopt = false, bytes: Buffer = readFileSync(file)): string {
  const at = bytes.lastIndexOf(label)
  const end = at + checksumBytes
  const digest = at < 0 ? sha256(bytes) : sha256(bytes.subarray(0, at), bytes.subarray(end))
  if (at >= 0 ? bytes.toString('latin1', at + label.length, end) !== digest : !isParquet(bytes)) throw damaged(file)
  if (at < 0 && adopt) replaceFile(file, ...withChecksum(bytes))
  return digest
}

function withChecksum(bytes: Buffer): Uint8Array[] {
  const end = metadataStart(bytes)
  return [bytes.subarray(0, end), label, Buffer.from(sha256(bytes), 'latin1'), bytes.subarray(end)]
}

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

function damaged(file: string): CoinstrataError {
  const source = path.basename(path.dirname(file))
  const others: Readonly<Record<string, string>> = {
    import: 'import its observations again',
    [simulatedSource]: 'run "coinstrata update"',
  }
  const again = source.endsWith('-snapshots')
    ? 'do without its observations, which nobody offers a second time'
    : (others[source] ?? `run "coinstrata fetch ${source} --since ${path.basename(file, '.parquet')}-01"`)
  return new CoinstrataError('data_folder_damaged', `${file} is damaged: it does not match its checksum`, {
    cure: `check the disk; put the file of a backup back ("coinstrata restore" into a new folder), or remove it and ${again}`,
  })
}
