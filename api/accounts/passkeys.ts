import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { passkeyAssertion, passkeyRegistration } from '#contract/accounts/bodies.ts'
import { checkAssertion, type PasskeySite, readRegistration } from './webauthn.ts'

const challengeLifetime = 300_000
const mostChallenges = 10_000
export const mostPasskeys = 20

const listedSchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
})
/** Times are milliseconds since 1970. */
export type Passkey = z.infer<typeof listedSchema>

const storedSchema = z.object({
  account_id: z.int(),
  site: z.string(),
  public_key: z.instanceof(Uint8Array),
  sign_count: z.int(),
})

/** Passkeys of accounts, and the challenges that they sign; these are kept in memory, for one use. */
export class Passkeys {
  readonly #database: DatabaseSync
  /** Until when each holds, and for whose new passkey; undefined for signing in. The oldest is first. */
  readonly #challenges = new Map<string, { readonly until: number; readonly accountId: number | undefined }>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** A challenge for a new passkey of an account, or for signing in. */
  challenge(accountId?: number): string {
    const [oldest] = this.#challenges.keys()
    if (oldest !== undefined && this.#challenges.size >= mostChallenges) this.#challenges.delete(oldest)
    const challenge = randomBytes(32).toString('base64url')
    this.#challenges.set(challenge, { until: Date.now() + challengeLifetime, accountId })
    return challenge
  }

  /** Keeps a new passkey; undefined where it is not what the account was asked for, or known already. */
  add(
    accountId: number,
    name: string,
    registration: z.output<typeof passkeyRegistration>,
    site: PasskeySite,
  ): Passkey | undefined {
    const record = readRegistration(registration, site, (challenge) => this.#take(challenge, accountId))
    if (!record) return undefined
    const row = this.#database
      .prepare(
        `INSERT INTO passkeys (id, account_id, name, site, public_key, sign_count, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id, name, created_at, last_used_at`,
      )
      .get(record.id, accountId, name, site.site, record.publicKey, record.signCount, Date.now())
    return row && listedSchema.parse(row)
  }

  /** Whose passkey signed; undefined for anything amiss. */
  signIn(assertion: z.output<typeof passkeyAssertion>, site: PasskeySite): number | undefined {
    const row = this.#database
      .prepare('SELECT account_id, site, public_key, sign_count FROM passkeys WHERE id = ?')
      .get(assertion.id)
    const stored = row && storedSchema.parse(row)
    if (!stored || stored.site !== site.site) return undefined
    const record = { id: assertion.id, publicKey: stored.public_key, signCount: stored.sign_count }
    const signCount = checkAssertion(assertion, site, record, (challenge) => this.#take(challenge, undefined))
    if (signCount === undefined) return undefined
    this.#database
      .prepare('UPDATE passkeys SET sign_count = ?, last_used_at = ? WHERE id = ?')
      .run(signCount, Date.now(), assertion.id)
    return stored.account_id
  }

  /** Newest first. */
  list(accountId: number): Passkey[] {
    const rows = this.#database
      .prepare(
        'SELECT id, name, created_at, last_used_at FROM passkeys WHERE account_id = ? ORDER BY created_at DESC, id',
      )
      .all(accountId)
    return z.array(listedSchema).parse(rows)
  }

  /** Tells whether there was one. */
  remove(accountId: number, id: string): boolean {
    return this.#database.prepare('DELETE FROM passkeys WHERE account_id = ? AND id = ?').run(accountId, id).changes > 0
  }

  removeAll(accountId: number): void {
    this.#database.prepare('DELETE FROM passkeys WHERE account_id = ?').run(accountId)
  }

  #take(challenge: string, accountId: number | undefined): boolean {
    const known = this.#challenges.get(challenge)
    this.#challenges.delete(challenge)
    return known !== undefined && known.until > Date.now() && known.accountId === accountId
  }
}
