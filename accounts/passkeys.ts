import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { passkeyAssertion, passkeyRegistration } from '#contract/accounts/bodies.ts'
import { sha256 } from './database/digest.ts'
import { type AccountsDatabase, countSchema } from './database/statements.ts'
import { checkAssertion, type PasskeySite, readRegistration } from './webauthn.ts'

const challengeLifetimeMs = 300_000
const maxChallenges = 10_000
export const maxPasskeys = 20

const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
})
/** Times are milliseconds since 1970. */
export type Passkey = z.infer<typeof passkeySchema>

const storedSchema = z.object({
  account_id: z.int(),
  site: z.string(),
  public_key: z.instanceof(Uint8Array),
  sign_count: z.int(),
})

/** Passkeys of accounts, and the challenges that they sign, each for one use. */
export class Passkeys {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** A challenge for a new passkey of an account, or for signing in. */
  async createChallenge(accountId?: number): Promise<string> {
    const challenge = randomBytes(32).toString('base64url')
    await this.#database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run('DELETE FROM passkey_challenges WHERE expires_at <= $now', { now })
      const row = await statements.get('SELECT count(*) AS count FROM passkey_challenges')
      if (countSchema.parse(row).count >= maxChallenges) {
        await statements.run(
          `DELETE FROM passkey_challenges WHERE hash IN (SELECT hash FROM passkey_challenges ORDER BY expires_at, rowid LIMIT 1)`,
        )
      }
      await statements.run(
        'INSERT INTO passkey_challenges (hash, account_id, expires_at) VALUES ($hash, $accountId, $until)',
        { hash: sha256(challenge), accountId: accountId ?? null, until: now + challengeLifetimeMs },
      )
    })
    return challenge
  }

  /** Keeps a new passkey; undefined where it is not what the account was asked for, or known already. */
  async add(
    accountId: number,
    name: string,
    registration: z.output<typeof passkeyRegistration>,
    site: PasskeySite,
  ): Promise<Passkey | undefined> {
    const record = await readRegistration(registration, site, (challenge) =>
      this.#redeemChallenge(challenge, accountId),
    )
    if (!record) return undefined
    const row = await this.#database.get(
      `INSERT INTO passkeys (id, account_id, name, site, public_key, sign_count, created_at)
       VALUES ($id, $accountId, $name, $site, $publicKey, $signCount, $now)
       ON CONFLICT DO NOTHING RETURNING id, name, created_at, last_used_at`,
      { ...record, accountId, name, site: site.site, now: Date.now() },
    )
    return row === undefined ? undefined : passkeySchema.parse(row)
  }

  /** Whose passkey signed; undefined for anything amiss. */
  async signIn(assertion: z.output<typeof passkeyAssertion>, site: PasskeySite): Promise<number | undefined> {
    const { id } = assertion
    const row = await this.#database.get(
      'SELECT account_id, site, public_key, sign_count FROM passkeys WHERE id = $id',
      { id },
    )
    const stored = row === undefined ? undefined : storedSchema.parse(row)
    if (!stored || stored.site !== site.site) return undefined
    const record = { id, publicKey: stored.public_key, signCount: stored.sign_count }
    const signCount = await checkAssertion(assertion, site, record, (challenge) =>
      this.#redeemChallenge(challenge, undefined),
    )
    if (signCount === undefined) return undefined
    await this.#database.run('UPDATE passkeys SET sign_count = $signCount, last_used_at = $now WHERE id = $id', {
      signCount,
      now: Date.now(),
      id,
    })
    return stored.account_id
  }

  /** Newest first. */
  async list(accountId: number): Promise<Passkey[]> {
    const rows = await this.#database.all(
      `SELECT id, name, created_at, last_used_at FROM passkeys
       WHERE account_id = $accountId ORDER BY created_at DESC, id`,
      { accountId },
    )
    return z.array(passkeySchema).parse(rows)
  }

  /** Tells whether there was one. */
  async remove(accountId: number, id: string): Promise<boolean> {
    const statement = 'DELETE FROM passkeys WHERE account_id = $accountId AND id = $id'
    return (await this.#database.run(statement, { accountId, id })) > 0
  }

  async removeAll(accountId: number): Promise<void> {
    await this.#database.run('DELETE FROM passkeys WHERE account_id = $accountId', { accountId })
  }

  /** Whether the challenge holds, for a new passkey of an account or for signing in; it no longer does. */
  async #redeemChallenge(challenge: string, accountId: number | undefined): Promise<boolean> {
    const row = await this.#database.get(
      'DELETE FROM passkey_challenges WHERE hash = $hash AND expires_at > $now RETURNING account_id',
      { hash: sha256(challenge), now: Date.now() },
    )
    const taken = challengeSchema.parse(row)
    return taken !== undefined && taken.account_id === (accountId ?? null)
  }
}

const challengeSchema = z.object({ account_id: z.int().nullable() }).optional()
