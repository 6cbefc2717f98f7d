import { mkdirSync } from 'node:fs'
import os from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'

/** What a query may use; everything is set, because DuckDB's own defaults take the whole machine. */
export interface SessionLimits {
  /** Folder for what does not fit in memory. */
  readonly temporaryFolder: string
  readonly memory?: string
  readonly threads?: number
}

/**
 * Runs `work` on a fresh in-memory DuckDB and closes it afterwards. Tables made in it are gone at the end: what lasts
 * is written as Parquet. Only the main thread of a process may do this, since ending a worker thread during a query
 * aborts the process. Throws `memory_exhausted`, and what `work` throws.
 */
export async function withSession<T>(
  limits: SessionLimits,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  mkdirSync(limits.temporaryFolder, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(limits.threads ?? os.availableParallelism()),
    memory_limit: limits.memory ?? '1GB',
    temp_directory: limits.temporaryFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    try {
      // The macro is for statements: satoshis as coins.
      await connection.run(`SET TimeZone = 'UTC'; CREATE TEMP MACRO coins(sats) AS sats / ${satsPerCoin}`)
      return await work(connection)
    } catch (cause) {
      throw outOfMemory(cause) ?? cause
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

function outOfMemory(cause: unknown): CoinstrataError | undefined {
  if (!(cause instanceof Error) || !/^Out of Memory Error/.test(cause.message)) return undefined
  return new CoinstrataError('memory_exhausted', 'DuckDB needs more memory than its limit allows', {
    cause,
    cure: 'raise MEMORY_LIMIT, or stop other programs, or give this machine or container more memory; nothing was lost',
  })
}
