import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { anonymiseLog, recorded } from './database/account-log.ts'
import { type AccountsDatabase, columnsOf, type Statements, Store } from './database/statements.ts'
import type { Passwords } from './passwords.ts'

const accountSchema = z.object({
  id: z.int(),
  email: z.string(),
  tier: z.enum(accountTiers),
  created_at: z.int(),
  verified_at: z.int().nullable(),
})

/**
 * Times are in ms since 1970. `verified_at` is null if anybody may have signed up with the address.
 */
export type Account = z.infer<typeof accountSchema>

const hashSchema = z.object({ password_hash: z.string().nullable() })
const emailSchema = z.email().max(200)
const columns = columnsOf(accountSchema)
const insert = `INSERT INTO accounts (email, password_hash, tier, created_at, verified_at)
  VALUES ($email, $hash, $tier, $createdAt, $verifiedAt)`

export class Accounts extends Store {
  readonly #passwords: Passwords

  constructor(database: AccountsDatabase, passwords: Passwords) {
    super(database)
    this.#passwords = passwords
  }

  /**
   * Adds an account for the operator; its address counts as verified. Without a password nobody can
   * sign in, but it can have keys. Returns undefined if the address already has an account.
   */
  async create(email: string, tier: AccountTier, password?: string): Promise<Account | undefined> {
    const hash = password === undefined ? null : await this.#passwords.hash(password, 'operator')
    const now = Date.now()
    const values = { email: canonicalEmail(email), hash, tier, createdAt: now, verifiedAt: now }
    const sql = `${insert} ON CONFLICT (email) DO NOTHING RETURNING ${columns}`
    const add = (statements: Statements) => statements.get(accountSchema, sql, values)
    return recorded(this.database, add, ({ id }) => [id, 'account created', `tier ${tier}`])
  }

  /**
   * Adds an account of tier free with an unverified address, or with the same work returns the one
   * that the address already has. Without a password nobody can sign in before a link sets one.
   */
  async signUp(email: string, password: string | undefined, caller: string): Promise<Account> {
    const hash = password === undefined ? null : await this.#passwords.hash(password, caller)
    const sql = `${insert} ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING ${columns}`
    const values = { email: canonicalEmail(email), hash, tier: 'free', createdAt: Date.now(), verifiedAt: null }
    const add = (statements: Statements) => statements.get(accountSchema, sql, values)
    return (await recorded(this.database, add, ({ id }) => [id, 'account requested']))!
  }

  list(): Promise<Account[]> {
    return this.database.all(accountSchema, `SELECT ${columns} FROM accounts ORDER BY id`)
  }

  async find(email: string): Promise<Account | undefined> {
    const sql = `SELECT ${columns} FROM accounts WHERE email = $email`
    return this.database.get(accountSchema, sql, { email: canonicalEmail(email) })
  }

  get(id: number): Promise<Account | undefined> {
    return this.database.get(accountSchema, `SELECT ${columns} FROM accounts WHERE id = $id`, { id })
  }

  /** Running services notice within seconds. */
  async setTier(email: string, tier: AccountTier, isVerified = false): Promise<Account> {
    const { id } = await this.require(email)
    const sql = `UPDATE accounts SET tier = $tier, verified_at = coalesce(verified_at, $now) WHERE id = $id RETURNING ${columns}`
    const values = { id, tier, now: isVerified ? Date.now() : null }
    const detail = isVerified ? `${tier}, address verified` : tier
    const set = (statements: Statements) => statements.get(accountSchema, sql, values)
    return (await recorded(this.database, set, () => [id, 'tier set', detail]))!
  }

  async require(email: string): Promise<Account> {
    const account = await this.find(email)
    if (account) return account
    throw new CoinstrataError('invalid_argument', `there is no account '${email}'`, {
      cure: '"coinstrata accounts list" shows them all, "coinstrata accounts create" adds one',
    })
  }

  /** Returns the account if the password is right. */
  async signIn(email: string, password: string, caller: string): Promise<Account | undefined> {
    const account = emailSchema.safeParse(email.trim()).success ? await this.find(email) : undefined
    const hash = account && (await this.#passwordHash(account.id))
    return (await this.#passwords.verify(password, hash, caller)) ? account : undefined
  }

  async hasPassword(id: number, password: string, caller: string): Promise<boolean> {
    return this.#passwords.verify(password, await this.#passwordHash(id), caller)
  }

  async setPasswordHash(id: number, hash: string): Promise<void> {
    const sql = 'UPDATE accounts SET password_hash = $hash WHERE id = $id'
    const set = (statements: Statements) => statements.run(sql, { hash, id })
    await recorded(this.database, set, () => [id, 'password changed'])
  }

  /**
   * Sets the password by a link. An unverified account is replaced by a new one with the same
   * address and tier: what it has may belong to somebody else. Requests under way then fail, since
   * its id is gone.
   */
  setPasswordByLink(id: number, hash: string): Promise<Account | undefined> {
    const set = async (statements: Statements) => {
      const sql = `UPDATE accounts SET password_hash = $hash WHERE id = $id AND verified_at IS NOT NULL RETURNING ${columns}`
      const verified = await statements.get(accountSchema, sql, { hash, id })
      const removed = verified ? undefined : await removeAccount(statements, id)
      if (!removed) return verified
      const { email, tier, created_at: createdAt } = removed
      const values = { email, hash, tier, createdAt, verifiedAt: Date.now() }
      return statements.get(accountSchema, `${insert} RETURNING ${columns}`, values)
    }
    return recorded(this.database, set, (account) => [account.id, 'password set by link'])
  }

  async hasAnyPassword(id: number): Promise<boolean> {
    return (await this.#passwordHash(id)) !== undefined
  }

  async remove(id: number): Promise<void> {
    await recorded(
      this.database,
      (statements) => removeAccount(statements, id),
      () => [null, 'account deleted'],
    )
    await this.database.forget()
  }

  async #passwordHash(id: number): Promise<string | undefined> {
    const row = await this.database.get(hashSchema, 'SELECT password_hash FROM accounts WHERE id = $id', { id })
    return row?.password_hash ?? undefined
  }
}

/** Removes everything of the account except request counts (`limits/`). */
async function removeAccount(statements: Statements, id: number): Promise<Account | undefined> {
  await anonymiseLog(statements, id)
  await statements.run('DELETE FROM alert_quotas WHERE owner = $id', { id })
  return statements.get(accountSchema, `DELETE FROM accounts WHERE id = $id RETURNING ${columns}`, { id })
}

function canonicalEmail(email: string): string {
  const parsed = emailSchema.safeParse(email.trim().toLowerCase())
  if (parsed.success) return parsed.data
  throw new CoinstrataError('invalid_argument', `'${email}' is not an e-mail address`, {
    cure: 'write it as name@example.org',
  })
}
