import type { DuckDBConnection } from '@duckdb/node-api'
import { createSerialQueue, type SerialQueue } from '#base/serial-queue.ts'

const queues = new WeakMap<DuckDBConnection, SerialQueue>()

/**
 * Runs work on a connection after all earlier work on it has ended: a statement closes a result
 * that is still being read. Nested calls deadlock.
 */
export function runExclusive<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(connection) ?? createSerialQueue()
  queues.set(connection, queue)
  return queue(work)
}
