import { randomBytes } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import type { Logger } from '#root/log.ts'
import { sha256 } from './digest.ts'

export const sessionSeconds = 30 * 86_400
/** How exactly `last_used_at` is kept, in milliseconds. */
const usePrecision = 600_000
const longestAgent = 200

const foundSchema = z.object({
  account_id: z.int(),
  tier: z.enum(accountTiers),
  last_used_at: z.int(),
  confirmed_at: z.int(),
})

/** Who is signed in, and when (milliseconds since 1970) that was last proved by password or passkey. */
export interface Session {
  readonly accountId: number
  readonly tier: AccountTier
  readonly confirmedAt: number
}

const listedSchema = z.object({
  id: z.string(),
  hash: z.instanceof(Uint8Array),
  user_agent: z.string(),
  created_at: z.int(),
  last_used_at: z.int(),
  expires_at: z.int(),
})

/** Times are milliseconds since 1970; `id` is how the hash of the token begins. */
export type ListedSession = Omit<z.infer<typeof listedSchema>, 'hash'> & { readonly isCurrent: boolean }

const idOf = 'lower(hex(substr(hash, 1, 8)))'

/** Sign-ins of browsers. The token lives in a cookie; only its hash is stored. */
export class Sessions {
  readonly #database: DatabaseSync
  readonly #lookUp: StatementSync
  readonly #log: Logger | undefined

  constructor(database: DatabaseSync, log?: Logger) {
    this.#database = database
    this.#log = log
    this.#lookUp = database.prepare(
      `SELECT account_id, tier, last_used_at, confirmed_at FROM sessions JOIN accounts ON accounts.id = account_id
       WHERE sessions.hash = ? AND expires_at > ?`,
    )
  }

  /** Returns the token of a new session, of somebody who has just proved who it is. */
  start(accountId: number, userAgent = ''): string {
    const now = Date.now()
    const token = randomBytes(32).toString('hex')
    this.#database.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(now)
    this.#database
      .prepare(
        `INSERT INTO sessions (hash, account_id, expires_at, created_at, last_used_at, confirmed_at, user_agent)
         VALUES ($hash, $account, $expires, $now, $now, $now, $agent)`,
      )
      .run({
        hash: sha256(token),
        account: accountId,
        expires: now + sessionSeconds * 1000,
        now,
        agent: userAgent.slice(0, longestAgent),
      })
    return token
  }

  find(token: string): Session | undefined {
    const now = Date.now()
    const digest = sha256(token)
    const row = this.#lookUp.get(digest, now)
    if (!row) return undefined
    const { account_id, tier, last_used_at, confirmed_at } = foundSchema.parse(row)
    if (now - last_used_at >= usePrecision) this.#noteUse(digest, now)
    return { accountId: account_id, tier, confirmedAt: confirmed_at }
  }

  /** A full disk is no reason to refuse a session. */
  #noteUse(digest: Buffer, now: number): void {
    try {
      this.#database.prepare('UPDATE sessions SET last_used_at = ? WHERE hash = ?').run(now, digest)
    } catch (err) {
      this.#log?.error({ err }, 'the last use of a session cannot be saved')
    }
  }

  /** Notes that the user has proved again who it is. */
  confirm(token: string): void {
    this.#database.prepare('UPDATE sessions SET confirmed_at = ? WHERE hash = ?').run(Date.now(), sha256(token))
  }

  /** Those that hold, the one used last first. */
  list(accountId: number, currentToken: string): ListedSession[] {
    const rows = this.#database
      .prepare(
        `SELECT ${idOf} AS id, hash, user_agent, created_at, last_used_at, expires_at FROM sessions
         WHERE account_id = ? AND expires_at > ? ORDER BY last_used_at DESC, created_at DESC`,
      )
      .all(accountId, Date.now())
    const current = sha256(currentToken)
    return z
      .array(listedSchema)
      .parse(rows)
      .map(({ hash: digest, ...session }) => ({ ...session, isCurrent: current.equals(digest) }))
  }

  end(token: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE hash = ?').run(sha256(token))
  }

  /** Ends a session of an account by its id; tells whether there was one. */
  endById(accountId: number, id: string): boolean {
    return (
      this.#database.prepare(`DELETE FROM sessions WHERE account_id = ? AND ${idOf} = ?`).run(accountId, id).changes > 0
    )
  }

  /** Ends all sessions of an account, but that of a token where one is given; tells how many. */
  endAll(accountId: number, exceptToken?: string): number {
    const kept = exceptToken === undefined ? Buffer.alloc(0) : sha256(exceptToken)
    return Number(
      this.#database.prepare('DELETE FROM sessions WHERE account_id = ? AND hash <> ?').run(accountId, kept).changes,
    )
  }
}
