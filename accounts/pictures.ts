import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { accountTiers } from '#contract/tiers.ts'
import { recordChange, removeOwned } from './database/account-log.ts'
import { columnsOf, countRows, insertion, jsonText, Store, timeText } from './database/statements.ts'

export const maxPictures = 100

const pictureSchema = z.object({ id: z.string(), name: z.string(), created_at: timeText })
export type Picture = z.infer<typeof pictureSchema>

/** `request` is stored as sent, after validation. */
const sharedSchema = z.object({ account_id: z.int(), tier: z.enum(accountTiers), request: jsonText(z.unknown()) })
type SharedPicture = z.infer<typeof sharedSchema>

/**
 * Public links to charts, for pages that embed them: whoever knows the id sees the chart with its
 * owner's data access.
 */
export class Pictures extends Store {
  /** Returns undefined at `maxPictures`. */
  add(accountId: number, name: string, request: unknown): Promise<Picture | undefined> {
    return this.database.transaction(async (statements) => {
      const count = await countRows(statements, 'pictures WHERE account_id = $accountId', { accountId })
      if (count >= maxPictures) return undefined
      const id = randomBytes(18).toString('base64url')
      const row = { id, account_id: accountId, name, request: JSON.stringify(request), created_at: Date.now() }
      await recordChange(statements, accountId, 'picture link created', `${id} (${name})`)
      return statements.get(pictureSchema, insertion('pictures', row, `RETURNING ${columnsOf(pictureSchema)}`), row)
    })
  }

  list(accountId: number): Promise<Picture[]> {
    const sql = `SELECT ${columnsOf(pictureSchema)} FROM pictures
      WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`
    return this.database.all(pictureSchema, sql, { accountId })
  }

  find(id: string): Promise<SharedPicture | undefined> {
    const sql = `SELECT ${columnsOf(sharedSchema)} FROM pictures JOIN accounts ON accounts.id = account_id
      WHERE pictures.id = $id`
    return this.database.get(sharedSchema, sql, { id })
  }

  remove(accountId: number, id: string): Promise<boolean> {
    return removeOwned(this.database, ['pictures', 'picture link'], accountId, id)
  }
}
