import { hash, randomBytes } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'

export const sessionSeconds = 30 * 86_400

const sessionSchema = z.object({ account_id: z.int(), tier: z.enum(accountTiers) })

/** Sign-ins of browsers. The token lives in a cookie; only its hash is stored. */
export class Sessions {
  readonly #database: DatabaseSync
  readonly #lookUp: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#lookUp = database.prepare(
      `SELECT account_id, tier FROM sessions JOIN accounts ON accounts.id = account_id
       WHERE sessions.hash = ? AND expires_at > ?`,
    )
  }

  /** Returns the token of a new session. */
  start(accountId: number): string {
    const now = Date.now()
    const token = randomBytes(32).toString('hex')
    this.#database.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(now)
    this.#database
      .prepare('INSERT INTO sessions (hash, account_id, expires_at) VALUES (?, ?, ?)')
      .run(sha256(token), accountId, now + sessionSeconds * 1000)
    return token
  }

  find(token: string): { readonly accountId: number; readonly tier: AccountTier } | undefined {
    const row = this.#lookUp.get(sha256(token), Date.now())
    if (!row) return undefined
    const { account_id, tier } = sessionSchema.parse(row)
    return { accountId: account_id, tier }
  }

  end(token: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE hash = ?').run(sha256(token))
  }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
