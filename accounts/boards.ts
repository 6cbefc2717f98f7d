import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type BoardContent, boardBody } from '#contract/accounts/board.ts'
import type { AccountsDatabase } from './database/statements.ts'

const rowSchema = z.object({ content: z.string(), share: z.string().nullable() })

/** A user's collection of charts; `share` is the token of its public link. */
export interface Board {
  readonly content: BoardContent
  readonly share: string | null
}

const emptyBoard: Board = { content: { title: '', charts: [] }, share: null }

export class Boards {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  async read(accountId: number): Promise<Board> {
    const sql = 'SELECT content, share FROM boards WHERE account_id = $accountId'
    const row = await this.#database.get(rowSchema, sql, { accountId })
    return row ? { content: boardBody.parse(JSON.parse(row.content)), share: row.share } : emptyBoard
  }

  async write(accountId: number, content: BoardContent): Promise<void> {
    await this.#database.run(
      `INSERT INTO boards (account_id, content, share) VALUES ($accountId, $content, NULL)
       ON CONFLICT (account_id) DO UPDATE SET content = excluded.content`,
      { accountId, content: JSON.stringify(content) },
    )
  }

  async share(accountId: number): Promise<void> {
    await this.#database.run(
      `INSERT INTO boards (account_id, content, share) VALUES ($accountId, $content, $share)
       ON CONFLICT (account_id) DO UPDATE SET share = excluded.share`,
      { accountId, content: JSON.stringify(emptyBoard.content), share: randomBytes(18).toString('base64url') },
    )
  }

  async unshare(accountId: number): Promise<void> {
    await this.#database.run('UPDATE boards SET share = NULL WHERE account_id = $accountId', { accountId })
  }

  async findShared(share: string): Promise<BoardContent | undefined> {
    const row = await this.#database.get(rowSchema, 'SELECT content, share FROM boards WHERE share = $share', {
      share,
    })
    return row && boardBody.parse(JSON.parse(row.content))
  }
}
