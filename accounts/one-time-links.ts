import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sha256 } from './database/digest.ts'
import type { AccountsDatabase } from './database/statements.ts'

/** What a link may be used for: to choose a password, or to look at made-up data with everything open. */
const purposes = ['password', 'trial'] as const
export type LinkPurpose = (typeof purposes)[number]

const lifetimes: Readonly<Record<LinkPurpose, number>> = { password: 30 * 60_000, trial: 86_400_000 }
const rowSchema = z.object({ account_id: z.int() }).optional()

/** Links that the operator hands out, each for one use. Only the hash of the token is stored. */
export class OneTimeLinks {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** Returns the token of a new link; older ones of the account for the same purpose no longer hold. */
  create(accountId: number, purpose: LinkPurpose): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    return this.#database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run(
        'DELETE FROM one_time_links WHERE expires_at <= $now OR (account_id = $accountId AND purpose = $purpose)',
        { now, accountId, purpose },
      )
      await statements.run(
        'INSERT INTO one_time_links (hash, account_id, purpose, expires_at) VALUES ($hash, $accountId, $purpose, $until)',
        { hash: sha256(token), accountId, purpose, until: now + lifetimes[purpose] },
      )
      return token
    })
  }

  /** The account of a link that holds. */
  async find(token: string, purpose: LinkPurpose): Promise<number | undefined> {
    const row = await this.#database.get(
      'SELECT account_id FROM one_time_links WHERE hash = $hash AND purpose = $purpose AND expires_at > $now',
      { hash: sha256(token), purpose, now: Date.now() },
    )
    return rowSchema.parse(row)?.account_id
  }

  /** The same, once: the link no longer holds. */
  async redeem(token: string, purpose: LinkPurpose): Promise<number | undefined> {
    const row = await this.#database.get(
      'DELETE FROM one_time_links WHERE hash = $hash AND purpose = $purpose AND expires_at > $now RETURNING account_id',
      { hash: sha256(token), purpose, now: Date.now() },
    )
    return rowSchema.parse(row)?.account_id
  }
}
