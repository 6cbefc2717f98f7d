import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { type AccountsDatabase, countRows, deleteOwned } from './database/statements.ts'

export const maxPictures = 100

const pictureSchema = z.object({ id: z.string(), name: z.string(), created_at: z.int() })
/** `created_at` is in ms since 1970. */
export type Picture = z.infer<typeof pictureSchema>

const sharedSchema = z.object({ account_id: z.int(), tier: z.enum(accountTiers), request: z.string() })

/** A chart drawn for everybody who has its id, with the data access of its owner. */
export interface SharedPicture {
  readonly accountId: number
  readonly tier: AccountTier
  /** Chart request as it was sent, validated before it was stored. */
  readonly request: unknown
}

/** Public links to charts, for pages that embed them. Whoever knows the id sees the chart. */
export class Pictures {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** Returns undefined if the account already has `maxPictures`. */
  add(accountId: number, name: string, request: unknown): Promise<Picture | undefined> {
    return this.#database.transaction(async (statements) => {
      const count = await countRows(statements, 'pictures WHERE account_id = $accountId', { accountId })
      if (count >= maxPictures) return undefined
      return statements.get(
        pictureSchema,
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
    })
  }

  list(accountId: number): Promise<Picture[]> {
    const sql = `SELECT id, name, created_at FROM pictures
      WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`
    return this.#database.all(pictureSchema, sql, { accountId })
  }

  async find(id: string): Promise<SharedPicture | undefined> {
    const sql = `SELECT account_id, tier, request FROM pictures JOIN accounts ON accounts.id = account_id
      WHERE pictures.id = $id`
    const found = await this.#database.get(sharedSchema, sql, { id })
    return found && { accountId: found.account_id, tier: found.tier, request: JSON.parse(found.request) }
  }

  remove(accountId: number, id: string): Promise<boolean> {
    return deleteOwned(this.#database, 'pictures', accountId, id)
  }
}
