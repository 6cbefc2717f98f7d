import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { type AccountsDatabase, countSchema } from './database/statements.ts'

/** Of an account. */
export const maxPictures = 100

const pictureSchema = z.object({ id: z.string(), name: z.string(), created_at: z.int() })
/** `created_at` in milliseconds since 1970. */
export type Picture = z.infer<typeof pictureSchema>

const sharedSchema = z.object({ account_id: z.int(), tier: z.enum(accountTiers), request: z.string() })

/** A chart that is drawn for whoever has its id, with the rights of whose it is. */
export interface SharedPicture {
  readonly accountId: number
  readonly tier: AccountTier
  /** As it was sent, checked by then. */
  readonly request: unknown
}

/** Charts with addresses of their own, for pages that show them. The id is the whole secret, and stands in those pages. */
export class Pictures {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** Undefined where the account has as many as it may have. */
  add(accountId: number, name: string, request: unknown): Promise<Picture | undefined> {
    return this.#database.transaction(async (statements) => {
      const row = await statements.get('SELECT count(*) AS count FROM pictures WHERE account_id = $accountId', {
        accountId,
      })
      if (countSchema.parse(row).count >= maxPictures) return undefined
      const added = await statements.get(
        `INSERT INTO pictures (id, account_id, name, request, created_at) VALUES ($id, $accountId, $name, $request, $now)
         RETURNING id, name, created_at`,
        {
          id: randomBytes(18).toString('base64url'),
          accountId,
          name,
          request: JSON.stringify(request),
          now: Date.now(),
        },
      )
      return pictureSchema.parse(added)
    })
  }

  /** Newest first. */
  async list(accountId: number): Promise<Picture[]> {
    const rows = await this.#database.all(
      'SELECT id, name, created_at FROM pictures WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC',
      { accountId },
    )
    return z.array(pictureSchema).parse(rows)
  }

  async find(id: string): Promise<SharedPicture | undefined> {
    const row = await this.#database.get(
      `SELECT account_id, tier, request FROM pictures JOIN accounts ON accounts.id = account_id
       WHERE pictures.id = $id`,
      { id },
    )
    if (row === undefined) return undefined
    const { account_id, tier, request } = sharedSchema.parse(row)
    return { accountId: account_id, tier, request: JSON.parse(request) }
  }

  /** Tells whether there was one. */
  async remove(accountId: number, id: string): Promise<boolean> {
    const removed = await this.#database.run('DELETE FROM pictures WHERE account_id = $accountId AND id = $id', {
      accountId,
      id,
    })
    return removed > 0
  }
}
