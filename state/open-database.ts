import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CoinstrataError } from '#base/errors.ts'

/** Opens `<dataDir>/state/<name>.db`, readable by the operator only, and applies missing migrations. */
export function openDatabase(dataDir: string, name: string, steps: readonly string[]): DatabaseSync {
  const folder = path.join(dataDir, 'state')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${name}.db`)
  const isNew = !existsSync(file)
  const database = new DatabaseSync(file, { timeout: 5_000 })
  if (isNew) chmodSync(file, 0o600)
  const versionNow = (): number => Number(database.prepare('PRAGMA user_version').get()?.user_version)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    if (versionNow() > steps.length) {
      throw new CoinstrataError('data_folder_mismatch', `${file} was written by a newer version of this program`, {
        cure: 'use that version, or choose another data folder',
      })
    }
    // Without a migration there is no need to wait for the write lock.
    if (versionNow() < steps.length) {
      database.exec('BEGIN IMMEDIATE')
      for (const step of steps.slice(versionNow())) database.exec(step)
      database.exec(`PRAGMA user_version = ${steps.length}; COMMIT`)
    }
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN */
const unwritableCodes: ReadonlySet<number> = new Set([8, 10, 13, 14])
const unwritableFailures = /^E(ROFS|ACCES|PERM|NOSPC|DQUOT)\b/

/** True for failures to write: a full disk, a read-only folder. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error &&
  (unwritableFailures.test(error.message) ||
    // The lower byte is SQLite's primary result code.
    ('errcode' in error && typeof error.errcode === 'number' && unwritableCodes.has(error.errcode & 0xff)))
