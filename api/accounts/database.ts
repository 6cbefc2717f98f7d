import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CoinstrataError } from '#root/errors.ts'

/** Each step brings a file of the version that is its place here to the next one. */
const migrations = [
  `CREATE TABLE accounts (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     email TEXT NOT NULL UNIQUE,
     password_hash TEXT,
     tier TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE api_keys (
     id TEXT PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     name TEXT NOT NULL,
     hash BLOB NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER,
     last_used_at INTEGER
   ) STRICT;
   CREATE INDEX api_keys_of_account ON api_keys(account_id);
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     expires_at INTEGER NOT NULL
   ) STRICT;`,
]

/** Opens `<dataDir>/state/<name>.db`, which only the operator can read, and brings its tables up to date. */
export function openState(dataDir: string, name: string, steps: readonly string[]): DatabaseSync {
  const folder = path.join(dataDir, 'state')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${name}.db`)
  const isNew = !existsSync(file)
  const database = new DatabaseSync(file, { timeout: 5_000 })
  if (isNew) chmodSync(file, 0o600)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE')
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    if (version > steps.length) {
      throw new CoinstrataError('data_folder_mismatch', `${file} was written by a newer version of this program`, {
        cure: 'use that version, or another data folder',
      })
    }
    for (const step of steps.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${steps.length}; COMMIT`)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Accounts, their API keys and sessions. */
export const openAccountsDatabase = (dataDir: string): DatabaseSync => openState(dataDir, 'accounts', migrations)
