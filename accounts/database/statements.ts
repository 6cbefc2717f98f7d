import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import type { MaybePromise } from '#base/maybe-promise.ts'

export type Value = string | number | Uint8Array | null

export type Values = Readonly<Record<string, Value>>

/**
 * Statements in the SQL that SQLite and PostgreSQL share. Integers are returned as numbers, bytes
 * as `Uint8Array`. Rows are parsed by a schema. Each throws `accounts_unavailable` if the database
 * does not answer or stays locked.
 */
export interface Statements {
  all<Row extends z.ZodType>(row: Row, sql: string, values?: Values): Promise<z.output<Row>[]>
  /** Returns the first row, or undefined. */
  get<Row extends z.ZodType>(row: Row, sql: string, values?: Values): Promise<z.output<Row> | undefined>
  /** Returns the number of changed rows. */
  run(sql: string, values?: Values): Promise<number>
}

interface Driver {
  readonly all: (sql: string, values: Values) => MaybePromise<unknown[]>
  readonly run: (sql: string, values: Values) => MaybePromise<number>
}

export const createStatements = ({ all, run }: Driver): Statements => ({
  all: async (row, sql, values = {}) => (await all(sql, values)).map((found) => row.parse(found)),
  get: async (row, sql, values = {}) => {
    const [first] = await all(sql, values)
    return first === undefined ? undefined : row.parse(first)
  },
  run: async (sql, values = {}) => run(sql, values),
})

const countSchema = z.object({ count: z.int() })

/** A stored time, in ms since 1970, as text. */
export const timeText = z.int().transform((time) => new Date(time).toISOString())

/** A stored JSON text, by the schema of its content. */
export const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)))

/** Counts rows; `from` is a table, with an optional WHERE clause. */
export async function countRows(statements: Statements, from: string, values?: Values): Promise<number> {
  return (await statements.get(countSchema, `SELECT count(*) AS count FROM ${from}`, values))!.count
}

/** Inserts a row, by column; `ending` follows its values. Returns the number of changed rows. */
export const insertRow = (statements: Statements, table: string, row: Values, ending = ''): Promise<number> =>
  statements.run(insertion(table, row, ending), row)

/** The statement that inserts a row, by column. */
export function insertion(table: string, row: Values, ending: string): string {
  const columns = Object.keys(row)
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((one) => `$${one}`).join(', ')}) ${ending}`
}

/** The columns that a schema of rows reads. */
export const columnsOf = ({ shape }: z.ZodObject): string => Object.keys(shape).join(', ')

/** Deletes a row by its id if it belongs to the account; returns whether it did. */
export async function deleteOwned(statements: Statements, table: string, accountId: number, id: string) {
  const sql = `DELETE FROM ${table} WHERE account_id = $accountId AND id = $id`
  return (await statements.run(sql, { accountId, id })) > 0
}

export interface AccountsDatabase extends Statements {
  /**
   * Milliseconds for which keys, sessions and tokens are cached; changes by other processes take
   * that long to show.
   */
  readonly cacheMs: number
  /** The last statement got no answer. */
  readonly isUnreachable: boolean
  /** Runs one transaction at a time, across all processes. `work` may only use `statements`. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A part of what accounts have. */
export class Store {
  protected readonly database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.database = database
  }
}

/** `why` must not contain a password. */
export const accountsUnavailable = (why: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('accounts_unavailable', `accounts cannot be reached: ${why}`, {
    cause,
    cure: 'try again when no other process locks the database; "coinstrata doctor" checks whether it answers',
  })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof CoinstrataError && error.code === 'accounts_unavailable'
