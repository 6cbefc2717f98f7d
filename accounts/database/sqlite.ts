import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { memoize } from '#base/memoize.ts'
import { openDatabase, refuseDamage, refuseEmptied, upgradeDatabase } from '#state/open-database.ts'
import { accountsSchema } from './schema.ts'
import {
  type AccountsDatabase,
  accountsUnavailable,
  createStatements,
  type Statements,
  type Values,
} from './statements.ts'

/** Retry time while another process locks the file. */
const maxWaitMs = 2_000
const retryIntervalMs = 20
/** SQLITE_BUSY and SQLITE_LOCKED. */
const busyCodes: readonly number[] = [5, 6]

const accountsFile = (dataDir: string): string => path.join(dataDir, 'state', 'accounts.db')

/** Waiting for a lock inside SQLite would block the event loop, so statements are retried here. */
export class SqliteAccounts implements AccountsDatabase {
  /** No cache: a lookup takes microseconds. */
  readonly cacheMs = 0
  readonly isUnreachable = false
  readonly all: Statements['all']
  readonly get: Statements['get']
  readonly run: Statements['run']
  readonly #database: DatabaseSync
  readonly #prepare = memoize((sql: string) => this.#database.prepare(sql))
  readonly #innerStatements: Statements
  /** Other statements wait for it: there is one connection. */
  #transaction: Promise<void> | undefined

  private constructor(database: DatabaseSync) {
    this.#database = database
    this.#database.exec('PRAGMA busy_timeout = 0; PRAGMA secure_delete = ON')
    const all = (sql: string, values: Values) => this.#prepare(sql).all(values)
    const run = (sql: string, values: Values) => Number(this.#prepare(sql).run(values).changes)
    this.#innerStatements = createStatements({ all, run })
    const outer = createStatements({
      all: (sql, values) => this.#whenFree(() => all(sql, values)),
      run: (sql, values) => this.#whenFree(() => run(sql, values)),
    })
    ;({ all: this.all, get: this.get, run: this.run } = outer)
  }

  static open(dataDir: string): SqliteAccounts {
    refuseEmptied(accountsFile(dataDir))
    return new SqliteAccounts(openDatabase(dataDir, 'accounts', accountsSchema))
  }

  /** For a read-only data folder: refuses changes. `folder` must be writable. */
  static openReadOnly(dataDir: string, folder: string): SqliteAccounts {
    const file = accountsFile(dataDir)
    refuseEmptied(file)
    const database = new DatabaseSync(existsSync(file) ? copyWithLog(file, folder) : ':memory:')
    refuseDamage(database, file)
    upgradeDatabase(database, file, accountsSchema)
    database.exec('PRAGMA query_only = ON')
    return new SqliteAccounts(database)
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.#whenFree(() => {
      this.#database.exec('BEGIN IMMEDIATE')
      this.#transaction = promise
    })
    try {
      const result = await work(this.#innerStatements)
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    } finally {
      this.#transaction = undefined
      resolve()
    }
  }

  async forget(): Promise<void> {
    await this.#whenFree(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  }

  async close(): Promise<void> {
    await this.#transaction
    this.#database.close()
  }

  readonly [Symbol.asyncDispose] = this.close

  async #whenFree<T>(work: () => T): Promise<T> {
    const until = performance.now() + maxWaitMs
    while (true) {
      while (this.#transaction !== undefined) await this.#transaction
      try {
        return work()
      } catch (cause) {
        if (!isBusy(cause)) throw cause
        if (performance.now() > until) throw accountsUnavailable('another process holds state/accounts.db', cause)
      }
      await setTimeout(retryIntervalMs)
    }
  }
}

/** Reading the write-ahead log, and upgrading, need a writable folder. */
function copyWithLog(file: string, folder: string): string {
  const copy = path.join(folder, path.basename(file))
  for (const part of ['', '-wal'].filter((one) => existsSync(file + one))) {
    copyFileSync(file + part, copy + part)
    chmodSync(copy + part, 0o600)
  }
  return copy
}

/** The low byte of `errcode` is the primary result code. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  busyCodes.includes(error.errcode & 0xff)
