import type { Pool, PoolClient } from 'pg'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { loadOptional } from '#base/optional-package.ts'
import { ApiError } from '#contract/api-error.ts'
import { migrations, postgresStep } from './schema.ts'
import { type AccountsDatabase, accountsUnavailable, type Statements, type Values } from './statements.ts'

type Pg = typeof import('pg')['default']

/** Milliseconds for which keys, sessions and tokens are not looked up again. */
const usuallyRemembered = 10_000
const mostConnections = 10
/** In milliseconds. A change waits so long for those of other machines, and a machine that stopped within one holds them up so long. */
const longest = { connecting: 3_000, answer: 5_000, lock: 2_000 }
/** After a failure nobody waits for a database that is away, but who comes after so many milliseconds. */
const pauseAfterFailure = 1_000
/** By which changes of ours that belong together wait for each other: "coin". */
const lockNumber = 0x636f696e
const int8 = 20

/** Of SQLSTATE: connections, resources, operators, the system itself, and who may connect; a change that met another one. */
const awayStates = /^(08|28|3D|53|57|58|40|55P03|25006)/
/** A single statement was given up, while the database answers others. */
const busyStates = /^(40|55P03|57014)/
const refusedStates = /^(28|3D|42501)/
/** A text holds NUL, which SQLite takes. */
const unfitText = '22021'

/** Accounts in PostgreSQL, which several machines share. */
export class PostgresAccounts implements AccountsDatabase {
  readonly rememberedFor: number
  readonly #pg: Pg
  readonly #pool: Pool
  readonly #statements: Statements
  #ready: Promise<void> | undefined
  /** It has let us in once; what it says later is not about the settings. */
  #isKnown = false
  #isAway = false
  #awayUntil = 0

  private constructor(pg: Pg, url: string, rememberedFor: number) {
    this.rememberedFor = rememberedFor
    this.#pg = pg
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'coinstrata',
      max: mostConnections,
      connectionTimeoutMillis: longest.connecting,
      query_timeout: longest.answer,
      keepAlive: true,
      types: {
        // Times and counts, which numbers hold exactly.
        getTypeParser: (id, format) => (id === int8 ? Number : pg.types.getTypeParser(id, format)),
      },
    })
    this.#statements = this.#statementsOf(this.#pool)
    // A connection that breaks while nobody uses it is replaced by the next that is needed.
    this.#pool.on('error', () => {})
  }

  /** Loads the client, which is installed by those who use it; connects later. Throws `invalid_configuration`. */
  static async open(url: string, rememberedFor = usuallyRemembered): Promise<PostgresAccounts> {
    const { default: pg } = await loadOptional('pg', 'PostgreSQL', () => import('pg'))
    // What the client says of one that it cannot read would hold the address, and so the password.
    if (!URL.canParse(url)) {
      throw new CoinstrataError('invalid_configuration', 'DATABASE_URL is not the address of a PostgreSQL database', {
        cure: 'give postgresql://user:password@host:5432/database',
      })
    }
    return new PostgresAccounts(pg, url, rememberedFor)
  }

  /**
   * Brings the tables up to date, once. Throws `accounts_unavailable`, `invalid_configuration` where PostgreSQL does not let us in, and
   * `data_folder_mismatch` where a newer version of the program was here.
   */
  async ready(): Promise<void> {
    if (performance.now() < this.#awayUntil) throw accountsUnavailable('PostgreSQL did not answer a moment ago')
    this.#ready ??= this.#migrate().then(
      () => {
        this.#isKnown = true
      },
      (error: unknown) => {
        this.#ready = undefined
        throw error
      },
    )
    return this.#ready
  }

  /** Asks again where nobody else does. */
  get isAway(): boolean {
    if (this.#isAway)
      this.ready()
        .then(() => this.serverVersion())
        .catch(ignore)
    return this.#isAway
  }

  /** Which version of PostgreSQL answers. Changes nothing. Throws `accounts_unavailable`, `invalid_configuration`. */
  async serverVersion(): Promise<string> {
    return serverSchema.parse(await this.#statements.get("SELECT current_setting('server_version') AS version")).version
  }

  async all(sql: string, values: Values = {}): Promise<unknown[]> {
    await this.ready()
    return this.#statements.all(sql, values)
  }

  async get(sql: string, values: Values = {}): Promise<unknown> {
    await this.ready()
    return this.#statements.get(sql, values)
  }

  async run(sql: string, values: Values = {}): Promise<number> {
    await this.ready()
    return this.#statements.run(sql, values)
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    await this.ready()
    return this.#inTransaction((client) => work(this.#statementsOf(client)))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #statementsOf(target: Pool | PoolClient): Statements {
    const query = (sql: string, values: Values = {}) => {
      const statement = positional(sql, values)
      return this.#asked(() => target.query(statement))
    }
    return {
      all: async (sql, values) => (await query(sql, values)).rows,
      get: async (sql, values) => (await query(sql, values)).rows[0],
      run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    }
  }

  #migrate(): Promise<void> {
    return this.#inTransaction(async (client) => {
      const { run, get } = this.#statementsOf(client)
      await run('CREATE TABLE IF NOT EXISTS coinstrata_schema (version BIGINT NOT NULL)')
      const { version } = versionSchema.parse(
        await get('SELECT coalesce(max(version), 0) AS version FROM coinstrata_schema'),
      )
      if (version > migrations.length) {
        const message = 'the accounts in PostgreSQL were written by a newer version of this program'
        throw new CoinstrataError('data_folder_mismatch', message, {
          cure: 'use that version, or another DATABASE_URL',
        })
      }
      if (version === migrations.length) return
      for (const step of migrations.slice(version)) await run(postgresStep(step))
      await run('DELETE FROM coinstrata_schema')
      await run('INSERT INTO coinstrata_schema (version) VALUES ($version)', { version: migrations.length })
    })
  }

  async #inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#asked(() => this.#pool.connect())
    // What is under way tells of a connection that breaks.
    client.on('error', ignore)
    let isWhole = false
    try {
      await this.#asked(() => client.query(begin))
      const result = await work(client)
      await this.#asked(() => client.query('COMMIT'))
      isWhole = true
      return result
    } finally {
      client.off('error', ignore)
      // With its connection a transaction ends that came to nothing.
      client.release(!isWhole)
    }
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask()
      this.#isAway = false
      return answer
    } catch (error) {
      throw this.#translated(error)
    }
  }

  #translated(error: unknown): unknown {
    const message = error instanceof Error ? error.message : String(error)
    const state = error instanceof this.#pg.DatabaseError ? (error.code ?? '') : undefined
    if (state !== undefined && !this.#isKnown && refusedStates.test(state)) {
      return new CoinstrataError('invalid_configuration', `PostgreSQL refuses DATABASE_URL: ${message}`, {
        cure: 'correct user, password and database in DATABASE_URL; the user must own the database',
      })
    }
    if (state === unfitText) return new ApiError('invalid_parameter', 'no text may hold the character NUL')
    if (state !== undefined && !awayStates.test(state)) return error
    if (state === undefined || !busyStates.test(state)) {
      this.#isAway = true
      this.#awayUntil = performance.now() + pauseAfterFailure
    }
    return accountsUnavailable(`PostgreSQL does not answer (${message})`, error)
  }
}

const versionSchema = z.object({ version: z.int() })
const serverSchema = z.object({ version: z.string() })
const begin = `BEGIN; SET LOCAL lock_timeout = ${longest.lock}; SET LOCAL idle_in_transaction_session_timeout = ${longest.lock};
  SELECT pg_advisory_xact_lock(${lockNumber})`
const ignore = (): void => {}

/** PostgreSQL counts parameters where we name them. */
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
