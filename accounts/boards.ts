import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type BoardContent, boardBody } from '#contract/accounts/board.ts'
import { insertRow, Store } from './database/statements.ts'

const rowSchema = z.object({ content: z.string(), share: z.string().nullable() })

/** A user's collection of charts; `share` is the token of its public link. */
export interface Board {
  readonly content: BoardContent
  readonly share: string | null
}

const emptyBoard: Board = { content: { title: '', charts: [] }, share: null }

export class Boards extends Store {
  async read(accountId: number): Promise<Board> {
    const sql = 'SELECT content, share FROM boards WHERE account_id = $accountId'
    const row = await this.database.get(rowSchema, sql, { accountId })
    return row ? { content: boardBody.parse(JSON.parse(row.content)), share: row.share } : emptyBoard
  }

  async write(accountId: number, content: BoardContent): Promise<void> {
    const board = { account_id: accountId, content: JSON.stringify(content), share: null }
    const replace = 'ON CONFLICT (account_id) DO UPDATE SET content = excluded.content'
    await insertRow(this.database, 'boards', board, replace)
  }

  async share(accountId: number): Promise<void> {
    const share = randomBytes(18).toString('base64url')
    const board = { account_id: accountId, content: JSON.stringify(emptyBoard.content), share }
    await insertRow(this.database, 'boards', board, 'ON CONFLICT (account_id) DO UPDATE SET share = excluded.share')
  }

  async unshare(accountId: number): Promise<void> {
    await this.database.run('UPDATE boards SET share = NULL WHERE account_id = $accountId', { accountId })
  }

  async findShared(share: string): Promise<BoardContent | undefined> {
    const sql = 'SELECT content, share FROM boards WHERE share = $share'
    const row = await this.database.get(rowSchema, sql, { share })
    return row && boardBody.parse(JSON.parse(row.content))
  }
}
