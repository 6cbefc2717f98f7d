import { rmSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { IntactReader, IntactWriter } from '#sql/intact-file.ts'

/** Opens files of addresses by name. */
export interface AddressFiles {
  readonly read: (name: string) => IntactReader
  readonly write: (name: string) => IntactWriter
}

/** @param damaged creates the error for a damaged file */
export const addressFiles = (from: string, to: string, damaged?: (file: string) => Error): AddressFiles => ({
  read: (name) => new IntactReader(path.join(from, name), damaged),
  write: (name) => new IntactWriter(path.join(to, name)),
})

/** Removes a damaged file, so that its blocks are scanned again. */
export function damagedBalances(file: string): CoinstrataError {
  rmSync(file, { force: true })
  return new CoinstrataError('data_not_ready', `the balances of addresses in ${file} are damaged`, {
    cure: 'run "coinstrata update", which scans their blocks again',
  })
}
