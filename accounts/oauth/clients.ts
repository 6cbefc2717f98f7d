import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type AccountsDatabase, countRows, insertRow, Store } from '../database/statements.ts'
import { type Client, createClient, registrationSchema } from './client-metadata.ts'

/** Retention of clients that were never connected, and of those whose grants have all ended. */
const unusedLifetimeMs = 86_400_000
const endedLifetimeMs = 90 * 86_400_000
const maxUnused = 10_000
/** Finding expired clients reads all. */
const cleanIntervalMs = 3_600_000

const rowSchema = z.object({ metadata: z.string() })

/**
 * Clients that registered themselves (RFC 7591). Anybody can register, so unused clients are
 * deleted.
 */
export class Clients extends Store {
  readonly #maxUnused: number
  #cleanAt = 0

  constructor(database: AccountsDatabase, max = maxUnused) {
    super(database)
    this.#maxUnused = max
  }

  async register(metadata: z.output<typeof registrationSchema>): Promise<Client> {
    const now = Date.now()
    const id = `cl_${randomBytes(16).toString('hex')}`
    const withoutGrant = 'id NOT IN (SELECT client_id FROM oauth_grants)'
    const { client_name, redirect_uris, grant_types, response_types } = metadata
    await this.database.transaction(async (statements) => {
      const countUnused = () => countRows(statements, `oauth_clients WHERE ${withoutGrant}`)
      let count = await countUnused()
      if (count >= this.#maxUnused || now >= this.#cleanAt) {
        this.#cleanAt = now + cleanIntervalMs
        await statements.run(
          `DELETE FROM oauth_clients WHERE coalesce(used_at + ${endedLifetimeMs}, created_at + ${unusedLifetimeMs}) <= $now AND ${withoutGrant}`,
          { now },
        )
        count = await countUnused()
      }
      // Several at a time, because finding the oldest sorts all. Once connected ones are last.
      if (count >= this.#maxUnused) {
        await statements.run(
          `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE ${withoutGrant}
             ORDER BY used_at NULLS FIRST, rowid LIMIT $excess)`,
          { excess: count - this.#maxUnused + Math.ceil(this.#maxUnused / 100) },
        )
      }
      const stored = JSON.stringify({ client_name, redirect_uris, grant_types, response_types })
      await insertRow(statements, 'oauth_clients', { id, metadata: stored, created_at: now })
    })
    return createClient(id, metadata)
  }

  async find(id: string): Promise<Client | undefined> {
    const row = await this.database.get(rowSchema, 'SELECT metadata FROM oauth_clients WHERE id = $id', { id })
    // An address accepted at registration may be refused now.
    const metadata = row && registrationSchema.safeParse(JSON.parse(row.metadata)).data
    return metadata && createClient(id, metadata)
  }

  async recordUse(id: string): Promise<void> {
    await this.database.run('UPDATE oauth_clients SET used_at = $now WHERE id = $id', { now: Date.now(), id })
  }
}
