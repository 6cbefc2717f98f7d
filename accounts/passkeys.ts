import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { passkeyAssertion, passkeyRegistration } from '#contract/accounts/bodies.ts'
import { recorded, removeOwned } from './database/account-log.ts'
import { sha256 } from './database/digest.ts'
import { columnsOf, countRows, insertion, insertRow, type Statements, Store, timeText } from './database/statements.ts'
import { checkAssertion, type PasskeySite, readRegistration } from './webauthn.ts'

const challengeLifetimeMs = 300_000
const maxChallenges = 10_000
export const maxPasskeys = 20

const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: timeText,
  last_used_at: timeText.nullable(),
})
export type Passkey = z.infer<typeof passkeySchema>

const storedSchema = z.object({
  account_id: z.int(),
  site: z.string(),
  public_key: z.instanceof(Uint8Array),
  sign_count: z.int(),
})

/** Passkeys, and the single-use challenges that they sign. */
export class Passkeys extends Store {
  /** For adding a passkey to an account; without one, for signing in. */
  async createChallenge(accountId?: number): Promise<string> {
    const challenge = randomBytes(32).toString('base64url')
    await this.database.transaction(async (statements) => {
      const now = Date.now()
      await statements.run('DELETE FROM passkey_challenges WHERE expires_at <= $now', { now })
      if ((await countRows(statements, 'passkey_challenges')) >= maxChallenges) {
        await statements.run(
          `DELETE FROM passkey_challenges WHERE hash IN (SELECT hash FROM passkey_challenges ORDER BY expires_at, rowid LIMIT 1)`,
        )
      }
      await insertRow(statements, 'passkey_challenges', {
        hash: sha256(challenge),
        account_id: accountId ?? null,
        expires_at: now + challengeLifetimeMs,
      })
    })
    return challenge
  }

  /** Returns undefined if the passkey is known or does not answer a challenge for this account. */
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
    const passkey = { ...record, account_id: accountId, name, site: site.site, created_at: Date.now() }
    const sql = insertion('passkeys', passkey, `ON CONFLICT DO NOTHING RETURNING ${columnsOf(passkeySchema)}`)
    const insert = (statements: Statements) => statements.get(passkeySchema, sql, passkey)
    return recorded(this.database, insert, ({ id }) => [accountId, 'passkey added', `${name} (${id})`])
  }

  /** Returns the account whose passkey signed a challenge; undefined if a check fails. */
  async signIn(assertion: z.output<typeof passkeyAssertion>, site: PasskeySite): Promise<number | undefined> {
    const { id } = assertion
    const sql = `SELECT ${columnsOf(storedSchema)} FROM passkeys WHERE id = $id`
    const stored = await this.database.get(storedSchema, sql, { id })
    if (!stored || stored.site !== site.site) return undefined
    const signCount = await checkAssertion(assertion, site, stored, (challenge) =>
      this.#redeemChallenge(challenge, undefined),
    )
    if (signCount === undefined) return undefined
    await this.database.run('UPDATE passkeys SET sign_count = $signCount, last_used_at = $now WHERE id = $id', {
      signCount,
      now: Date.now(),
      id,
    })
    return stored.account_id
  }

  list(accountId: number): Promise<Passkey[]> {
    const sql = `SELECT ${columnsOf(passkeySchema)} FROM passkeys
      WHERE account_id = $accountId ORDER BY created_at DESC, id`
    return this.database.all(passkeySchema, sql, { accountId })
  }

  remove(accountId: number, id: string): Promise<boolean> {
    return removeOwned(this.database, ['passkeys', 'passkey'], accountId, id)
  }

  async removeAll(accountId: number): Promise<void> {
    const sql = 'DELETE FROM passkeys WHERE account_id = $accountId'
    const remove = (statements: Statements) => statements.run(sql, { accountId })
    await recorded(this.database, remove, (count) => [accountId, 'passkeys removed', `${count}`])
  }

  /** Deletes a challenge; returns whether it was valid, and for this account or signing in. */
  async #redeemChallenge(challenge: string, accountId: number | undefined): Promise<boolean> {
    const sql = 'DELETE FROM passkey_challenges WHERE hash = $hash AND expires_at > $now RETURNING account_id'
    const found = await this.database.get(challengeSchema, sql, { hash: sha256(challenge), now: Date.now() })
    return found !== undefined && found.account_id === (accountId ?? null)
  }
}

const challengeSchema = z.object({ account_id: z.int().nullable() })
