import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { readChecksum, withChecksum } from '#sql/checksum.ts'
import { replaceFile } from '#sql/files.ts'
import { simulatedSource } from './observations.ts'

/**
 * Reads a stored file and returns its SHA-256. A file of an earlier version has no checksum, and
 * gets one with `adopt`, which only the writer of the data folder may set. Throws
 * `data_folder_damaged`.
 */
export function verifyFile(file: string, adopt = false, bytes: Buffer = readFileSync(file)): string {
  const { digest, state } = readChecksum(bytes)
  if (state === 'damaged') throw damaged(file)
  if (state === 'unmarked' && adopt) replaceFile(file, Buffer.concat(withChecksum(bytes)))
  return digest
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
