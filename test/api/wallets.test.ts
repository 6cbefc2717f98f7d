import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '#accounts/commands.ts'
import { endpoints } from '#contract/endpoints.ts'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { writeIntact } from '#sql/intact-file.ts'
import { http } from '#test/mcp/support/clients.ts'
import { serveToolsApart } from '#test/mcp/support/tool-service.ts'
import { typicalCalls } from '#test/mcp/tools/typical-calls.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { bearer, serve, signIn, type TestServer, withoutLimits } from './support/test-server.ts'

const owner = 'owner@example.org'
/** Appears in nothing but the wallet. */
const secret = '31415926.53589793'
let chain: ServedChain
let dataDir: string

beforeAll(async () => {
  chain = await makeServedChain()
  ;({ dataDir } = chain)
  const folder = path.join(dataDir, 'wallets', 'savings')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const report = { name: 'savings', figures: [{ name: 'Balance', unit: 'BTC', mine: Number(secret), market: [] }] }
  writeIntact(path.join(folder, 'report'), [Buffer.from(JSON.stringify(report))])
  writeFileSync(path.join(folder, 'wallet.json'), secret)
})
afterAll(() => chain.remove())

const read = async (server: TestServer, headers: Record<string, string> = {}) => {
  const { hostname, port } = new URL(server.url)
  // `fetch` sends no Host of one's own.
  const sent = request({ hostname, port, path: paths.wallets, headers }).end()
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, caching: response.headers['cache-control'], body: await text(response) }
}

async function withServer(
  settings: Record<string, string>,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await serve(dataDir, { ...withoutLimits, ...settings })
  try {
    await work(server)
    expect(server.log()).not.toContain(secret)
  } finally {
    await server.close()
  }
}

const expectRefused = async (server: TestServer, headers: Record<string, string> = {}): Promise<void> => {
  const { status, caching, body } = await read(server, headers)
  expect(status, JSON.stringify(headers)).toBe(403)
  expect(caching).toContain('no-store')
  expect(body).not.toContain(secret)
}

describe.each(['open', 'tiered'])('ACCESS=%s', (ACCESS) => {
  test('a program or browser of this machine sees wallets, which nothing may cache', async () => {
    await withServer({ ACCESS }, async (server) => {
      const { status, caching, body } = await read(server)
      expect(status).toBe(200)
      expect(caching).toBe('private, no-store')
      expect(body).toContain(secret)
      expect((await read(server, { host: 'localhost' })).status).toBe(200)
      expect((await read(server, { host: '[::1]:3000' })).status).toBe(200)
    })
  })

  test('requests through a proxy, of other pages and under other names are refused', async () => {
    await withServer({ ACCESS }, async (server) => {
      const headers: Record<string, string>[] = [
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-forwarded-proto': 'https' },
        { forwarded: 'for=127.0.0.1' },
        { via: '1.1 proxy' },
        { 'x-real-ip': '127.0.0.1' },
        { 'cf-connecting-ip': '127.0.0.1' },
        { [forwardedAddressHeader]: 'proof 127.0.0.1' },
        { host: 'coins.example.org' },
        { host: 'umbrel.local' },
        { host: '192.168.1.2' },
        { host: '127.0.0.1.example.org' },
        { origin: 'https://example.org' },
        { 'sec-fetch-site': 'cross-site' },
      ]
      for (const each of headers) await expectRefused(server, each)
    })
  })

  test('a proxy that adds nothing speaks HTTP 1.0', async () => {
    await withServer({ ACCESS }, async (server) => {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${paths.wallets} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
      const answer = await text(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 403 /)
      expect(answer).not.toContain(secret)
    })
  })

  test.each([{ TRUST_PROXY: '1' }, { PUBLIC_URL: 'https://coins.example.org' }, { BASE_PATH: '/chain' }])(
    'behind a proxy that %o names, loopback is not enough',
    async (settings) => {
      const inside = 'PUBLIC_URL' in settings ? { PUBLIC_URL: settings.PUBLIC_URL } : {}
      const server = await serve(dataDir, { ...withoutLimits, ACCESS, ...settings }, inside)
      try {
        await expectRefused(server)
      } finally {
        await server.close()
      }
    },
  )
})

test('the account that the setting names sees wallets once it has signed in, and no other', async () => {
  const settings = { WALLETS_ACCOUNT: owner, TRUST_PROXY: '1' }
  await withServer(settings, async (server) => {
    const cookie = await signIn(server, dataDir, owner, 'enterprise')
    expect((await read(server, { cookie, 'x-forwarded-for': '192.0.2.1' })).body).toContain(secret)
    await expectRefused(server, { cookie, origin: 'https://example.org' })
    await expectRefused(server, { cookie: await signIn(server, dataDir, 'other@example.org', 'enterprise') })
    // Keys are for programs and assistants.
    await expectRefused(server, bearer((await createKey({ DATA_DIR: dataDir }, owner, 'test')).split('\n')[0]!))
    await expectRefused(server, {})
  })
  await withServer({ TRUST_PROXY: '1' }, async (server) => {
    await expectRefused(server, { cookie: await signIn(server, dataDir, 'third@example.org', 'enterprise') })
  })
})

test('no other endpoint or page answers with any part of it', async () => {
  await withServer({ ACCESS: 'open' }, async (server) => {
    const addresses = [
      ...Object.values(endpoints).map((endpoint) => endpoint.path),
      ...Object.values(paths).filter((address) => address !== paths.wallets && address !== paths.events),
      ...Object.values(pages),
      '/v1/tables/wallets.parquet',
      '/wallets/savings/report',
    ].map((address) => address.replaceAll(/\{\w+\}/g, 'savings'))
    for (const address of addresses) {
      const answer = await (await fetch(server.url + address)).text()
      expect(answer, address).not.toContain(secret)
      if (address !== pages.wallets && address !== paths.changelog) expect(answer, address).not.toContain('"savings"')
    }
    expect((await fetch(`${server.url}/v1/wallets`, { method: 'POST' })).status).toBe(405)
  })
})

test('no tool or resource for assistants, which ask from this machine, has any part of it', async () => {
  await withServer({ ACCESS: 'open' }, async (server) => {
    const tools = await serveToolsApart(server.url)
    const assistant = await http.connect({ url: server.url, toolUrl: tools.url })
    try {
      const answers: unknown[] = []
      for (const { name, inputSchema } of await assistant.tools()) {
        const [, given = {}] = typicalCalls.find(([tool]) => tool === name) ?? []
        answers.push(await assistant.call(name, given))
        for (const key of Object.keys(inputSchema.properties))
          answers.push(await assistant.call(name, { ...given, [key]: '../wallets' }))
      }
      for (const uri of await assistant.resourceNames())
        answers.push(await assistant.resource(uri.replaceAll(/\{\w+\}/g, '..%2Fwallets')).catch(String))
      expect(answers.length).toBeGreaterThan(100)
      expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${secret}|savings`))
    } finally {
      await assistant.close()
      await tools.close()
    }
  })
})

test('a damaged report is left out', async () => {
  const folder = path.join(dataDir, 'wallets', 'broken')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'report'), '{"name":"broken"}')
  await withServer({}, async (server) => expect((await read(server)).body).not.toContain('broken'))
  rmSync(folder, { recursive: true })
})
