import { createServer, type RequestListener, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SqliteAccounts } from '#api/accounts/sqlite.ts'
import { ClientDocuments } from '#api/oauth/client-documents.ts'
import { Clients } from '#api/oauth/clients.ts'
import { anyTargets, publicTargets } from '#api/webhooks/target.ts'
import { temporaryDataDir } from '#test/api/support/test-server.ts'
import { listen } from '#test/support/listen.ts'

const metadata = {
  redirect_uris: ['https://app.example/callback'],
  client_name: 'App',
  grant_types: ['authorization_code'],
  response_types: ['code'],
}

describe('clients that registered', () => {
  const data = temporaryDataDir()
  afterAll(data.remove)

  test('are bounded, and forgotten when nobody connects them; those that are connected stay', async () => {
    const database = SqliteAccounts.open(data.dataDir)
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
    await clients.noteUse(used)
    await database.run("INSERT INTO accounts (email, tier, created_at) VALUES ('a@example.org', 'pro', 0)")
    await database.run(
      `INSERT INTO oauth_grants (id, account_id, client_id, client_name, redirect_uri, resource, tier, may_refresh,
         code_hash, code_challenge, created_at, expires_at)
       VALUES ('app_1', 1, $connected, '', '', '', 'pro', 0, $hash, '', 0, 0)`,
      { connected, hash: Buffer.alloc(1) },
    )
    const [third, fourth] = [await register(), await register()]
    expect(await here([connected, used, old, third, fourth])).toEqual([connected, used, third, fourth])

    const day = 86_400_000
    await database.run(`UPDATE oauth_clients SET created_at = created_at - ${day}, used_at = used_at - ${89 * day}`)
    const fifth = await register()
    expect(await here([connected, used, third, fourth, fifth])).toEqual([connected, used, fifth])
    await database.run(`UPDATE oauth_clients SET used_at = used_at - ${day}`)
    await register()
    expect(await here([connected, used])).toEqual([connected])
    await database.close()
  })
})

describe('documents that clients publish', () => {
  let server: Server
  let origin = ''
  let asked = 0
  const answers: Record<string, RequestListener> = {
    '/chatgpt.json': (_, response) => {
      asked++
      // As one large assistant has it: signed assertions where the server knows them, else none.
      response.end(
        JSON.stringify({
          ...metadata,
          client_id: `${origin}/chatgpt.json`,
          client_name: 'ChatGPT',
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
          jwks_uri: 'https://app.example/jwks.json',
        }),
      )
    },
    '/other.json': (_, response) => response.end(JSON.stringify({ ...metadata, client_id: `${origin}/another.json` })),
    '/secret.json': (_, response) =>
      response.end(
        JSON.stringify({
          ...metadata,
          client_id: `${origin}/secret.json`,
          token_endpoint_auth_method: 'client_secret_basic',
        }),
      ),
    '/moved.json': (_, response) => response.writeHead(302, { location: '/chatgpt.json' }).end(),
    '/missing.json': (_, response) => response.writeHead(404).end(),
    '/text.json': (_, response) => response.end('no JSON'),
    '/large.json': (_, response) => response.end(JSON.stringify({ ...metadata, filling: 'x'.repeat(17_000) })),
  }

  beforeAll(async () => {
    server = createServer((request, response) => answers[request.url ?? '']?.(request, response))
    origin = await listen(server)
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  test('say what clients are, and are asked for once', async () => {
    const documents = new ClientDocuments(anyTargets)
    const expected = {
      id: `${origin}/chatgpt.json`,
      name: 'ChatGPT',
      redirectUris: ['https://app.example/callback'],
      mayRefresh: true,
    }
    expect(await documents.find(`${origin}/chatgpt.json`)).toEqual(expected)
    expect(await documents.find(`${origin}/chatgpt.json`)).toEqual(expected)
    expect(asked).toBe(1)
  })

  test.each([
    ['/other.json', 'another client_id'],
    ['/secret.json', 'token_endpoint_auth_method must be none'],
    ['/moved.json', 'answered 302'],
    ['/missing.json', 'answered 404'],
    ['/text.json', 'not JSON'],
    ['/large.json', 'more than 16384 bytes'],
    ['/', 'must be an address with a path'],
    ['/a/../chatgpt.json', 'must be an address with a path'],
    ['/chatgpt.json#part', 'must be an address with a path'],
  ])('%s is refused', async (path, problem) => {
    await expect(new ClientDocuments(anyTargets).find(origin + path)).rejects.toThrow(problem)
  })

  test('are never fetched from within', async () => {
    const documents = new ClientDocuments(publicTargets)
    const port = new URL(origin).port
    for (const [address, problem] of [
      [`${origin}/chatgpt.json`, 'must begin with https:'],
      [`https://127.0.0.1:${port}/chatgpt.json`, 'public address'],
      ['https://[::ffff:7f00:1]/a', 'public address'],
      ['https://169.254.169.254/latest/meta-data', 'public address'],
      ['https://user@app.example/a', 'user or a password'],
      ['https://app.example:22/a', 'port 443'],
    ] as const) {
      await expect(documents.find(address), address).rejects.toThrow(problem)
    }
    const rebound = { ...publicTargets, resolve: async () => [{ address: '10.0.0.1', family: 4 }] }
    await expect(new ClientDocuments(rebound).find('https://app.example/a')).rejects.toThrow('no public address')
    expect(asked).toBe(1)
  })
})
