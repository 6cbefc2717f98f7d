import { request } from 'node:http'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { keyOf, temporaryDataDir } from '#test/api/support/test-server.ts'
import { type Assistant, http } from '../support/clients.ts'
import { secret, serveTools, serveToolsApart, type ToolService } from '../support/tool-service.ts'

const data = temporaryDataDir()
let service: ToolService
const open: Assistant[] = []

beforeAll(async () => {
  await publishSmallGeneration(data.dataDir)
  service = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '20' }, { allowedOrigins: ['assistant.example'] })
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((assistant) => assistant.close()))
})

afterAll(async () => {
  await service?.close()
  data.remove()
})

async function connect(key?: string, to: { url: string; toolUrl: string } = service): Promise<Assistant> {
  const assistant = await http.connect(to, key)
  open.push(assistant)
  return assistant
}

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

const createBatch = (length: number): string =>
  JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })))

/** Sends a request with headers that fetch would not send. */
function post(url: string, headers: Record<string, string>, body = listTools, method = 'POST') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const sent = request(url, { method, headers: { ...jsonHeaders, ...headers } }, (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('who may call', () => {
  test('a page of another site is refused, as DNS rebinding would send it', async () => {
    expect((await post(service.toolUrl, { Origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(service.toolUrl, { Origin: 'null' })).status).toBe(403)
    expect((await post(service.toolUrl, { Host: 'evil.example' })).status).toBe(403)
    expect((await post(service.toolUrl, { Host: 'evil.example', Origin: 'http://evil.example' })).status).toBe(403)
  })

  test('programs, local pages and pages that are allowed are served', async () => {
    expect((await post(service.toolUrl, {})).status).toBe(200)
    expect((await post(service.toolUrl, { Origin: 'http://localhost:6274' })).status).toBe(200)
    const allowed = await post(service.toolUrl, { Origin: 'https://assistant.example' })
    expect(allowed.status).toBe(200)
    expect(allowed.headers['access-control-allow-origin']).toBe('https://assistant.example')
  })

  test('a page may ask first, and is told what it may send', async () => {
    const origin = 'https://assistant.example'
    const { status, headers } = await post(service.toolUrl, { Origin: origin }, '', 'OPTIONS')
    expect(status).toBe(204)
    expect(headers['access-control-allow-headers']).toContain('Authorization')
    expect((await post(service.toolUrl, { Origin: 'https://evil.example' }, '', 'OPTIONS')).status).toBe(403)
  })

  test('off loopback, hosts are checked where they are named; a public address counts as named', async () => {
    const publicUrl = 'https://chain.example'
    const named = await serveToolsApart(service.url, { host: '0.0.0.0', publicUrl, allowedHosts: ['10.0.0.7'] })
    try {
      const url = named.url.replace('0.0.0.0', '127.0.0.1')
      expect((await post(url, { Host: 'chain.example' })).status).toBe(200)
      expect((await post(url, { Host: '10.0.0.7:3000', Origin: publicUrl })).status).toBe(200)
      expect((await post(url, { Host: 'other.example' })).status).toBe(403)
      expect((await post(url, { Host: 'chain.example', Origin: 'https://other.example' })).status).toBe(403)
    } finally {
      await named.close()
    }
  })
})

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_categories', arguments: null } }

describe('sloppy clients are answered', () => {
  test.each(['application/json', '*/*', 'text/plain', ''])('with JSON if they accept "%s"', async (accept) => {
    for (const body of [listTools, JSON.stringify(call)]) {
      const answer = await post(service.toolUrl, { Accept: accept }, body)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
      expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} })
    }
  })

  test('with params, a cursor or arguments of null', async () => {
    for (const params of [null, { cursor: null }, { cursor: null, _meta: null }]) {
      const { status, body } = await post(
        service.toolUrl,
        { Accept: 'application/json' },
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
      )
      expect([status, JSON.parse(body).result?.tools.length > 19]).toEqual([200, true])
    }
  })
})

describe('what is refused', () => {
  test('a body that stops in the middle, on the port of the tools alone', { timeout: 10_000 }, async () => {
    const apart = await serveToolsApart(service.url, { idleTimeoutMs: 300 })
    try {
      const { hostname, port, pathname } = new URL(apart.url)
      const socket = net.connect(Number(port), hostname)
      const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n`
      socket.write(`${head}Content-Length: 100\r\n\r\n{"jsonrpc":`)
      expect(await text(socket)).toBe('')
    } finally {
      await apart.close()
    }
  })

  test('is in the log, with its reason', async () => {
    const lines: string[] = []
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
    const apart = await serveToolsApart(service.url, { log, requestsPerMinute: 1 })
    try {
      expect((await post(apart.url, { Authorization: 'Bearer cst_unknown' })).status).toBe(401)
      expect((await post(apart.url, {}, '{')).status).toBe(400)
      for (let i = 0; i < 2; i++) await post(apart.url, {})
      expect((await post(apart.url, {})).status).toBe(429)
      for (const reason of ['access tokens are for', 'the body is not JSON', 'more than 3 messages'])
        expect(lines.filter((line) => line.includes('tool request refused') && line.includes(reason))).toHaveLength(1)
    } finally {
      await apart.close()
    }
  })

  test('sessions, which there are none of', async () => {
    expect((await post(service.toolUrl, {}, '', 'GET')).status).toBe(405)
    expect((await post(service.toolUrl, {}, '', 'DELETE')).status).toBe(405)
  })

  test('bodies that go too deep, in whatever part', async () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    for (const body of [
      deep(100_000),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":${deep(5_000)}}}`,
    ]) {
      expect((await post(service.toolUrl, {}, body)).status).toBe(400)
    }
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { _meta: { text: `\\"${'['.repeat(500)}` } },
    })
    expect((await post(service.toolUrl, {}, text)).status).toBe(200)
    expect(service.log()).toBe('')
  })

  test('bodies that are too large, no JSON, or no message', async () => {
    expect((await post(service.toolUrl, {}, JSON.stringify({ long: 'x'.repeat(300_000) }))).status).toBe(413)
    const noJson = await post(service.toolUrl, {}, 'no json')
    expect([noJson.status, JSON.parse(noJson.body)]).toMatchObject([400, { id: null, error: { code: -32_700 } }])
    expect((await post(service.toolUrl, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await post(service.toolUrl, {}, '{"jsonrpc":"2.0"}')).status).toBe(400)
    expect(service.log()).toBe('')
  })

  test('batches of more than five messages, since a batch is answered at once', async () => {
    const { status, body } = await post(service.toolUrl, {}, createBatch(6))
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringMatching(/6 messages.*at most 5/) },
    })
  })

  test('unknown tools, by an error of the protocol', async () => {
    await expect((await connect()).call('get_rich')).rejects.toThrow('get_rich')
  })
})

describe('keys, tiers and limits', () => {
  test('each caller sees what its own key allows, also where another has just asked the same', async () => {
    const pro = await connect(await keyOf(data.dataDir, 'pro'))
    const demo = await connect()
    // An invalid key is refused before any tool runs, and is never treated as no key.
    await expect(connect('cs_000000000000_0')).rejects.toThrow('401')
    const question = ['get_series', { metrics: ['price', 'secret_price'], days: 400 }] as const
    for (const _ of [1, 2]) {
      const all = await pro.ask(...question)
      expect(all).toMatchObject({ columns: ['date', 'price', 'secret_price'], row_count: 390 })
      expect(all.notes).toBeUndefined()
      const some = await demo.ask(...question)
      expect(some).toMatchObject({ columns: ['date', 'price'], row_count: 60 })
      expect(JSON.stringify(some.notes)).toContain('tier pro: secret_price')
      expect(JSON.stringify(some.notes)).toContain('sees days from 2023-12-07 on')
    }
    expect(await demo.fail('get_holder_profit', { fields: ['nupl'] })).toMatch(
      /\[missing_api_key\][\s\S]*tier pro or higher/,
    )
    expect(await demo.fail('get_cost_basis')).toContain('tier enterprise')
  })

  test('callers without a key are counted apart, by their own addresses, and told when to come back', async () => {
    const own = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' })
    try {
      const from = async (address: string, extra: Record<string, string> = {}): Promise<string> => {
        const call = { name: 'get_cycle_boundaries', arguments: {} }
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
        return (await post(own.toolUrl, { 'X-Forwarded-For': address, ...extra }, body)).body
      }
      for (const _ of [1, 2, 3]) expect(await from('203.0.113.1')).not.toContain('rate_limited')
      const refused = await from('203.0.113.1')
      expect(refused).toContain('[rate_limited]')
      expect(refused).toMatch(/wait \d+ seconds/)
      // Callers cannot set a header that is reserved for the tool server.
      const forged = { 'x-coinstrata-forwarded-for': `${secret} 198.51.100.9` }
      expect(await from('203.0.113.1', forged)).toContain('[rate_limited]')
      expect(await from('203.0.113.2')).not.toContain('rate_limited')
    } finally {
      await own.close()
    }
  })

  test('connecting and listing are bounded for each caller on its own, whatever keys are made up', async () => {
    const own = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '2', TRUST_PROXY: '1' })
    try {
      const from = (address: string, key?: string) =>
        post(own.toolUrl, {
          'X-Forwarded-For': address,
          Origin: 'http://localhost:6274',
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        })
      const accepted = async (times: number, address: string, keys: readonly string[] = []): Promise<number> => {
        const sent = Array.from({ length: times }, (_, i) => from(address, keys[i % keys.length]))
        const statuses = (await Promise.all(sent)).map(({ status }) => status)
        const answered = keys.includes('made-up') ? 401 : 200
        expect(new Set([...statuses, answered, 429]).size).toBe(2)
        return statuses.filter((status) => status === answered).length
      }
      expect(await accepted(8, '203.0.113.1')).toBe(6)
      const { status, headers, body } = await from('203.0.113.1')
      expect(status).toBe(429)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
      expect(headers['access-control-expose-headers']).toBe('Retry-After, WWW-Authenticate')
      expect(JSON.parse(body)).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { message: expect.stringMatching(/^more than 6 messages .* try again in \d+ seconds$/) },
      })
      expect(await accepted(2, '203.0.113.1', ['made-up', 'another'])).toBe(0)
      expect(await accepted(8, '203.0.113.2', ['made-up', 'another'])).toBe(6)
      const real = [await keyOf(data.dataDir, 'pro', 'one@example.org')]
      expect(await accepted(7, '203.0.113.1', real)).toBe(6)
      expect(await accepted(1, '203.0.113.1', [await keyOf(data.dataDir, 'pro', 'other@example.org')])).toBe(1)
    } finally {
      await own.close()
    }
  })

  test('each message of a batch counts, whatever the body is said to be', async () => {
    const own = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '4', TRUST_PROXY: '1' })
    try {
      const from = (address: string, body: string, type = 'application/json') =>
        post(own.toolUrl, { 'X-Forwarded-For': address, 'Content-Type': type }, body)
      const first = await from('203.0.113.1', createBatch(5))
      expect(first.status).toBe(200)
      expect(first.body.match(/"result"/g)).toHaveLength(5)
      expect(first.headers.ratelimit).toMatch(/^[^,]*r=7;[^,]*$/)
      expect((await from('203.0.113.1', createBatch(5), 'text/plain')).status).toBe(415)
      expect((await from('203.0.113.1', createBatch(2))).headers.ratelimit).toMatch(/^[^,]*r=0;[^,]*$/)
      expect((await from('203.0.113.1', createBatch(1))).status).toBe(429)

      // 12 messages are allowed: two batches of 5 and, of a third, the first two messages.
      const sent = Array.from({ length: 4 }, () => from('203.0.113.2', createBatch(5)))
      expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 200, 429, 429])
      const { headers, body } = await from('203.0.113.2', createBatch(5))
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(JSON.parse(body).error.message).toMatch(/^more than 12 messages .* try again in \d+ seconds$/)
    } finally {
      await own.close()
    }
  })

  test('on a port of their own they are bounded, too, and where everything is open they are not', async () => {
    const apart = await serveToolsApart(service.url, { requestsPerMinute: 1 })
    const open = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '2', ACCESS: 'open' })
    try {
      const statuses = async (url: string, times: number, key?: string) => {
        const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
        const sent = Array.from({ length: times }, () => post(url, headers))
        return (await Promise.all(sent)).map(({ status }) => status).sort()
      }
      expect(await statuses(apart.url, 4, 'one')).toEqual([200, 200, 200, 429])
      expect(await statuses(apart.url, 1, 'other')).toEqual([200])
      const call = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_metrics', arguments: {} },
      })
      const { body } = await post(apart.url, { Authorization: 'Bearer third' }, call)
      expect(body).toMatch(/\[invalid_api_key\].*COINSTRATA_API_KEY/)
      // This server cannot check keys, but access tokens are issued for another address.
      expect(await statuses(apart.url, 1, 'cst_token')).toEqual([401])
      expect(new Set(await statuses(open.toolUrl, 20))).toEqual(new Set([200]))
    } finally {
      await apart.close()
      await open.close()
    }
  })

  test('the API takes no other address from those who do not know the secret', async () => {
    const own = await serveTools(data.dataDir, { REQUESTS_PER_MINUTE: '2' })
    try {
      const from = async (header: string): Promise<number> =>
        (await fetch(`${own.url}/v1/prices?limit=1`, { headers: { 'x-coinstrata-forwarded-for': header } })).status
      expect(await from('guessed 203.0.113.1')).toBe(200)
      expect(await from('203.0.113.2')).toBe(200)
      expect(await from(`${secret.toUpperCase()} 203.0.113.3`)).toBe(429)
      expect(await from(`${secret} no-address`)).toBe(429)
      expect(await from(`${secret} 203.0.113.4`)).toBe(200)
      expect(await from(`${secret} 2001:db8::1`)).toBe(200)
    } finally {
      await own.close()
    }
  })
})

test('a tool server of its own port works like the mounted one', async () => {
  const own = await serveToolsApart(service.url, { secret })
  try {
    const assistant = await connect(undefined, { url: service.url, toolUrl: own.url })
    expect(await assistant.ask('get_status')).toMatchObject({ generation: expect.any(String) })
    const port = Number(new URL(own.url).port)
    await expect(serveToolsApart(service.url, { port })).rejects.toThrow('cannot listen')
  } finally {
    await own.close()
  }
})
