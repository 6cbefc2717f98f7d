import { readdirSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { readObfuscationKey } from './obfuscation.ts'

/** A folder of block files. */
export interface BlockFolder {
  readonly folder: string
  readonly key: Uint8Array
  /** The numbers of the block files that it holds, ascending. */
  readonly fileNumbers: readonly number[]
}

export const blockFile = (folder: string, number: number): string => fileName(folder, 'blk', number)
export const undoFile = (folder: string, number: number): string => fileName(folder, 'rev', number)

const fileName = (folder: string, kind: string, number: number): string =>
  path.join(folder, `${kind}${String(number).padStart(5, '0')}.dat`)

/**
 * Finds the block files in `folder`; the first may be gone, as on a pruned node. Throws `source_not_found` where there are
 * none, `source_unreadable`.
 */
export function openBlockFolder(folder: string): BlockFolder {
  const key = readObfuscationKey(folder)
  const fileNumbers = blockFileNumbers(folder)
  if (fileNumbers.length === 0) {
    throw new CoinstrataError('source_not_found', `no blk*.dat files in ${folder}`, { cure: folderCure })
  }
  return { folder, key, fileNumbers }
}

function blockFileNumbers(folder: string): number[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    throw openError(folder, cause)
  }
  return names
    .map((name) => /^blk(\d{5,})\.dat$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
}

const folderCure = "name the node's data directory with --datadir, or its blocks folder with --blocksdir"

/** The error for a file or folder of a node that could not be opened. */
export function openError(file: string, cause: unknown): CoinstrataError {
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return missing
    ? new CoinstrataError('source_not_found', `${file} does not exist`, { cause, cure: folderCure })
    : new CoinstrataError('source_unreadable', `cannot read ${file}`, {
        cause,
        cure: 'run as the user of the node, because Bitcoin Core lets nobody else read its files',
      })
}

/** The error for a place in a file that the disk does not hand out. */
export const diskError = (file: string, offset: number, cause: unknown): CoinstrataError =>
  new CoinstrataError('source_unreadable', `cannot read ${file} at offset ${offset}`, {
    cause,
    cure: 'check the health of the disk, then run again',
  })
