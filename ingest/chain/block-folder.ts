import { readdirSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { folderCure, openError } from './file-errors.ts'
import { readObfuscationKey } from './obfuscation.ts'

export interface BlockFolder {
  readonly folder: string
  readonly key: Uint8Array
  /** Ascending. */
  readonly fileNumbers: readonly number[]
}

export const blockFile = (folder: string, number: number): string => fileName(folder, 'blk', number)
export const undoFile = (folder: string, number: number): string => fileName(folder, 'rev', number)

const fileName = (folder: string, kind: string, number: number): string =>
  path.join(folder, `${kind}${String(number).padStart(5, '0')}.dat`)

/** On a pruned node the first block files are missing. */
export function openBlockFolder(folder: string): BlockFolder {
  const key = readObfuscationKey(folder)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    throw openError(folder, cause)
  }
  const digits = names.flatMap((name) => /^blk(\d{5,})\.dat$/.exec(name)?.[1] ?? [])
  if (digits.length === 0) {
    throw new CoinstrataError('source_not_found', `no blk*.dat files in ${folder}`, { cure: folderCure })
  }
  return { folder, key, fileNumbers: digits.map(Number).sort((a, b) => a - b) }
}
