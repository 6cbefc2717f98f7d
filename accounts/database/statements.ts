import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'

export type Value = string | number | Uint8Array | null

export type Values = Readonly<Record<string, Value>>

/**
 * Statements in the SQL that SQLite and PostgreSQL share. Integers are returned as numbers, bytes as `Uint8Array`. Each throws
 * `accounts_unavailable` if the database does not answer or stays locked.
 */
export interface Statements {
  all(sql: string, values?: Values): Promise<unknown[]>
  get(sql: string, values?: Values): Promise<unknown>
  /** Returns the number of changed rows. */
  run(sql: string, values?: Values): Promise<number>
}

export async function readRows<Row extends z.ZodType>(
  statements: Statements,
  row: Row,
  sql: string,
  values?: Values,
): Promise<z.output<Row>[]> {
  return z.array(row).parse(await statements.all(sql, values))
}

export async function readRow<Row extends z.ZodType>(
  statements: Statements,
  row: Row,
  sql: string,
  values?: Values,
): Promise<z.output<Row> | undefined> {
  const found = await statements.get(sql, values)
  return found === undefined ? undefined : row.parse(found)
}

const countSchema = z.object({ count: z.int() })

/** Counts rows; `from` is a table, with an optional WHERE clause. */
export async function countRows(statements: Statements, from: string, values?: Values): Promise<number> {
  return countSchema.parse(await statements.get(`SELECT count(*) AS count FROM ${from}`, values)).count
}

/** Deletes a row by its id if it belongs to the account; returns whether it did. */
export async function deleteOwned(statements: Statements, table: string, accountId: number, id: string) {
  const sql = `DELETE FROM ${table} WHERE account_id = $accountId AND id = $id`
  return (await statements.run(sql, { accountId, id })) > 0
}

export interface AccountsDatabase extends Statements {
  /** Milliseconds for which keys, sessions and tokens are cached; changes by other processes take that long to show. */
  readonly cacheMs: number
  /** The last statement got no answer. */
  readonly isUnreachable: boolean
  /** Runs one transaction at a time, across all processes. `work` may only use `statements`. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** `why` must not contain a password. */
export const accountsUnavailable = (why: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('accounts_unavailable', `accounts cannot be reached: ${why}`, {
    cause,
    cure: 'try again when no other process locks the database; "coinstrata doctor" checks whether it answers',
  })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof CoinstrataError && error.code === 'accounts_unavailable'
