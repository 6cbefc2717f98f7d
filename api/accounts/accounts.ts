import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { Passwords } from './passwords.ts'

const accountSchema = z.object({
  id: z.int(),
  email: z.string(),
  tier: z.enum(accountTiers),
  created_at: z.int(),
})

/** `created_at` in milliseconds since 1970. */
export type Account = z.infer<typeof accountSchema>

const emailSchema = z.email().max(200)
const columns = 'id, email, tier, created_at'
/** Everything that belongs to an account; requests that were counted for it lie elsewhere. */
const belongings = [
  'api_keys',
  'sessions',
  'one_time_links',
  'one_time_codes',
  'recovery_codes',
  'passkeys',
  'pictures',
  'boards',
  'webhooks',
  'oauth_grants',
] as const

/** People and programs that the service knows, by their e-mail address. */
export class Accounts {
  readonly #database: DatabaseSync
  readonly #passwords: Passwords

  constructor(database: DatabaseSync, passwords: Passwords) {
    this.#database = database
    this.#passwords = passwords
  }

  /**
   * Adds an account; without a password nobody can sign in to it, but it can have keys. Returns undefined where the
   * address has one already. Throws `invalid_argument` for what is no e-mail address.
   */
  async create(email: string, tier: AccountTier, password?: string): Promise<Account | undefined> {
    const hash = password === undefined ? null : await this.#passwords.hash(password, 'operator')
    const row = this.#database
      .prepare(
        `INSERT INTO accounts (email, password_hash, tier, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (email) DO NOTHING RETURNING ${columns}`,
      )
      .get(canonicalEmail(email), hash, tier, Date.now())
    return row && accountSchema.parse(row)
  }

  /**
   * Adds an account of tier free, or leaves the one that the address has as it is, with the same work. Throws
   * `sign_in_overloaded`.
   */
  async signUp(email: string, password: string, caller: string): Promise<void> {
    const hash = await this.#passwords.hash(password, caller)
    this.#database
      .prepare(
        `INSERT INTO accounts (email, password_hash, tier, created_at) VALUES (?, ?, 'free', ?)
         ON CONFLICT (email) DO UPDATE SET email = excluded.email`,
      )
      .run(canonicalEmail(email), hash, Date.now())
  }

  list(): Account[] {
    return z.array(accountSchema).parse(this.#database.prepare(`SELECT ${columns} FROM accounts ORDER BY id`).all())
  }

  find(email: string): Account | undefined {
    const row = this.#database.prepare(`SELECT ${columns} FROM accounts WHERE email = ?`).get(canonicalEmail(email))
    return row && accountSchema.parse(row)
  }

  get(id: number): Account | undefined {
    const row = this.#database.prepare(`SELECT ${columns} FROM accounts WHERE id = ?`).get(id)
    return row && accountSchema.parse(row)
  }

  /** Takes effect with the account's next request. Throws `invalid_argument` for an unknown address. */
  setTier(email: string, tier: AccountTier): Account {
    const account = this.require(email)
    this.#database.prepare('UPDATE accounts SET tier = ? WHERE id = ?').run(tier, account.id)
    return { ...account, tier }
  }

  /** Throws `invalid_argument` for an unknown address. */
  require(email: string): Account {
    const account = this.find(email)
    if (account) return account
    throw new CoinstrataError('invalid_argument', `there is no account '${email}'`, {
      cure: '"coinstrata accounts list" shows them all, "coinstrata accounts create" adds one',
    })
  }

  /**
   * The account of an address and its password; undefined where they do not belong together. A hash of an earlier
   * version is replaced. Throws `sign_in_overloaded`.
   */
  async signIn(email: string, password: string, caller: string): Promise<Account | undefined> {
    const account = emailSchema.safeParse(email.trim()).success ? this.find(email) : undefined
    const hash = account && this.#hashOf(account.id)
    if (!(await this.#passwords.verify(password, hash, caller)) || !account || hash === undefined) return undefined
    if (this.#passwords.isOutdated(hash)) {
      const renewed = await this.#passwords.hash(password, caller)
      // Unless the password was changed meanwhile.
      this.#database
        .prepare('UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?')
        .run(renewed, account.id, hash)
    }
    return account
  }

  /** Whether it is the password of the account. Throws `sign_in_overloaded`. */
  hasPassword(id: number, password: string, caller: string): Promise<boolean> {
    return this.#passwords.verify(password, this.#hashOf(id), caller)
  }

  /** `hash` as `Passwords` makes it. */
  setPasswordHash(id: number, hash: string): void {
    this.#database.prepare('UPDATE accounts SET password_hash = ? WHERE id = ?').run(hash, id)
  }

  /** Whether somebody can sign in with a password. */
  hasAnyPassword(id: number): boolean {
    return this.#hashOf(id) !== undefined
  }

  /** Removes an account for good, with its keys, sessions and factors. */
  remove(id: number): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      for (const table of belongings) this.#database.prepare(`DELETE FROM ${table} WHERE account_id = ?`).run(id)
      this.#database.prepare('DELETE FROM accounts WHERE id = ?').run(id)
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  #hashOf(id: number): string | undefined {
    const stored = this.#database.prepare('SELECT password_hash FROM accounts WHERE id = ?').get(id)
    return typeof stored?.password_hash === 'string' ? stored.password_hash : undefined
  }
}

/** Throws `invalid_argument` for what is no e-mail address. */
function canonicalEmail(email: string): string {
  const parsed = emailSchema.safeParse(email.trim().toLowerCase())
  if (parsed.success) return parsed.data
  throw new CoinstrataError('invalid_argument', `'${email}' is not an e-mail address`, {
    cure: 'write it as name@example.org',
  })
}
