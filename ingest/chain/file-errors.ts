import { CoinstrataError, hasErrorCode } from '#base/errors.ts'

export const folderCure = "name the node's data directory with --datadir, or its blocks folder with --blocksdir"

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

export const openError = (file: string, cause: unknown): CoinstrataError =>
  hasErrorCode(cause, 'ENOENT')
    ? new CoinstrataError('source_not_found', `${file} does not exist`, { cause, cure: folderCure })
    : new CoinstrataError('source_unreadable', `cannot read ${file}`, {
        cause,
        cure: 'run as the user of the node, because Bitcoin Core lets nobody else read its files',
      })

export const diskError = (file: string, offset: number, cause: unknown): CoinstrataError =>
  new CoinstrataError('source_unreadable', `cannot read ${file} at offset ${offset}`, {
    cause,
    cure: 'check the health of the disk, then run again',
  })
