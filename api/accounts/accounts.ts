import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { CoinstrataError } from '#root/errors.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

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

/** People and programs that the service knows, by their e-mail address. */
export class Accounts {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Adds an account; without a password nobody can sign in to it, but it can have keys. Returns undefined where the
   * address has one already.
   */
  async create(email: string, tier: AccountTier, password?: string): Promise<Account | undefined> {
    const hash = password === undefined ? null : await hashPassword(password)
    const row = this.#database
      .prepare(
        `INSERT INTO accounts (email, password_hash, tier, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (email) DO NOTHING RETURNING ${columns}`,
      )
      .get(canonicalEmail(email), hash, tier, Date.now())
    return row && accountSchema.parse(row)
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

  /** The account of an address and its password; undefined where they do not belong together. */
  async signIn(email: string, password: string): Promise<Account | undefined> {
    const account = this.find(email)
    const stored = account && this.#database.prepare('SELECT password_hash FROM accounts WHERE id = ?').get(account.id)
    const hash = stored?.password_hash
    const matches = await verifyPassword(password, typeof hash === 'string' ? hash : undefined)
    return matches ? account : undefined
  }
}

/** Throws `invalid_argument` for what is no e-mail address. */
function canonicalEmail(email: string): string {
  const parsed = emailSchema.safeParse(email.trim().toLowerCase())
  if (parsed.success) return parsed.data
  throw new CoinstrataError('invalid_argument', `'${email}' is no e-mail address`, {
    cure: 'write it as name@example.org',
  })
}
