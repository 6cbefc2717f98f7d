import { createServer, type RequestListener, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientDocuments } from '#accounts/oauth/client-documents.ts'
import { anyTargets, publicTargets } from '#accounts/webhooks/target.ts'
import { listen } from '../../support/listen.ts'
import { metadata } from './registered-clients.ts'

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
