import type { DuckDBConnection } from '@duckdb/node-api'
import { createSerialQueue, type SerialQueue } from '#base/serial-queue.ts'

const queues = new WeakMap<DuckDBConnection, SerialQueue>()

/**
 * Runs work on a connection once everything begun on it before has ended. A connection does one thing at a time: a
 * statement that starts while the result of another is read closes that result. Work must not wait for a turn of its own.
 */
export function runExclusive<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(connection) ?? createSerialQueue()
  queues.set(connection, queue)
  return queue(work)
}
