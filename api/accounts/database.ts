import { chmodSync, copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
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
  // Sessions lasted 30 days from their start on.
  `ALTER TABLE sessions ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN last_used_at INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN confirmed_at INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
   UPDATE sessions SET created_at = expires_at - 2592000000, last_used_at = expires_at - 2592000000;
   CREATE INDEX sessions_of_account ON sessions(account_id);
   CREATE TABLE one_time_links (
     hash BLOB PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     purpose TEXT NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE one_time_codes (
     account_id INTEGER PRIMARY KEY REFERENCES accounts(id),
     secret BLOB NOT NULL,
     confirmed_at INTEGER,
     last_step INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE recovery_codes (
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     hash BLOB NOT NULL,
     PRIMARY KEY (account_id, hash)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE passkeys (
     id TEXT PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     name TEXT NOT NULL,
     site TEXT NOT NULL,
     public_key BLOB NOT NULL,
     sign_count INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER
   ) STRICT;
   CREATE INDEX passkeys_of_account ON passkeys(account_id);`,
  `CREATE TABLE pictures (
     id TEXT PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     name TEXT NOT NULL,
     request TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX pictures_of_account ON pictures(account_id);
   CREATE TABLE boards (
     account_id INTEGER PRIMARY KEY REFERENCES accounts(id),
     content TEXT NOT NULL,
     share TEXT UNIQUE
   ) STRICT;`,
  `CREATE TABLE webhooks (
     id TEXT PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     name TEXT NOT NULL,
     url TEXT NOT NULL,
     events TEXT NOT NULL,
     secret BLOB NOT NULL,
     earlier_secret BLOB,
     earlier_until INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL,
     delivered_at INTEGER,
     failures INTEGER NOT NULL DEFAULT 0,
     failing_since INTEGER,
     retry_at INTEGER,
     problem TEXT,
     disabled_at INTEGER,
     taken_until INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX webhooks_of_account ON webhooks(account_id);
   CREATE TABLE webhook_deliveries (
     id TEXT PRIMARY KEY,
     webhook_id TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
     event TEXT NOT NULL,
     body TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     UNIQUE (webhook_id, event)
   ) STRICT;
   CREATE TABLE announced_events (
     event TEXT PRIMARY KEY,
     state TEXT NOT NULL
   ) STRICT;`,
  `CREATE TABLE oauth_clients (
     id TEXT PRIMARY KEY,
     metadata TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     used_at INTEGER
   ) STRICT;
   CREATE TABLE oauth_grants (
     id TEXT PRIMARY KEY,
     account_id INTEGER NOT NULL REFERENCES accounts(id),
     client_id TEXT NOT NULL,
     client_name TEXT NOT NULL,
     redirect_uri TEXT NOT NULL,
     resource TEXT NOT NULL,
     tier TEXT NOT NULL,
     may_refresh INTEGER NOT NULL,
     code_hash BLOB NOT NULL UNIQUE,
     code_challenge TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     redeemed_at INTEGER,
     last_used_at INTEGER,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX oauth_grants_of_account ON oauth_grants(account_id);
   CREATE INDEX oauth_grants_of_client ON oauth_grants(client_id);
   CREATE TABLE oauth_tokens (
     hash BLOB PRIMARY KEY,
     grant_id TEXT NOT NULL REFERENCES oauth_grants(id) ON DELETE CASCADE,
     kind TEXT NOT NULL,
     expires_at INTEGER NOT NULL,
     used_at INTEGER
   ) STRICT;
   CREATE INDEX oauth_tokens_of_grant ON oauth_tokens(grant_id);`,
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
        cure: 'use that version, or choose another data folder',
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

/**
 * The same where nothing can be written to the data folder: as they stand, and every change is refused. `folder` is one that
 * can be written to. Throws what SQLite does where they cannot be read.
 */
export function openAccountsAsTheyStand(dataDir: string, folder: string): DatabaseSync {
  const file = path.join(dataDir, 'state', 'accounts.db')
  const database = existsSync(file) ? openAsItStands(file, folder) : new DatabaseSync(':memory:')
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version === 0) for (const step of migrations) database.exec(step)
  else if (version !== migrations.length) {
    database.close()
    throw new CoinstrataError('data_folder_mismatch', `${file} was written by another version of this program`, {
      cure: 'run this version once with write access to the data folder',
    })
  }
  database.exec('PRAGMA query_only = ON')
  return database
}

function openAsItStands(file: string, folder: string): DatabaseSync {
  const log = `${file}-wal`
  // What was not written back yet when the last process ended stands beside it, and can only be read with files around.
  if (existsSync(log) && statSync(log).size > 0) {
    const copy = path.join(folder, path.basename(file))
    copyFileSync(file, copy)
    copyFileSync(log, `${copy}-wal`)
    return new DatabaseSync(copy)
  }
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN */
const unwritableCodes: ReadonlySet<number> = new Set([8, 10, 13, 14])
const unwritableFailures = /^E(ROFS|ACCES|PERM|NOSPC|DQUOT)\b/

/** Whether something failed because nothing can be written: a full disk, a folder that may only be read. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error &&
  (unwritableFailures.test(error.message) ||
    // The lower byte is the kind of failure.
    ('errcode' in error && typeof error.errcode === 'number' && unwritableCodes.has(error.errcode & 0xff)))
