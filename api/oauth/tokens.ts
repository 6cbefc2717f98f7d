import { hash, randomBytes } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { accessTokenPrefix, lowerTier } from '#contract/oauth.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import type { Logger } from '#root/log.ts'
import { sha256 } from '../accounts/digest.ts'
import { OAuthError } from './oauth-error.ts'

/** Milliseconds. */
const accessLifetime = 3_600_000
const refreshLifetime = 30 * 86_400_000
/** How exactly `last_used_at` is kept, in milliseconds. */
const usePrecision = 60_000
/** Of a grant: as many as a client that renews its token every hour gets within the lifetime of the first. */
const mostTokens = 2_000

const storedSchema = z.object({
  id: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  resource: z.string(),
  tier: z.enum(accountTiers),
  may_refresh: z.int(),
  code_challenge: z.string(),
  redeemed_at: z.int().nullable(),
  expires_at: z.int(),
})
type StoredGrant = z.infer<typeof storedSchema>

const refreshSchema = storedSchema.extend({ used_at: z.int().nullable(), token_expires_at: z.int() })

const checkedSchema = z.object({
  id: z.string(),
  account_id: z.int(),
  granted: z.enum(accountTiers),
  tier: z.enum(accountTiers),
  resource: z.string(),
  last_used_at: z.int().nullable(),
})

/** Whose an access token is, and what it opens. */
export interface TokenHolder {
  readonly grantId: string
  readonly accountId: number
  readonly tier: AccountTier
  readonly resource: string
}

/** What a client gets for a code or a refresh token; `expiresIn` in seconds. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly expiresIn: number
  readonly tier: AccountTier
}

/** What a client shows beside a code or a refresh token. */
export interface Claims {
  readonly clientId: string
  readonly resource?: string | undefined
}

const secret = (prefix: string): string => prefix + randomBytes(32).toString('base64url')
const storedColumns =
  'id, client_id, redirect_uri, resource, tier, may_refresh, code_challenge, redeemed_at, oauth_grants.expires_at AS expires_at'

/** The tokens of what users have allowed apps (`Grants`). Only their hashes are stored, which 256 random bits make safe. */
export class Tokens {
  readonly #database: DatabaseSync
  readonly #log: Logger | undefined
  readonly #lookUp: StatementSync

  constructor(database: DatabaseSync, log?: Logger) {
    this.#database = database
    this.#log = log
    this.#lookUp = database.prepare(
      `SELECT oauth_grants.id AS id, account_id, oauth_grants.tier AS granted, accounts.tier AS tier, resource, last_used_at
       FROM oauth_tokens JOIN oauth_grants ON oauth_grants.id = grant_id JOIN accounts ON accounts.id = account_id
       WHERE oauth_tokens.hash = ? AND kind = 'access' AND oauth_tokens.expires_at > ?`,
    )
  }

  /**
   * The first tokens of a grant, for its code. A code that comes twice was stolen from somebody: then the grant ends. Throws
   * `OAuthError`.
   */
  redeem(code: string, verifier: string, redirectUri: string | undefined, claims: Claims): IssuedTokens {
    return this.#inTransaction(() => {
      const row = this.#database
        .prepare(`SELECT ${storedColumns} FROM oauth_grants WHERE code_hash = ?`)
        .get(sha256(code))
      const grant = row && storedSchema.parse(row)
      const now = Date.now()
      if (!grant) return new OAuthError('invalid_grant', 'the code is unknown')
      if (grant.redeemed_at !== null) {
        this.#end(grant.id)
        return new OAuthError('invalid_grant', 'the code was used before: everything that it allowed has ended')
      }
      if (grant.expires_at <= now) return new OAuthError('invalid_grant', 'the code has expired')
      const problem = problemOf(grant, claims)
      if (problem) return problem
      // Clients of OAuth 2.1 need not send it.
      if (redirectUri !== undefined && grant.redirect_uri !== redirectUri)
        return new OAuthError('invalid_grant', 'the code was sent to another redirect_uri')
      if (hash('sha256', verifier, 'base64url') !== grant.code_challenge)
        return new OAuthError('invalid_grant', 'code_verifier does not match the code')
      this.#database.prepare('UPDATE oauth_grants SET redeemed_at = ? WHERE id = ?').run(now, grant.id)
      return this.#issue(grant, now)
    })
  }

  /**
   * New tokens for a refresh token, which no longer holds then. One that comes again was stolen from somebody: then the grant
   * ends. Throws `OAuthError`.
   */
  refresh(token: string, claims: Claims): IssuedTokens {
    return this.#inTransaction(() => {
      const row = this.#database
        .prepare(
          `SELECT ${storedColumns}, used_at, oauth_tokens.expires_at AS token_expires_at
           FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = ? AND kind = 'refresh'`,
        )
        .get(sha256(token))
      const grant = row && refreshSchema.parse(row)
      const now = Date.now()
      if (!grant) return new OAuthError('invalid_grant', 'the refresh token is unknown, or was revoked')
      if (grant.used_at !== null) {
        this.#end(grant.id)
        return new OAuthError('invalid_grant', 'the refresh token was used before: all tokens of its grant have ended')
      }
      if (grant.token_expires_at <= now) return new OAuthError('invalid_grant', 'the refresh token has expired')
      const problem = problemOf(grant, claims)
      if (problem) return problem
      this.#database.prepare('UPDATE oauth_tokens SET used_at = ? WHERE hash = ?').run(now, sha256(token))
      return this.#issue(grant, now)
    })
  }

  /** Whose access token it is; undefined for one that does not hold. */
  check(token: string, now = Date.now()): TokenHolder | undefined {
    const row = this.#lookUp.get(sha256(token), now)
    if (!row) return undefined
    const { id, account_id, granted, tier, resource, last_used_at } = checkedSchema.parse(row)
    if (now - (last_used_at ?? 0) >= usePrecision) this.#noteUse(id, now)
    return { grantId: id, accountId: account_id, tier: lowerTier(granted, tier), resource }
  }

  /** Whose code or refresh token it is, also where it no longer holds. */
  ownerOf(codeOrToken: string): number | undefined {
    const row = this.#database
      .prepare(
        `SELECT account_id FROM oauth_grants WHERE code_hash = $hash
         UNION ALL SELECT account_id FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = $hash`,
      )
      .get({ hash: sha256(codeOrToken) })
    return row && z.object({ account_id: z.int() }).parse(row).account_id
  }

  /** Ends a token of a client at its own wish: an access token alone, or with a refresh token the whole grant (RFC 7009). */
  revoke(token: string, clientId: string | undefined): void {
    const row = this.#database
      .prepare('SELECT id, client_id, kind FROM oauth_tokens JOIN oauth_grants ON id = grant_id WHERE hash = ?')
      .get(sha256(token))
    if (!row) return
    const { id, client_id, kind } = z.object({ id: z.string(), client_id: z.string(), kind: z.string() }).parse(row)
    if (clientId !== undefined && clientId !== client_id) return
    if (kind === 'refresh') this.#end(id)
    else this.#database.prepare('DELETE FROM oauth_tokens WHERE hash = ?').run(sha256(token))
  }

  #issue(grant: StoredGrant, now: number): IssuedTokens {
    const accessToken = secret(accessTokenPrefix)
    const refreshToken = grant.may_refresh === 1 ? secret('csr_') : undefined
    const add = this.#database.prepare(
      'INSERT INTO oauth_tokens (hash, grant_id, kind, expires_at) VALUES (?, ?, ?, ?)',
    )
    add.run(sha256(accessToken), grant.id, 'access', now + accessLifetime)
    if (refreshToken !== undefined) add.run(sha256(refreshToken), grant.id, 'refresh', now + refreshLifetime)
    this.#database
      .prepare('UPDATE oauth_grants SET expires_at = ? WHERE id = ?')
      .run(now + (refreshToken === undefined ? accessLifetime : refreshLifetime), grant.id)
    this.#database
      .prepare(
        `DELETE FROM oauth_tokens WHERE grant_id = $grant AND (expires_at <= $now OR rowid NOT IN
           (SELECT rowid FROM oauth_tokens WHERE grant_id = $grant ORDER BY rowid DESC LIMIT ${mostTokens}))`,
      )
      .run({ grant: grant.id, now })
    return { accessToken, refreshToken, expiresIn: accessLifetime / 1000, tier: grant.tier }
  }

  #end(id: string): void {
    this.#database.prepare('DELETE FROM oauth_grants WHERE id = ?').run(id)
  }

  /** A full disk is no reason to refuse a token. */
  #noteUse(id: string, now: number): void {
    try {
      this.#database.prepare('UPDATE oauth_grants SET last_used_at = ? WHERE id = ?').run(now, id)
    } catch (err) {
      this.#log?.error({ err }, `the last use of the connected app ${id} cannot be saved`)
    }
  }

  /** What a refusal ends stays ended, so that it is thrown after the transaction. */
  #inTransaction(work: () => IssuedTokens | OAuthError): IssuedTokens {
    let result: IssuedTokens | OAuthError
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      result = work()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
    if (result instanceof OAuthError) throw result
    return result
  }
}

/** Why a grant is not for who asks. */
function problemOf(grant: StoredGrant, { clientId, resource }: Claims): OAuthError | undefined {
  if (grant.client_id !== clientId) return new OAuthError('invalid_grant', 'it was given to another client')
  if (resource !== undefined && URL.parse(resource)?.href !== new URL(grant.resource).href)
    return new OAuthError('invalid_target', `it is only for ${grant.resource}`)
  return undefined
}
