import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AccountsDatabase } from '#accounts/database/statements.ts'
import { Clients } from '#accounts/oauth/clients.ts'

export const metadata = {
  redirect_uris: ['https://app.example/callback'],
  client_name: 'App',
  grant_types: ['authorization_code'],
  response_types: ['code'],
}
const idSchema = z.object({ id: z.int() })

/** Tests for every database. */
export function testRegisteredClients(open: () => Promise<AccountsDatabase>): void {
  test('clients that registered are bounded, and forgotten when nobody connects them; those that are connected stay', async () => {
    const database = await open()
    const clients = new Clients(database, 3)
    const here = async (ids: readonly string[]) => {
      const known: string[] = []
      for (const id of ids) if (await clients.find(id)) known.push(id)
      return known
    }
    const register = async () => (await clients.register(metadata)).id
    const [connected, used, old] = [await register(), await register(), await register()]
    expect(await clients.find(used)).toEqual({
      id: used,
      name: 'App',
      redirectUris: ['https://app.example/callback'],
      mayRefresh: false,
    })
    await clients.recordUse(used)
    const sql = "INSERT INTO accounts (email, tier, created_at) VALUES ('client@example.org', 'pro', 0) RETURNING id"
    const account = (await database.get(idSchema, sql))!.id
    await database.run(
      `INSERT INTO oauth_grants (id, account_id, client_id, client_name, redirect_uri, resource, tier, may_refresh,
         code_hash, code_challenge, created_at, expires_at)
       VALUES ('app_1', $account, $connected, '', '', '', 'pro', 0, $hash, '', 0, 0)`,
      { account, connected, hash: Buffer.alloc(1) },
    )
    const [third, fourth] = [await register(), await register()]
    expect(await here([connected, used, old, third, fourth])).toEqual([connected, used, third, fourth])

    const day = 86_400_000
    await database.run(`UPDATE oauth_clients SET created_at = created_at - ${day}, used_at = used_at - ${89 * day}`)
    const fifth = await register()
    expect(await here([connected, used, third, fourth, fifth])).toEqual([connected, used, fifth])
    await database.run(`UPDATE oauth_clients SET used_at = used_at - ${day}`)
    // Expired clients are looked for once an hour, or when there are too many.
    await register()
    await register()
    expect(await here([connected, used])).toEqual([connected])
  })

  test('registered clients lose addresses that are no longer accepted', async () => {
    const database = await open()
    const clients = new Clients(database)
    const stored = async (...redirect_uris: string[]) => {
      const { id } = await clients.register(metadata)
      const text = JSON.stringify({ ...metadata, redirect_uris })
      await database.run('UPDATE oauth_clients SET metadata = $text WHERE id = $id', { text, id })
      return (await clients.find(id))?.redirectUris
    }
    expect(await stored('ms-settings:display', 'https://app.example/')).toEqual(['https://app.example/'])
    expect(await stored('ms-settings:display')).toBeUndefined()
  })
}
