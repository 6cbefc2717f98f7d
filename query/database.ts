import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { LimitError } from '#limits/limiter.ts'
import { quotedString } from '#sql/quote.ts'
import { instanceOptions } from '#sql/session.ts'

/** More would compete for processors, and for the threads that read files. */
const connectionCount = 4
/** Twenty times the longest query of the API on a loaded machine. */
const maxQueryMs = 30_000

/**
 * An in-memory DuckDB that reads only the given folders. Queries wait for one of a few connections
 * and run in libuv threads.
 */
export class Database {
  /** For files that are created to be sent. */
  readonly temporaryFolder: string
  readonly #instance: DuckDBInstance
  readonly #connections: readonly DuckDBConnection[]
  readonly #free: DuckDBConnection[]
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = []

  private constructor(instance: DuckDBInstance, connections: DuckDBConnection[], temporaryFolder: string) {
    this.#instance = instance
    this.#connections = connections
    this.#free = [...connections]
    this.temporaryFolder = temporaryFolder
  }

  static async open(readableFolders: readonly string[], temporaryFolder: string, memory: string): Promise<Database> {
    mkdirSync(temporaryFolder, { recursive: true })
    const instance = await DuckDBInstance.create(':memory:', instanceOptions(temporaryFolder, memory, 2))
    const connections: DuckDBConnection[] = []
    for (let i = 0; i < connectionCount; i++) connections.push(await instance.connect())
    const allowed = [...readableFolders, temporaryFolder].map((folder) => quotedString(path.join(folder, path.sep)))
    const [first] = connections
    await first?.run(`SET allowed_directories = [${allowed.join(', ')}]`)
    await first?.run('SET enable_external_access = false')
    for (const connection of connections) await connection.run(`SET TimeZone = 'UTC'`)
    await first?.run('SET lock_configuration = true')
    return new Database(instance, connections, temporaryFolder)
  }

  /** Throws `overloaded` for a query that takes too long. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection =
      this.#free.pop() ?? (await new Promise<DuckDBConnection>((resolve) => this.#waiting.push(resolve)))
    let isTooLong = false
    const timer = setTimeout(() => {
      isTooLong = true
      connection.interrupt()
    }, maxQueryMs)
    try {
      return await work(connection)
    } catch (error) {
      if (!isTooLong) throw error
      const message = 'reading takes too long at the moment; try again in a minute, or ask for less'
      throw new LimitError('overloaded', message, 60)
    } finally {
      clearTimeout(timer)
      const next = this.#waiting.shift()
      if (next) next(connection)
      else this.#free.push(connection)
    }
  }

  /** Interrupts queries: exiting during one would hang until it ends. */
  async close(): Promise<void> {
    while (this.#free.length < this.#connections.length) {
      for (const connection of this.#connections) if (!this.#free.includes(connection)) connection.interrupt()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    for (const connection of this.#connections) connection.closeSync()
    this.#instance.closeSync()
  }

  readonly [Symbol.asyncDispose] = this.close
}
