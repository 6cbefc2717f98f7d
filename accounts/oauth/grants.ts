import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { sha256 } from '../database/digest.ts'
import { type AccountsDatabase, countSchema } from '../database/statements.ts'

/** Of an account. */
export const maxGrants = 100
/** Milliseconds. */
const codeLifetimeMs = 60_000

/** What a user has allowed an app. */
export interface NewGrant {
  readonly accountId: number
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  /** Address that the tokens are for. */
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
/** Times are milliseconds since 1970. */
export type Grant = z.infer<typeof grantSchema>

/** What users have allowed apps. A grant begins with a code, of which only the hash is stored; `Tokens` makes the rest of it. */
export class Grants {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** Returns the code of a new grant, which holds once and for a minute; undefined where the account has as many as it may have. */
  add(grant: NewGrant): Promise<string | undefined> {
    const code = `csc_${randomBytes(32).toString('base64url')}`
    return this.#database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run('DELETE FROM oauth_grants WHERE expires_at <= $now', { now })
      const row = await statements.get(`SELECT count(*) AS count FROM oauth_grants ${inUse}`, {
        accountId: grant.accountId,
        now,
      })
      if (countSchema.parse(row).count >= maxGrants) return undefined
      await statements.run(
        `INSERT INTO oauth_grants (id, account_id, client_id, client_name, redirect_uri, resource, tier, may_refresh,
           code_hash, code_challenge, created_at, expires_at)
         VALUES ($id, $account, $client, $name, $redirect, $resource, $tier, $refresh, $code, $challenge, $now, $expires)`,
        {
          id: `app_${randomBytes(6).toString('hex')}`,
          account: grant.accountId,
          client: grant.clientId,
          name: grant.clientName,
          redirect: grant.redirectUri,
          resource: grant.resource,
          tier: grant.tier,
          refresh: Number(grant.mayRefresh),
          code: sha256(code),
          challenge: grant.codeChallenge,
          now,
          expires: now + codeLifetimeMs,
        },
      )
      return code
    })
  }

  /** Those that apps can use, newest first. */
  async list(accountId: number): Promise<Grant[]> {
    const rows = await this.#database.all(
      `SELECT id, client_id, client_name, redirect_uri, tier, created_at, last_used_at, expires_at FROM oauth_grants
       ${inUse} ORDER BY created_at DESC, rowid DESC`,
      { accountId, now: Date.now() },
    )
    return z.array(grantSchema).parse(rows)
  }

  /** Ends a grant of an account with all its tokens; tells whether there was one. */
  async revoke(id: string, accountId: number): Promise<boolean> {
    const revoked = await this.#database.run('DELETE FROM oauth_grants WHERE id = $id AND account_id = $accountId', {
      id,
      accountId,
    })
    return revoked > 0
  }
}

const inUse = 'WHERE account_id = $accountId AND redeemed_at IS NOT NULL AND expires_at > $now'
