import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import type { MaybePromise } from '#base/maybe-promise.ts'
import { mapInTurns } from '#base/own-turn.ts'

export type Value = string | number | Uint8Array | null

export type Values = Readonly<Record<string, Value>>

/**
 * Statements in SQL common to SQLite and PostgreSQL. Integers are numbers, bytes `Uint8Array`. Each
 * throws `accounts_unavailable` if the database does not answer or stays locked.
 */
export interface Statements {
  all<Row extends z.ZodType>(row: Row, sql: string, values?: Values): Promise<z.output<Row>[]>
  /** Returns the first row. */
  get<Row extends z.ZodType>(row: Row, sql: string, values?: Values): Promise<z.output<Row> | undefined>
  /** Returns the number of changed rows. */
  run(sql: string, values?: Values): Promise<number>
}

interface Driver {
  readonly all: (sql: string, values: Values) => MaybePromise<unknown[]>
  readonly run: (sql: string, values: Values) => MaybePromise<number>
}

export const createStatements = ({ all, run }: Driver): Statements => ({
  all: async (row, sql, values = {}) => mapInTurns(await all(sql, values), (found) => row.parse(found)),
  get: async (row, sql, values = {}) => {
    const [first] = await all(sql, values)
    return first === undefined ? undefined : row.parse(first)
  },
  run: async (sql, values = {}) => run(sql, values),
})

const countSchema = z.object({ count: z.int() })

/** Converts ms since 1970 to ISO 8601. */
export const timeText = z.int().transform((time) => new Date(time).toISOString())

/** Parses stored JSON. */
export const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)))

/** `from` is a table with an optional WHERE clause. */
export async function countRows(statements: Statements, from: string, values?: Values): Promise<number> {
  return (await statements.get(countSchema, `SELECT count(*) AS count FROM ${from}`, values))!.count
}

/** `ending` follows the values. Returns the number of changed rows. */
export const insertRow = (statements: Statements, table: string, row: Values, ending = ''): Promise<number> =>
  statements.run(insertion(table, row, ending), row)

export function insertion(table: string, row: Values, ending: string): string {
  const columns = Object.keys(row)
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((one) => `$${one}`).join(', ')}) ${ending}`
}

/** The columns that a schema of rows reads. */
export const columnsOf = ({ shape }: z.ZodObject): string => Object.keys(shape).join(', ')

export interface AccountsDatabase extends Statements {
  /** Cache time of keys, sessions and tokens; changes by other processes show after it. */
  readonly cacheMs: number
  /** The last statement got no answer. */
  readonly isUnreachable: boolean
  /** Runs one transaction at a time across all processes. `work` may only use `statements`. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  /** Overwrites deleted rows where the database still has them. */
  forget(): Promise<void>
  close(): Promise<void>
}

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
