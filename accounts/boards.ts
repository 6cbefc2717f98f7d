import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type BoardContent, boardBody } from '#contract/accounts/board.ts'
import { insertion, jsonText, Store } from './database/statements.ts'

const boardSchema = z.object({ content: jsonText(boardBody), share: z.string().nullable() })

/** A user's charts; `share` is the token of their public link. */
export type Board = z.infer<typeof boardSchema>

const emptyBoard: Board = { content: { title: '', charts: [] }, share: null }

export class Boards extends Store {
  async read(accountId: number): Promise<Board> {
    const sql = 'SELECT content, share FROM boards WHERE account_id = $accountId'
    return (await this.database.get(boardSchema, sql, { accountId })) ?? emptyBoard
  }

  write(accountId: number, content: BoardContent): Promise<Board> {
    return this.#set(accountId, { content, share: null }, 'content')
  }

  share(accountId: number): Promise<Board> {
    return this.#set(accountId, { ...emptyBoard, share: randomBytes(18).toString('base64url') }, 'share')
  }

  async unshare(accountId: number): Promise<Board> {
    const sql = 'UPDATE boards SET share = NULL WHERE account_id = $accountId RETURNING content, share'
    return (await this.database.get(boardSchema, sql, { accountId })) ?? emptyBoard
  }

  /** Replaces the column or inserts the board. */
  async #set(accountId: number, { content, share }: Board, column: keyof Board): Promise<Board> {
    const row = { account_id: accountId, content: JSON.stringify(content), share }
    const replace = `ON CONFLICT (account_id) DO UPDATE SET ${column} = excluded.${column} RETURNING content, share`
    return (await this.database.get(boardSchema, insertion('boards', row, replace), row))!
  }

  async findShared(share: string): Promise<BoardContent | undefined> {
    const sql = 'SELECT content, share FROM boards WHERE share = $share'
    return (await this.database.get(boardSchema, sql, { share }))?.content
  }
}
