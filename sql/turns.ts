import type { DuckDBConnection } from '@duckdb/node-api'
import { type InTurn, oneAtATime } from '#base/one-at-a-time.ts'

const queues = new WeakMap<DuckDBConnection, InTurn>()

/**
 * Runs work on a connection once everything begun on it before has ended. A connection does one thing at a time: a
 * statement that starts while the result of another is read closes that result. Work must not wait for a turn of its own.
 */
export function inTurn<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(connection) ?? oneAtATime()
  queues.set(connection, queue)
  return queue(work)
}
