import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { CoinstrataError } from '#base/errors.ts'

/** Statements by version, from 1: a file runs those of later versions than its own. Only append. */
export type Schema = readonly string[]

/**
 * Opens `<dataDir>/state/<name>.db`, readable by the operator only, in the newest version.
 * Throws `data_folder_damaged` for damaged accounts.
 */
export function openDatabase(dataDir: string, name: string, schema: Schema): DatabaseSync {
  const folder = path.join(dataDir, 'state')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${name}.db`)
  const isNew = !existsSync(file)
  const database = openIntact(file, 5_000)
  if (isNew) chmodSync(file, 0o600)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    // Another process may upgrade it first.
    if (missingVersions(database, file, schema).length > 0)
      inTransaction(database, () => upgradeDatabase(database, file, schema))
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/**
 * Runs statements written as templates and binds their values. Unlike those of `createTagStore`,
 * its statements end when the database is closed, which closes the file.
 */
export class SqlTemplates {
  readonly #statements = new Map<TemplateStringsArray, StatementSync>()
  readonly db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.db = db
  }

  run = (text: TemplateStringsArray, ...values: SQLInputValue[]) => this.#prepare(text).run(...values)
  get = (text: TemplateStringsArray, ...values: SQLInputValue[]) => this.#prepare(text).get(...values)
  all = (text: TemplateStringsArray, ...values: SQLInputValue[]) => this.#prepare(text).all(...values)

  #prepare(text: TemplateStringsArray): StatementSync {
    const statement = this.#statements.get(text) ?? this.db.prepare(text.join('?'))
    this.#statements.set(text, statement)
    return statement
  }
}

export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // Some errors, such as a full disk, end the transaction.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function upgradeDatabase(database: DatabaseSync, file: string, schema: Schema): void {
  for (const sql of missingVersions(database, file, schema)) database.exec(sql)
  database.exec(`PRAGMA user_version = ${schema.length}`)
}

/** Fails for tables of a later version. */
function missingVersions(database: DatabaseSync, file: string, schema: Schema): Schema {
  const found = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (found <= schema.length) return schema.slice(found)
  const message = `${file} has schema ${found}, and this version of the program has schema ${schema.length}`
  throw new CoinstrataError('data_folder_mismatch', message, {
    cure: 'use the version that wrote it, or choose another data folder',
  })
}

/** Renames a damaged file to `<file>.damaged`; damaged accounts throw `data_folder_damaged`. */
export function openIntact(file: string, timeout: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout })
  try {
    refuseDamage(database, file)
    return database
  } catch (error) {
    database.close()
    if (!(error instanceof CoinstrataError) || hasAccounts(file)) throw error
  }
  renameSync(file, `${file}.damaged`)
  // Otherwise SQLite applies the damaged file's log to the new one.
  for (const log of ['-wal', '-shm', '-journal']) rmSync(`${file}${log}`, { force: true })
  return new DatabaseSync(file, { timeout })
}

const hasAccounts = (file: string): boolean => path.basename(file) === 'accounts.db'

/** Checks only the structure: changed values cannot be detected. Throws `data_folder_damaged`. */
export function refuseDamage(database: DatabaseSync, file: string): void {
  const damage = findDamage(database)
  if (damage === undefined) return
  throw damagedDatabase(file, damage)
}

function damagedDatabase(file: string, damage: string): CoinstrataError {
  const cure = hasAccounts(file)
    ? 'stop the service, restore a backup into a new folder ("coinstrata restore") and put its file here'
    : 'remove the file: it is created again, and holds no data'
  return new CoinstrataError('data_folder_damaged', `${file} is damaged: ${damage}`, {
    cure: `check the disk; ${cure}`,
  })
}

/**
 * SQLite opens an empty file as a new database. Throws `data_folder_damaged` if a service wrote
 * other files of the folder after it.
 */
export function refuseEmptied(file: string): void {
  const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0
  if (isEmpty && ['limits.db', 'secrets.key'].some((name) => existsSync(path.join(path.dirname(file), name))))
    throw damagedDatabase(file, 'it is empty, and was not')
}

function findDamage(database: DatabaseSync): string | undefined {
  try {
    const found = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check)
    return found === 'ok' ? undefined : found.replaceAll('\n', ' ')
  } catch (error) {
    if (isDamage(error)) return error.message
    throw error
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; the low byte is the primary result code. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  [11, 26].includes(error.errcode & 0xff)

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN */
const unwritableCodes: ReadonlySet<number> = new Set([8, 10, 13, 14])
const unwritableFailures = /^E(ROFS|ACCES|PERM|NOSPC|DQUOT)\b/

/** Full disk, or files that cannot be opened, read or written. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error &&
  (unwritableFailures.test(error.message) ||
    ('errcode' in error && typeof error.errcode === 'number' && unwritableCodes.has(error.errcode & 0xff)))
