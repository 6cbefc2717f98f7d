import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type Client, clientOf, registrationSchema } from './client-metadata.ts'

/** Milliseconds after which a client is forgotten that nobody has connected, or whose connections have ended. */
const unusedFor = 86_400_000
const endedFor = 90 * 86_400_000
/** Without a connection, of all together. */
const mostUnused = 10_000

const rowSchema = z.object({ metadata: z.string() })

/** Clients that registered themselves (RFC 7591). Anybody may, so that what is not used does not stay. */
export class Clients {
  readonly #database: DatabaseSync
  readonly #mostUnused: number

  constructor(database: DatabaseSync, most = mostUnused) {
    this.#database = database
    this.#mostUnused = most
  }

  register(metadata: z.output<typeof registrationSchema>): Client {
    const now = Date.now()
    const id = `cl_${randomBytes(16).toString('hex')}`
    const withoutGrant = 'id NOT IN (SELECT client_id FROM oauth_grants)'
    this.#database
      .prepare(`DELETE FROM oauth_clients WHERE ${withoutGrant} AND coalesce(used_at + ?, created_at + ?) <= ?`)
      .run(endedFor, unusedFor, now)
    // Those that were used at some time go last.
    this.#database
      .prepare(
        `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE ${withoutGrant}
           ORDER BY used_at DESC NULLS LAST, rowid DESC LIMIT -1 OFFSET ?)`,
      )
      .run(this.#mostUnused - 1)
    const { client_name, redirect_uris, grant_types, response_types } = metadata
    this.#database
      .prepare('INSERT INTO oauth_clients (id, metadata, created_at) VALUES (?, ?, ?)')
      .run(id, JSON.stringify({ client_name, redirect_uris, grant_types, response_types }), now)
    return clientOf(id, metadata)
  }

  find(id: string): Client | undefined {
    const row = this.#database.prepare('SELECT metadata FROM oauth_clients WHERE id = ?').get(id)
    return row && clientOf(id, registrationSchema.parse(JSON.parse(rowSchema.parse(row).metadata)))
  }

  /** Notes that a user connects it. */
  noteUse(id: string): void {
    this.#database.prepare('UPDATE oauth_clients SET used_at = ? WHERE id = ?').run(Date.now(), id)
  }
}
