import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'

export type Value = string | number | Uint8Array | null

/** Values of a statement by the names of its parameters, which stand in it as `$name`. */
export type Values = Readonly<Record<string, Value>>

/**
 * Statements in the SQL that SQLite and PostgreSQL have in common. Whole numbers come as numbers, bytes as `Uint8Array`. Each throws
 * `accounts_unavailable` where the database cannot be asked now.
 */
export interface Statements {
  /** All rows. */
  all(sql: string, values?: Values): Promise<unknown[]>
  /** The first row; undefined where there is none. */
  get(sql: string, values?: Values): Promise<unknown>
  /** How many rows were changed. */
  run(sql: string, values?: Values): Promise<number>
}

/** Of `count(*) AS count`. */
export const countSchema = z.object({ count: z.int() })

/** Where accounts and all that belongs to them are kept. */
export interface AccountsDatabase extends Statements {
  /** Milliseconds for which who was found to call is not looked up again: a change by another process holds after that. */
  readonly rememberedFor: number
  /** It did not answer when it was asked last. */
  readonly isAway: boolean
  /** Does what `work` does wholly or not at all, and nothing else of the kind meanwhile, in any process. Within it only `statements` may be used. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** `why` names no password. */
export const accountsUnavailable = (why: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('accounts_unavailable', `accounts cannot be reached: ${why}`, {
    cause,
    cure: 'try again when no other process locks the database; "coinstrata doctor" checks whether it answers',
  })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof CoinstrataError && error.code === 'accounts_unavailable'
