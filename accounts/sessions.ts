import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { andThen, type MaybePromise } from '#base/maybe-promise.ts'
import { accountTiers } from '#contract/tiers.ts'
import { CachedStore } from './database/cached-store.ts'
import { sha256 } from './database/digest.ts'
import { columnsOf, insertRow, timeText } from './database/statements.ts'

export const sessionSeconds = 30 * 86_400
/** Maximum per account: a new one beyond it ends the least recently used. */
export const maxSessions = 100
const maxUserAgentLength = 200

const storedSchema = z.object({
  hash: z.instanceof(Uint8Array),
  account_id: z.int(),
  tier: z.enum(accountTiers),
  last_used_at: z.int(),
  confirmed_at: z.int(),
  expires_at: z.int(),
})
/**
 * Times are in ms since 1970; `confirmed_at` is when the user last gave a password or passkey.
 */
type Session = z.infer<typeof storedSchema>

const entrySchema = z.object({
  hash: z.instanceof(Uint8Array),
  user_agent: z.string(),
  created_at: timeText,
  last_used_at: timeText,
  expires_at: timeText,
})

/** Beginning of the token's hash. */
const sessionId = (hash: Uint8Array): string => Buffer.from(hash).toString('hex', 0, 8)

/** Browser sessions. The token is in a cookie; only its hash is stored. */
export class Sessions extends CachedStore<Session> {
  protected override readonly usePrecisionMs = 600_000

  /** Returns the token of a new, confirmed session. */
  async start(accountId: number, userAgent = ''): Promise<string> {
    const now = Date.now()
    const token = randomBytes(32).toString('hex')
    const ended = await this.database.run(
      `DELETE FROM sessions WHERE expires_at <= $now OR account_id = $accountId AND hash NOT IN (
         SELECT hash FROM sessions WHERE account_id = $accountId ORDER BY last_used_at DESC LIMIT ${maxSessions - 1})`,
      { now, accountId },
    )
    if (ended > 0) this.clearCache()
    await insertRow(this.database, 'sessions', {
      hash: sha256(token),
      account_id: accountId,
      created_at: now,
      last_used_at: now,
      confirmed_at: now,
      expires_at: now + sessionSeconds * 1000,
      user_agent: userAgent.slice(0, maxUserAgentLength),
    })
    return token
  }

  /** Changes by other processes show after seconds. Throws `accounts_unavailable`. */
  find(token: string): MaybePromise<Session | undefined> {
    return andThen(this.findCached(token), (stored) => this.#use(stored))
  }

  async findUncached(token: string): Promise<Session | undefined> {
    return this.#use(await this.read(token))
  }

  #use(stored: Session | undefined): Session | undefined {
    const now = Date.now()
    if (!stored || stored.expires_at <= now) return undefined
    this.recordUse(stored, now)
    return stored
  }

  protected read(token: string): Promise<Session | undefined> {
    return this.database.get(
      storedSchema,
      `SELECT ${columnsOf(storedSchema)}
       FROM sessions JOIN accounts ON accounts.id = account_id WHERE sessions.hash = $hash`,
      { hash: sha256(token) },
    )
  }

  async confirm(token: string): Promise<void> {
    const sql = 'UPDATE sessions SET confirmed_at = $now WHERE hash = $hash'
    await this.database.run(sql, { now: Date.now(), hash: sha256(token) })
  }

  /** Valid sessions, last used first. */
  async list(accountId: number, currentToken: string) {
    const rows = await this.database.all(
      entrySchema,
      `SELECT ${columnsOf(entrySchema)} FROM sessions
       WHERE account_id = $accountId AND expires_at > $now ORDER BY last_used_at DESC, created_at DESC`,
      { accountId, now: Date.now() },
    )
    const current = sha256(currentToken)
    return rows.map(({ hash, ...session }) => ({ id: sessionId(hash), is_current: current.equals(hash), ...session }))
  }

  async end(token: string): Promise<void> {
    await this.database.run('DELETE FROM sessions WHERE hash = $hash', { hash: sha256(token) })
    this.clearCache()
  }

  async endById(accountId: number, id: string): Promise<boolean> {
    const sql = 'SELECT hash FROM sessions WHERE account_id = $accountId'
    const rows = await this.database.all(entrySchema.pick({ hash: true }), sql, { accountId })
    const found = rows.find(({ hash }) => sessionId(hash) === id)
    const ended = found ? await this.database.run('DELETE FROM sessions WHERE hash = $hash', { hash: found.hash }) : 0
    this.clearCache()
    return ended > 0
  }

  /** Ends all sessions of an account except one; returns how many. */
  async endAll(accountId: number, exceptToken?: string): Promise<number> {
    const current = exceptToken === undefined ? Buffer.alloc(0) : sha256(exceptToken)
    const sql = 'DELETE FROM sessions WHERE account_id = $accountId AND hash <> $current'
    const ended = await this.database.run(sql, { accountId, current })
    this.clearCache()
    return ended
  }

  protected saveUse({ hash }: Session, now: number): Promise<unknown> {
    return this.database.run('UPDATE sessions SET last_used_at = $now WHERE hash = $hash', { now, hash })
  }

  protected describeForLog(): string {
    return 'a session'
  }
}
