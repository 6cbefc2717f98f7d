import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { recordChange, removeOwned } from '../database/account-log.ts'
import { sha256 } from '../database/digest.ts'
import { columnsOf, countRows, insertRow, Store, timeText } from '../database/statements.ts'

export const maxGrants = 100
const codeLifetimeMs = 60_000

export interface NewGrant {
  readonly account_id: number
  readonly client_id: string
  readonly client_name: string
  readonly redirect_uri: string
  /** Tokens are valid for this URL. */
  readonly resource: string
  readonly tier: AccountTier
  readonly may_refresh: boolean
  /** S256 of the verifier (RFC 7636). */
  readonly code_challenge: string
}

const grantSchema = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  redirect_uri: z.string(),
  tier: z.enum(accountTiers),
  created_at: timeText,
  last_used_at: timeText.nullable(),
  expires_at: timeText,
})
export type Grant = z.infer<typeof grantSchema>

/**
 * Access that users gave to apps. A grant starts with a code, stored as a hash, which `Tokens`
 * exchanges.
 */
export class Grants extends Store {
  /** Returns the code of a new grant, valid once within a minute; undefined at `maxGrants`. */
  add(grant: NewGrant): Promise<string | undefined> {
    const code = `csc_${randomBytes(32).toString('base64url')}`
    return this.database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run('DELETE FROM oauth_grants WHERE expires_at <= $now', { now })
      const count = await countRows(statements, `oauth_grants ${inUse}`, { accountId: grant.account_id, now })
      if (count >= maxGrants) return undefined
      await insertRow(statements, 'oauth_grants', {
        ...grant,
        id: `app_${randomBytes(6).toString('hex')}`,
        may_refresh: Number(grant.may_refresh),
        code_hash: sha256(code),
        created_at: now,
        expires_at: now + codeLifetimeMs,
      })
      await recordChange(statements, grant.account_id, 'app connected', `${grant.client_name}, tier ${grant.tier}`)
      return code
    })
  }

  list(accountId: number): Promise<Grant[]> {
    const sql = `SELECT ${columnsOf(grantSchema)} FROM oauth_grants ${inUse} ORDER BY created_at DESC, rowid DESC`
    return this.database.all(grantSchema, sql, { accountId, now: Date.now() })
  }

  /** Deletes a grant with its tokens; returns whether it existed. */
  remove(accountId: number, id: string): Promise<boolean> {
    return removeOwned(this.database, ['oauth_grants', 'app'], accountId, id)
  }
}

const inUse = 'WHERE account_id = $accountId AND redeemed_at IS NOT NULL AND expires_at > $now'
