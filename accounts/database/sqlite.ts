import { copyFileSync, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { CoinstrataError } from '#base/errors.ts'
import { openDatabase } from '#state/open-database.ts'
import { migrations } from './schema.ts'
import { type AccountsDatabase, accountsUnavailable, type Statements, type Values } from './statements.ts'

/** Milliseconds for which a statement is tried again while another process holds the file. */
const longestWait = 2_000
const triedEvery = 20
const busyCodes: ReadonlySet<number> = new Set([5, 6])

/**
 * Accounts in a file of the data folder. Nothing waits within SQLite, where it would hold up every request: what another process
 * holds is tried again in turns of the event loop.
 */
export class SqliteAccounts implements AccountsDatabase {
  /** To look somebody up takes microseconds. */
  readonly rememberedFor = 0
  readonly isAway = false
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  readonly #within: Statements
  /** Until it ends, other statements wait: there is one connection. */
  #transaction: Promise<void> | undefined

  private constructor(database: DatabaseSync) {
    this.#database = database
    this.#database.exec('PRAGMA busy_timeout = 0')
    this.#within = {
      all: async (sql, values = {}) => this.#prepare(sql).all(values),
      get: async (sql, values = {}) => this.#prepare(sql).get(values),
      run: async (sql, values = {}) => Number(this.#prepare(sql).run(values).changes),
    }
  }

  static open(dataDir: string): SqliteAccounts {
    return new SqliteAccounts(openDatabase(dataDir, 'accounts', migrations))
  }

  /**
   * The same where nothing can be written to the data folder: as they stand, and every change is refused. `folder` is one that
   * can be written to. Throws what SQLite does where they cannot be read.
   */
  static openAsTheyStand(dataDir: string, folder: string): SqliteAccounts {
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
    return new SqliteAccounts(database)
  }

  all(sql: string, values: Values = {}): Promise<unknown[]> {
    return this.#whenFree(() => this.#prepare(sql).all(values))
  }

  get(sql: string, values: Values = {}): Promise<unknown> {
    return this.#whenFree(() => this.#prepare(sql).get(values))
  }

  run(sql: string, values: Values = {}): Promise<number> {
    return this.#whenFree(() => Number(this.#prepare(sql).run(values).changes))
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.#whenFree(() => {
      this.#database.exec('BEGIN IMMEDIATE')
      this.#transaction = promise
    })
    try {
      const result = await work(this.#within)
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

  async close(): Promise<void> {
    await this.#transaction
    this.#database.close()
  }

  async #whenFree<T>(work: () => T): Promise<T> {
    const until = performance.now() + longestWait
    while (true) {
      while (this.#transaction !== undefined) await this.#transaction
      try {
        return work()
      } catch (cause) {
        if (!isBusy(cause)) throw cause
        if (performance.now() > until) throw accountsUnavailable('another process holds state/accounts.db', cause)
      }
      await setTimeout(triedEvery)
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
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

/** SQLITE_BUSY, SQLITE_LOCKED; the lower byte is the kind of failure. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  busyCodes.has(error.errcode & 0xff)
