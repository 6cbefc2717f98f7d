import { randomBytes } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'

/** Of an account. */
export const mostPictures = 100

const listedSchema = z.object({ id: z.string(), name: z.string(), created_at: z.int() })
/** `created_at` in milliseconds since 1970. */
export type Picture = z.infer<typeof listedSchema>

const foundSchema = z.object({ account_id: z.int(), tier: z.enum(accountTiers), request: z.string() })

/** A chart that is drawn for whoever has its id, with the rights of whose it is. */
export interface SharedPicture {
  readonly accountId: number
  readonly tier: AccountTier
  /** As it was sent, checked by then. */
  readonly request: unknown
}

/** Charts with addresses of their own, for pages that show them. The id is the whole secret, and stands in those pages. */
export class Pictures {
  readonly #database: DatabaseSync
  readonly #lookUp: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#lookUp = database.prepare(
      `SELECT account_id, tier, request FROM pictures JOIN accounts ON accounts.id = account_id
       WHERE pictures.id = ?`,
    )
  }

  add(accountId: number, name: string, request: unknown): Picture {
    const row = this.#database
      .prepare(
        `INSERT INTO pictures (id, account_id, name, request, created_at) VALUES (?, ?, ?, ?, ?)
         RETURNING id, name, created_at`,
      )
      .get(randomBytes(18).toString('base64url'), accountId, name, JSON.stringify(request), Date.now())
    return listedSchema.parse(row)
  }

  /** Newest first. */
  list(accountId: number): Picture[] {
    const rows = this.#database
      .prepare('SELECT id, name, created_at FROM pictures WHERE account_id = ? ORDER BY created_at DESC, rowid DESC')
      .all(accountId)
    return z.array(listedSchema).parse(rows)
  }

  find(id: string): SharedPicture | undefined {
    const row = this.#lookUp.get(id)
    if (!row) return undefined
    const { account_id, tier, request } = foundSchema.parse(row)
    return { accountId: account_id, tier, request: JSON.parse(request) }
  }

  /** Tells whether there was one. */
  remove(accountId: number, id: string): boolean {
    return this.#database.prepare('DELETE FROM pictures WHERE account_id = ? AND id = ?').run(accountId, id).changes > 0
  }
}
