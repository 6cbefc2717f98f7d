import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { sha256 } from './digest.ts'

/** What a link may be used for: to choose a password, or to look at made-up data with everything open. */
const purposes = ['password', 'trial'] as const
export type LinkPurpose = (typeof purposes)[number]

const lifetimes: Readonly<Record<LinkPurpose, number>> = { password: 30 * 60_000, trial: 86_400_000 }
const rowSchema = z.object({ account_id: z.int() })

/** Links that the operator hands out, each for one use. Only the hash of the token is stored. */
export class OneTimeLinks {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Returns the token of a new link; older ones of the account for the same purpose no longer hold. */
  make(accountId: number, purpose: LinkPurpose): string {
    const now = Date.now()
    const token = randomBytes(32).toString('base64url')
    this.#database
      .prepare('DELETE FROM one_time_links WHERE expires_at <= ? OR (account_id = ? AND purpose = ?)')
      .run(now, accountId, purpose)
    this.#database
      .prepare('INSERT INTO one_time_links (hash, account_id, purpose, expires_at) VALUES (?, ?, ?, ?)')
      .run(sha256(token), accountId, purpose, now + lifetimes[purpose])
    return token
  }

  /** The account of a link that holds. */
  look(token: string, purpose: LinkPurpose): number | undefined {
    const row = this.#database
      .prepare('SELECT account_id FROM one_time_links WHERE hash = ? AND purpose = ? AND expires_at > ?')
      .get(sha256(token), purpose, Date.now())
    return row && rowSchema.parse(row).account_id
  }

  /** The same, once: the link no longer holds. */
  take(token: string, purpose: LinkPurpose): number | undefined {
    const row = this.#database
      .prepare('DELETE FROM one_time_links WHERE hash = ? AND purpose = ? AND expires_at > ? RETURNING account_id')
      .get(sha256(token), purpose, Date.now())
    return row && rowSchema.parse(row).account_id
  }
}
