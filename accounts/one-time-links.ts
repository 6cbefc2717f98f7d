import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { recordChange } from './database/account-log.ts'
import { sha256 } from './database/digest.ts'
import { insertRow, Store } from './database/statements.ts'

const lifetimesMs = { password: 30 * 60_000, trial: 86_400_000 }
/** Sets a password, or signs in to the trial account of simulated data. */
type LinkPurpose = keyof typeof lifetimesMs
const rowSchema = z.object({ account_id: z.int() })

/** Single-use links, stored as hashes. */
export class OneTimeLinks extends Store {
  /**
   * Returns the token of a new link.
   * @param keepsEarlier whether earlier ones of the account and purpose stay valid: a stranger's
   *   request must not revoke the operator's link
   */
  create(accountId: number, purpose: LinkPurpose, keepsEarlier = false): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    return this.database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run(
        'DELETE FROM one_time_links WHERE expires_at <= $now OR (account_id = $revoked AND purpose = $purpose)',
        { now, revoked: keepsEarlier ? null : accountId, purpose },
      )
      const link = { hash: sha256(token), account_id: accountId, purpose, expires_at: now + lifetimesMs[purpose] }
      await insertRow(statements, 'one_time_links', link)
      if (purpose === 'password') await recordChange(statements, accountId, 'link to set a password created')
      return token
    })
  }

  find(token: string, purpose: LinkPurpose): Promise<number | undefined> {
    return this.#readAccount(`SELECT account_id FROM one_time_links ${valid}`, token, purpose)
  }

  /** Returns the account of a valid link; revokes all links of the account and purpose. */
  async redeem(token: string, purpose: LinkPurpose): Promise<number | undefined> {
    const accountId = await this.#readAccount(
      `DELETE FROM one_time_links ${valid} RETURNING account_id`,
      token,
      purpose,
    )
    if (accountId !== undefined) {
      const others = 'DELETE FROM one_time_links WHERE account_id = $accountId AND purpose = $purpose'
      await this.database.run(others, { accountId, purpose })
    }
    return accountId
  }

  async #readAccount(sql: string, token: string, purpose: LinkPurpose): Promise<number | undefined> {
    const row = await this.database.get(rowSchema, sql, { hash: sha256(token), purpose, now: Date.now() })
    return row?.account_id
  }
}

const valid = 'WHERE hash = $hash AND purpose = $purpose AND expires_at > $now'
