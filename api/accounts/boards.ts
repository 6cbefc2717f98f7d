import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type BoardContent, boardBody } from '#contract/accounts/board.ts'

const rowSchema = z.object({ content: z.string(), share: z.string().nullable() })

/** The charts that a user keeps together; `share` is what whoever has it sees them by. */
export interface Board {
  readonly content: BoardContent
  readonly share: string | null
}

const empty: Board = { content: { title: '', charts: [] }, share: null }

/** One board for each account. */
export class Boards {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  read(accountId: number): Board {
    const row = this.#database.prepare('SELECT content, share FROM boards WHERE account_id = ?').get(accountId)
    if (!row) return empty
    const { content, share } = rowSchema.parse(row)
    return { content: boardBody.parse(JSON.parse(content)), share }
  }

  write(accountId: number, content: BoardContent): void {
    this.#database
      .prepare(
        `INSERT INTO boards (account_id, content, share) VALUES (?, ?, NULL)
         ON CONFLICT (account_id) DO UPDATE SET content = excluded.content`,
      )
      .run(accountId, JSON.stringify(content))
  }

  /** Begins to share the board, in place of an older share, which no longer holds. */
  share(accountId: number): void {
    const { content } = this.read(accountId)
    this.write(accountId, content)
    this.#database
      .prepare('UPDATE boards SET share = ? WHERE account_id = ?')
      .run(randomBytes(18).toString('base64url'), accountId)
  }

  unshare(accountId: number): void {
    this.#database.prepare('UPDATE boards SET share = NULL WHERE account_id = ?').run(accountId)
  }

  /** What is shared so; undefined for nothing. */
  shared(share: string): BoardContent | undefined {
    const row = this.#database.prepare('SELECT content, share FROM boards WHERE share = ?').get(share)
    return row && boardBody.parse(JSON.parse(rowSchema.parse(row).content))
  }
}
