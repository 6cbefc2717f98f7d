import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { sha256 } from '../database/digest.ts'
import { type AccountsDatabase, countRows, deleteOwned } from '../database/statements.ts'

export const maxGrants = 100
const codeLifetimeMs = 60_000

export interface NewGrant {
  readonly accountId: number
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  /** URL that the tokens are valid for. */
  readonly resource: string
  readonly tier: AccountTier
  readonly mayRefresh: boolean
  /** S256 of the verifier (RFC 7636). */
  readonly codeChallenge: string
}

const grantSchema = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  redirect_uri: z.string(),
  tier: z.enum(accountTiers),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
  expires_at: z.int(),
})
/** Times are in ms since 1970. */
export type Grant = z.infer<typeof grantSchema>

/**
 * Access that users gave to apps. A grant starts with a code, whose hash is stored; `Tokens`
 * exchanges it for tokens.
 */
export class Grants {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /**
   * Returns the code of a new grant, valid once, for a minute; undefined if the account already has
   * `maxGrants`.
   */
  add(grant: NewGrant): Promise<string | undefined> {
    const code = `csc_${randomBytes(32).toString('base64url')}`
    return this.#database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run('DELETE FROM oauth_grants WHERE expires_at <= $now', { now })
      const count = await countRows(statements, `oauth_grants ${inUse}`, { accountId: grant.accountId, now })
      if (count >= maxGrants) return undefined
      await statements.run(
        `INSERT INTO oauth_grants (id, account_id, client_id, client_name, redirect_uri, resource, tier, may_refresh,
           code_hash, code_challenge, created_at, expires_at)
         VALUES ($id, $accountId, $clientId, $clientName, $redirectUri, $resource, $tier, $mayRefresh,
           $code, $codeChallenge, $now, $expires)`,
        {
          ...grant,
          id: `app_${randomBytes(6).toString('hex')}`,
          mayRefresh: Number(grant.mayRefresh),
          code: sha256(code),
          now,
          expires: now + codeLifetimeMs,
        },
      )
      return code
    })
  }

  list(accountId: number): Promise<Grant[]> {
    const sql = `SELECT id, client_id, client_name, redirect_uri, tier, created_at, last_used_at, expires_at
      FROM oauth_grants ${inUse} ORDER BY created_at DESC, rowid DESC`
    return this.#database.all(grantSchema, sql, { accountId, now: Date.now() })
  }

  /** Deletes a grant with all its tokens; returns whether there was one. */
  revoke(id: string, accountId: number): Promise<boolean> {
    return deleteOwned(this.#database, 'oauth_grants', accountId, id)
  }
}

const inUse = 'WHERE account_id = $accountId AND redeemed_at IS NOT NULL AND expires_at > $now'
