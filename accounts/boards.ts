import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type BoardContent, boardBody } from '#contract/accounts/board.ts'
import type { AccountsDatabase } from './database/statements.ts'

const rowSchema = z.object({ content: z.string(), share: z.string().nullable() })

/** The charts that a user keeps together; `share` is what whoever has it sees them by. */
export interface Board {
  readonly content: BoardContent
  readonly share: string | null
}

const emptyBoard: Board = { content: { title: '', charts: [] }, share: null }

/** One board for each account. */
export class Boards {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  async read(accountId: number): Promise<Board> {
    const row = await this.#database.get('SELECT content, share FROM boards WHERE account_id = $accountId', {
      accountId,
    })
    if (row === undefined) return emptyBoard
    const { content, share } = rowSchema.parse(row)
    return { content: boardBody.parse(JSON.parse(content)), share }
  }

  async write(accountId: number, content: BoardContent): Promise<void> {
    await this.#database.run(
      `INSERT INTO boards (account_id, content, share) VALUES ($accountId, $content, NULL)
       ON CONFLICT (account_id) DO UPDATE SET content = excluded.content`,
      { accountId, content: JSON.stringify(content) },
    )
  }

  /** Begins to share the board, in place of an older share, which no longer holds. */
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

  /** What is shared so; undefined for nothing. */
  async findShared(share: string): Promise<BoardContent | undefined> {
    const row = await this.#database.get('SELECT content, share FROM boards WHERE share = $share', { share })
    return row === undefined ? undefined : boardBody.parse(JSON.parse(rowSchema.parse(row).content))
  }
}
