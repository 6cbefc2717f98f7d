import { mkdirSync } from 'node:fs'
import os from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'

export const instanceOptions = (temporaryFolder: string, memory: string, threads: number) => ({
  threads: String(threads),
  memory_limit: memory,
  temp_directory: temporaryFolder,
  // The system caches files; copies in DuckDB would grow with each file that is read.
  enable_external_file_cache: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
})

/** Set in every session, because DuckDB's defaults use the whole machine. */
export interface SessionLimits {
  /** For data that exceeds memory. */
  readonly temporaryFolder: string
  readonly memory?: string
  readonly threads?: number
}

/**
 * Runs `work` on a new in-memory DuckDB and closes it afterwards. Main thread only: terminating a
 * worker thread during a query aborts the process.
 */
export async function withSession<T>(
  limits: SessionLimits,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { temporaryFolder, memory = '1GB', threads = os.availableParallelism() } = limits
  mkdirSync(temporaryFolder, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', instanceOptions(temporaryFolder, memory, threads))
  try {
    const connection = await instance.connect()
    try {
      // Converts satoshis to BTC.
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
