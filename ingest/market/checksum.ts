import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { verifyChecksum } from '#sql/parquet-checksum.ts'
import { simulatedSource } from './observations.ts'

/** Verifies a stored file and returns its SHA-256. Throws `data_folder_damaged`. */
export function verifyFile(file: string, bytes: Buffer = readFileSync(file)): string {
  const digest = verifyChecksum(bytes)
  if (digest === undefined) throw damaged(file)
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
