import type { Pool, PoolClient } from 'pg'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { loadOptionalPackage } from '#base/optional-package.ts'
import { ApiError } from '#contract/api-error.ts'
import { accountsSchema, toPostgres } from './schema.ts'
import {
  type AccountsDatabase,
  accountsUnavailable,
  createStatements,
  type Statements,
  type Values,
} from './statements.ts'

type Pg = typeof import('pg')['default']

const defaultCacheMs = 10_000
const maxConnections = 10
/** `lock` limits a transaction's wait for another one, and how long an idle one blocks others. */
const timeoutsMs = { connect: 3_000, query: 5_000, lock: 2_000 }
/** After a failure, statements fail at once for this time. */
const retryPauseMs = 1_000
/** Advisory lock for our transactions: "coin" in ASCII. */
const lockId = 0x636f696e
const int8 = 20

/**
 * SQLSTATE classes: connection, authorization, resources, operator intervention, system errors,
 * conflicting transactions.
 */
const unavailableStates = /^(08|28|3D|53|57|58|40|55P03|25006)/
/** One statement was cancelled; the database still answers others. */
const busyStates = /^(40|55P03|57014)/
const accessStates = /^(28|3D|42501)/
/** PostgreSQL rejects NUL characters; SQLite accepts them. */
const nulInText = '22021'

export class PostgresAccounts implements AccountsDatabase {
  readonly cacheMs: number
  readonly all: Statements['all']
  readonly get: Statements['get']
  readonly run: Statements['run']
  readonly #pg: Pg
  readonly #pool: Pool
  #ready: Promise<void> | undefined
  /** After the first connection, failures are not blamed on the settings. */
  #hasConnected = false
  #isUnreachable = false
  #retryAt = 0

  private constructor(pg: Pg, url: string, cacheMs: number) {
    this.cacheMs = cacheMs
    this.#pg = pg
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'coinstrata',
      max: maxConnections,
      connectionTimeoutMillis: timeoutsMs.connect,
      query_timeout: timeoutsMs.query,
      keepAlive: true,
      types: {
        // Our times and counts are below 2^53.
        getTypeParser: (id, format) => (id === int8 ? Number : pg.types.getTypeParser(id, format)),
      },
    })
    const statements = this.#createStatements(this.#pool, () => this.ready())
    ;({ all: this.all, get: this.get, run: this.run } = statements)
    // The pool replaces idle connections that break.
    this.#pool.on('error', () => {})
  }

  /** Loads the optional package `pg`; connects on first use. */
  static async open(url: string, cacheMs = defaultCacheMs): Promise<PostgresAccounts> {
    const { default: pg } = await loadOptionalPackage('pg', 'PostgreSQL', () => import('pg'))
    // The client's own message would contain the URL, and so the password.
    if (!URL.canParse(url)) {
      throw new CoinstrataError('invalid_configuration', 'DATABASE_URL is not the address of a PostgreSQL database', {
        cure: 'give postgresql://user:password@host:5432/database',
      })
    }
    return new PostgresAccounts(pg, url, cacheMs)
  }

  /**
   * Upgrades the tables, once. Throws `accounts_unavailable` while PostgreSQL cannot be reached.
   */
  async ready(): Promise<void> {
    if (performance.now() < this.#retryAt) throw accountsUnavailable('PostgreSQL did not answer a moment ago')
    this.#ready ??= this.#createTables()
    try {
      await this.#ready
      this.#hasConnected = true
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  /** Starts another attempt if unreachable. */
  get isUnreachable(): boolean {
    if (this.#isUnreachable)
      this.ready()
        .then(() => this.serverVersion())
        .catch(ignore)
    return this.#isUnreachable
  }

  /** Changes nothing, unlike `ready`. */
  async serverVersion(): Promise<string> {
    const statements = this.#createStatements(this.#pool)
    return (await statements.get(serverSchema, "SELECT current_setting('server_version') AS version"))!.version
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    await this.ready()
    return this.#inTransaction((client) => work(this.#createStatements(client)))
  }

  /** Left to PostgreSQL (autovacuum). */
  async forget(): Promise<void> {}

  async close(): Promise<void> {
    await this.#pool.end()
  }

  readonly [Symbol.asyncDispose] = this.close

  #createStatements(target: Pool | PoolClient, prepare?: () => Promise<void>): Statements {
    const query = async (sql: string, values: Values) => {
      await prepare?.()
      const statement = positional(sql, values)
      return this.#attempt(() => target.query(statement))
    }
    return createStatements({
      all: async (sql, values) => (await query(sql, values)).rows,
      run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    })
  }

  #createTables(): Promise<void> {
    return this.#inTransaction(async (client) => {
      const { run, get } = this.#createStatements(client)
      const version = accountsSchema.length
      await run('CREATE TABLE IF NOT EXISTS coinstrata_schema (version BIGINT NOT NULL)')
      const found = (await get(versionSchema, 'SELECT version FROM coinstrata_schema'))?.version ?? 0
      if (found === version) return
      if (found > version) {
        const message = `the accounts in PostgreSQL have schema ${found}, and this version of the program has schema ${version}`
        throw new CoinstrataError('data_folder_mismatch', message, {
          cure: 'use the version that wrote them, or another DATABASE_URL',
        })
      }
      for (const sql of accountsSchema.slice(found)) await run(toPostgres(sql))
      await run('DELETE FROM coinstrata_schema')
      await run('INSERT INTO coinstrata_schema (version) VALUES ($version)', { version })
    })
  }

  async #inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#attempt(() => this.#pool.connect())
    // If the connection breaks, the current query reports it.
    client.on('error', ignore)
    let isCommitted = false
    try {
      await this.#attempt(() => client.query(begin))
      const result = await work(client)
      await this.#attempt(() => client.query('COMMIT'))
      isCommitted = true
      return result
    } finally {
      client.off('error', ignore)
      // Closing the connection rolls back a failed transaction.
      client.release(!isCommitted)
    }
  }

  async #attempt<T>(query: () => Promise<T>): Promise<T> {
    try {
      const result = await query()
      this.#isUnreachable = false
      return result
    } catch (error) {
      throw this.#translateError(error)
    }
  }

  #translateError(error: unknown): unknown {
    const message = error instanceof Error ? error.message : String(error)
    const state = error instanceof this.#pg.DatabaseError ? (error.code ?? '') : undefined
    if (state !== undefined && !this.#hasConnected && accessStates.test(state)) {
      return new CoinstrataError('invalid_configuration', `PostgreSQL refuses DATABASE_URL: ${message}`, {
        cure: 'correct user, password and database in DATABASE_URL; the user must own the database',
      })
    }
    if (state === nulInText) return new ApiError('invalid_parameter', 'no text may hold the character NUL')
    if (state !== undefined && !unavailableStates.test(state)) return error
    if (state === undefined || !busyStates.test(state)) {
      this.#isUnreachable = true
      this.#retryAt = performance.now() + retryPauseMs
    }
    return accountsUnavailable(`PostgreSQL does not answer (${message})`, error)
  }
}

const versionSchema = z.object({ version: z.int() })
const serverSchema = z.object({ version: z.string() })
const begin = `BEGIN; SET LOCAL lock_timeout = ${timeoutsMs.lock}; SET LOCAL idle_in_transaction_session_timeout = ${timeoutsMs.lock};
  SELECT pg_advisory_xact_lock(${lockId})`
const ignore = (): void => {}

function positional(sql: string, values: Values) {
  const names: string[] = []
  const text = sql.replaceAll(/\$([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return {
    text,
    values: names.map((name) => {
      const value = values[name]
      if (value === undefined) throw new Error(`no value for $${name} in ${sql}`)
      return value
    }),
  }
}
