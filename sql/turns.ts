import type { DuckDBConnection } from '@duckdb/node-api'

const last = new WeakMap<DuckDBConnection, Promise<unknown>>()

/**
 * Runs work on a connection once everything begun on it before has ended. A connection does one thing at a time: a
 * statement that starts while the result of another is read closes that result. Work must not wait for a turn of its own.
 */
export function inTurn<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  const turn = (last.get(connection) ?? Promise.resolve()).then(work)
  last.set(
    connection,
    turn.catch(() => undefined),
  )
  return turn
}
