import { AsyncLocalStorage } from 'node:async_hooks'
import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { accountActors } from '#contract/accounts/rows.ts'
import { type AccountsDatabase, insertRow, type Statements, Store, timeText } from './statements.ts'

const retentionMs = 365 * msPerDay
/** Per account and kind of change: frequent ones do not displace others. */
const maxLines = 1_000

const lineSchema = z.object({
  created_at: timeText,
  email: z.string().nullable(),
  change: z.string(),
  detail: z.string(),
  actor: z.enum(accountActors),
  address: z.string().nullable(),
})

/** Actor and network address of changes; undefined for commands of the operator. */
export const changeSource = new AsyncLocalStorage<{
  readonly actor: (typeof accountActors)[number]
  readonly address: string | null
}>()

type Change = readonly [accountId: number | null, change: string, detail?: string]

/** Adds a line to the account's log. `statements` are those of the change itself. */
export async function recordChange(statements: Statements, ...[accountId, change, detail = '']: Change): Promise<void> {
  const now = Date.now()
  const source = changeSource.getStore() ?? { actor: 'operator', address: null }
  const line = { account_id: accountId, change, detail: detail.slice(0, 500), created_at: now }
  await insertRow(statements, 'account_log', { ...line, ...source })
  await statements.run(
    `DELETE FROM account_log WHERE created_at <= $expired OR rowid IN (SELECT rowid FROM account_log
       WHERE account_id = $accountId AND change = $change ORDER BY rowid DESC LIMIT 100 OFFSET ${maxLines})`,
    { expired: now - retentionMs, accountId, change },
  )
}

/** Runs `work` in a transaction and records its change, unless it returns undefined or 0. */
export const recorded = <T>(
  database: AccountsDatabase,
  work: (statements: Statements) => Promise<T>,
  describe: (result: NonNullable<T>) => Change,
): Promise<T> =>
  database.transaction(async (statements) => {
    const result = await work(statements)
    if (result) await recordChange(statements, ...describe(result))
    return result
  })

/** Deletes a row by id if the account owns it; returns whether it did. */
export async function removeOwned(
  database: AccountsDatabase,
  [table, what]: readonly [table: string, what: string],
  accountId: number,
  id: string,
): Promise<boolean> {
  const sql = `DELETE FROM ${table} WHERE account_id = $accountId AND id = $id`
  const remove = (statements: Statements) => statements.run(sql, { accountId, id })
  return (await recorded(database, remove, () => [accountId, `${what} removed`, id])) > 0
}

/** Keeps when something changed, but neither who nor what. */
export async function anonymiseLog(statements: Statements, accountId: number): Promise<void> {
  const sql = "UPDATE account_log SET account_id = NULL, detail = '', address = NULL WHERE account_id = $accountId"
  await statements.run(sql, { accountId })
}

/** Changes of rights, keys, factors and settings, for a year. */
export class AccountLog extends Store {
  /** Newest first, of one account or of all; without `email` if the account was deleted. */
  list(accountId: number | null, max = maxLines) {
    const sql = `SELECT account_log.created_at AS created_at, email, change, detail, actor, address
      FROM account_log LEFT JOIN accounts ON accounts.id = account_id
      WHERE account_log.created_at > $expired AND (CAST($accountId AS BIGINT) IS NULL OR account_id = $accountId)
      ORDER BY account_log.rowid DESC LIMIT $max`
    return this.database.all(lineSchema, sql, { expired: Date.now() - retentionMs, accountId, max })
  }
}
