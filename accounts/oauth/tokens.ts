import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { andThen, type MaybePromise } from '#base/maybe-promise.ts'
import { accessTokenPrefix, lowerTier } from '#contract/oauth.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { recordChange } from '../database/account-log.ts'
import { CachedStore } from '../database/cached-store.ts'
import { sha256 } from '../database/digest.ts'
import { insertRow, type Statements } from '../database/statements.ts'
import { OAuthError } from './oauth-error.ts'

const lifetimesMs = { access: 3_600_000, refresh: 30 * 86_400_000 }

const storedSchema = z.object({
  id: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  resource: z.string(),
  tier: z.enum(accountTiers),
  may_refresh: z.int(),
  code_challenge: z.string(),
  used_at: z.int().nullable(),
  expires_at: z.int(),
})
/** `used_at` and `expires_at` are those of the presented code or refresh token. */
type StoredGrant = z.infer<typeof storedSchema>

const checkedSchema = z.object({
  id: z.string(),
  account_id: z.int(),
  granted: z.enum(accountTiers),
  tier: z.enum(accountTiers),
  resource: z.string(),
  last_used_at: z.int().nullable(),
  expires_at: z.int(),
})
type CheckedToken = z.infer<typeof checkedSchema>
const ownerSchema = z.object({ account_id: z.int() })
const endedSchema = ownerSchema.extend({ client_name: z.string() })
const revocableSchema = z.object({ id: z.string(), client_id: z.string(), kind: z.string() })

export interface TokenHolder {
  readonly grantId: string
  readonly accountId: number
  readonly tier: AccountTier
  readonly resource: string
}

/** RFC 6749 5.1. */
export interface IssuedTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token?: string
  readonly scope: AccountTier
}

interface Claims {
  readonly client_id: string
  readonly resource?: string | undefined
}

const secret = (prefix: string): string => prefix + randomBytes(32).toString('base64url')
const grantColumns = 'id, client_id, redirect_uri, resource, tier, may_refresh, code_challenge'
const codes = {
  what: 'the code',
  unknown: 'is unknown',
  ended: 'everything that it allowed has ended',
  select: `SELECT ${grantColumns}, redeemed_at AS used_at, expires_at FROM oauth_grants WHERE code_hash = $hash`,
}
const refreshTokens = {
  what: 'the refresh token',
  unknown: 'is unknown, or was revoked',
  ended: 'all tokens of its grant have ended',
  select: `SELECT ${grantColumns}, used_at, oauth_tokens.expires_at AS expires_at
    FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = $hash AND kind = 'refresh'`,
}

/** Only hashes are stored, which is safe for 256 random bits. */
export class Tokens extends CachedStore<CheckedToken> {
  /** Exchanges a code for tokens. A second use means theft, and ends the grant. */
  redeem(code: string, verifier: string, redirectUri: string | undefined, claims: Claims): Promise<IssuedTokens> {
    return this.#exchange(codes, code, claims, async (statements, grant, now) => {
      // Optional in OAuth 2.1.
      if (redirectUri !== undefined && grant.redirect_uri !== redirectUri)
        return new OAuthError('invalid_grant', 'the code was sent to another redirect_uri')
      if (hash('sha256', verifier, 'base64url') !== grant.code_challenge)
        return new OAuthError('invalid_grant', 'code_verifier does not match the code')
      await statements.run('UPDATE oauth_grants SET redeemed_at = $now WHERE id = $id', { now, id: grant.id })
      return undefined
    })
  }

  /** Exchanges a refresh token for new tokens. A second use means theft, and ends the grant. */
  refresh(token: string, claims: Claims): Promise<IssuedTokens> {
    return this.#exchange(refreshTokens, token, claims, async (statements, _, now) => {
      await statements.run('UPDATE oauth_tokens SET used_at = $now WHERE hash = $hash', { now, hash: sha256(token) })
      return undefined
    })
  }

  /** `use` records the use of a code or refresh token, or returns why it is refused. */
  async #exchange(
    { what, unknown, ended, select }: typeof codes,
    presented: string,
    { client_id, resource }: Claims,
    use: (statements: Statements, grant: StoredGrant, now: number) => Promise<OAuthError | undefined>,
  ): Promise<IssuedTokens> {
    const result = await this.database.transaction(async (statements) => {
      const grant = await statements.get(storedSchema, select, { hash: sha256(presented) })
      if (!grant) return new OAuthError('invalid_grant', `${what} ${unknown}`)
      const now = Date.now()
      if (grant.used_at !== null) {
        await endGrant(statements, grant.id)
        return new OAuthError('invalid_grant', `${what} was used before: ${ended}`)
      }
      if (grant.expires_at <= now) return new OAuthError('invalid_grant', `${what} has expired`)
      if (grant.client_id !== client_id) return new OAuthError('invalid_grant', 'it was given to another client')
      if (resource !== undefined && URL.parse(resource)?.href !== new URL(grant.resource).href)
        return new OAuthError('invalid_target', `it is only for ${grant.resource}`)
      return (await use(statements, grant, now)) ?? issue(statements, grant, now)
    })
    this.clearCache()
    // Thrown outside the transaction, which would otherwise roll back the end of the grant.
    if (result instanceof OAuthError) throw result
    return result
  }

  /** Returns the owner of a valid access token. Throws `accounts_unavailable`. */
  check(token: string, now = Date.now()): MaybePromise<TokenHolder | undefined> {
    return andThen(this.findCached(token, now), (stored): TokenHolder | undefined => {
      if (!stored || stored.expires_at <= now) return undefined
      const { id, account_id, granted, tier, resource } = stored
      this.recordUse(stored, now)
      return { grantId: id, accountId: account_id, tier: lowerTier(granted, tier), resource }
    })
  }

  /** Returns the account of a code or refresh token, even if no longer valid. */
  async findOwner(codeOrToken: string): Promise<number | undefined> {
    const row = await this.database.get(
      ownerSchema,
      `SELECT account_id FROM oauth_grants WHERE code_hash = $hash
       UNION ALL SELECT account_id FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = $hash`,
      { hash: sha256(codeOrToken) },
    )
    return row?.account_id
  }

  /** Revokes an access token, or by a refresh token the whole grant (RFC 7009). */
  async revoke(token: string, clientId: string | undefined): Promise<void> {
    const sql = 'SELECT id, client_id, kind FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = $hash'
    const found = await this.database.get(revocableSchema, sql, { hash: sha256(token) })
    if (!found || (clientId !== undefined && clientId !== found.client_id)) return
    if (found.kind === 'refresh') await this.database.transaction((statements) => endGrant(statements, found.id))
    else await this.database.run('DELETE FROM oauth_tokens WHERE hash = $hash', { hash: sha256(token) })
    this.clearCache()
  }

  protected saveUse({ id }: CheckedToken, now: number): Promise<unknown> {
    return this.database.run('UPDATE oauth_grants SET last_used_at = $now WHERE id = $id', { now, id })
  }

  protected describeForLog({ id }: CheckedToken): string {
    return `the connected app ${id}`
  }

  protected read(token: string): Promise<CheckedToken | undefined> {
    return this.database.get(
      checkedSchema,
      `SELECT oauth_grants.id AS id, account_id, oauth_grants.tier AS granted, accounts.tier AS tier, resource,
         last_used_at, oauth_tokens.expires_at AS expires_at
       FROM oauth_tokens JOIN oauth_grants ON oauth_grants.id = grant_id JOIN accounts ON accounts.id = account_id
       WHERE oauth_tokens.hash = $hash AND kind = 'access'`,
      { hash: sha256(token) },
    )
  }
}

/** Per grant; hourly refreshing needs fewer within the lifetime of a refresh token. */
const maxTokens = 2_000

async function issue(statements: Statements, grant: StoredGrant, now: number): Promise<IssuedTokens> {
  const accessToken = secret(accessTokenPrefix)
  const refreshToken = grant.may_refresh === 1 ? secret('csr_') : undefined
  const add = (token: string, kind: string, until: number): Promise<number> =>
    insertRow(statements, 'oauth_tokens', { hash: sha256(token), grant_id: grant.id, kind, expires_at: until })
  await add(accessToken, 'access', now + lifetimesMs.access)
  if (refreshToken !== undefined) await add(refreshToken, 'refresh', now + lifetimesMs.refresh)
  await statements.run('UPDATE oauth_grants SET expires_at = $until WHERE id = $grant', {
    until: now + (refreshToken === undefined ? lifetimesMs.access : lifetimesMs.refresh),
    grant: grant.id,
  })
  await statements.run(
    `DELETE FROM oauth_tokens WHERE grant_id = $grant AND (expires_at <= $now OR rowid NOT IN
       (SELECT rowid FROM oauth_tokens WHERE grant_id = $grant ORDER BY rowid DESC LIMIT ${maxTokens}))`,
    { grant: grant.id, now },
  )
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetimesMs.access / 1000,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    scope: grant.tier,
  }
}

async function endGrant(statements: Statements, id: string): Promise<void> {
  const sql = 'DELETE FROM oauth_grants WHERE id = $id RETURNING account_id, client_name'
  const ended = await statements.get(endedSchema, sql, { id })
  if (ended) await recordChange(statements, ended.account_id, 'access of app ended', ended.client_name)
}
