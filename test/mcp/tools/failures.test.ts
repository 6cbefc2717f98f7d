import type { IncomingMessage, ServerResponse } from 'node:http'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CatalogueReader } from '#mcp/client/catalogue.ts'
import { AnswerCache, RestClient } from '#mcp/client/rest.ts'
import { ToolError } from '#mcp/client/tool-error.ts'
import { defineTool } from '#mcp/tools/tool.ts'
import { createShared } from '#mcp/transport/server.ts'
import { runStdio } from '#mcp/transport/stdio.ts'
import { type FakeApi, failure, fakeApi, success } from '../support/fake-api.ts'
import { serveToolsApart } from '../support/tool-service.ts'

const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function api(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<FakeApi> {
  const fake = await fakeApi(answer)
  opened.push(fake)
  return fake
}

const createClient = ({ url }: { url: string }): RestClient =>
  new RestClient(url, { authorization: undefined, forwarded: undefined })
const never = new AbortController().signal
const anything = z.unknown()

test('a long answer is parsed as in one piece, whatever stands between its rows', async () => {
  const row = (i: number) => ({
    i,
    text: i % 2 === 0 ? '"},{"' : '},{',
    inner: i % 3 === 0 ? [{ a: 1 }, { b: 2 }] : null,
  })
  const plain = Array.from({ length: 20_000 }, (_, i) => ({ i, name: `"${i}"`, value: i / 7 }))
  const odd = Array.from({ length: 20_000 }, (_, i) => row(i))
  for (const data of [plain, odd, [...plain, ...odd], [], [{ i: 1 }]]) {
    const fake = await api((_, response) => response.end(success(data)))
    const read = await createClient(fake).rows('/v1/long', anything, never)
    expect(read.data).toEqual(data)
    expect(read.meta.generation).toBe('g1')
  }
  const cut = await api((_, response) => response.end(success(plain).slice(0, -1000)))
  expect(await readFailure(createClient(cut).rows('/v1/long', anything, never))).toContain('is no JSON')
})

test('answers of an API on the same machine are not compressed', async () => {
  const accepted: unknown[] = []
  const fake = await api(({ headers }, response) => {
    accepted.push(headers['accept-encoding'])
    response.end(success([]))
  })
  for (const url of [fake.url, fake.url.replace('127.0.0.1', 'localhost')])
    await createClient({ url }).rows('/v1/prices', anything, never)
  expect(accepted).toEqual(['identity', 'identity'])
})

/** Returns the message of the ToolError that a promise must fail with. */
async function readFailure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ToolError) return error.message
  throw new Error(`no ToolError but ${error}`)
}

describe('requests to the API', () => {
  test('are tried again, three times in all, where the status may pass', async () => {
    const triesAfter = async (status: number) => {
      const headers = status === 429 ? { 'Retry-After': '17' } : {}
      const fake = await api((_, response) =>
        response.writeHead(status, headers).end(failure('internal', 'out of order')),
      )
      expect(await readFailure(createClient(fake).get('/v1/x', anything, never))).toContain('out of order')
      return [status, fake.requests.length]
    }
    // At once, because each waits between its tries.
    expect(await Promise.all([500, 502, 503, 504, 400, 404, 429].map(triesAfter))).toEqual([
      [500, 3],
      [502, 3],
      [503, 3],
      [504, 3],
      [400, 1],
      [404, 1],
      [429, 1],
    ])
  })

  test('what passes by itself is not noticed', async () => {
    let count = 0
    const fake = await api((_, response) => {
      count++
      if (count === 1) response.destroy()
      else if (count === 2) response.writeHead(503).end('<html>')
      else response.end('{"fine":true}')
    })
    expect(await createClient(fake).get('/v1/x', anything, never)).toEqual({ fine: true })
  })

  test('refusals are passed on with their cure', async () => {
    const explain = async (status: number, body: string): Promise<string> => {
      const headers = status === 429 ? { 'Retry-After': '17' } : {}
      const fake = await api((_, response) => response.writeHead(status, headers).end(body))
      return readFailure(createClient(fake).get('/v1/x', anything, never))
    }
    const refused = (status: number, code: string, message: string, details: object) =>
      explain(status, failure(code, message, { error: { code, message, details } }))
    expect(await refused(429, 'rate_limited', 'too many', { retry_after: 17 })).toMatch(
      /^too many \[rate_limited\]\nWhat to do: wait 17 seconds/,
    )
    expect(await refused(429, 'quota_exceeded', 'no more', { retry_after: 99 })).toContain('in 99 seconds')
    expect(await refused(429, 'budget_exceeded', 'too much', { retry_after: 9 })).toMatch(
      /^too much \[budget_exceeded\]\nWhat to do: wait 9 seconds, then ask for less at a time/,
    )
    const needed = 'enterprise'
    expect(await refused(401, 'missing_api_key', 'm', { needed })).toContain('key of tier enterprise;')
    expect(await refused(403, 'insufficient_tier', 'm', { needed })).toMatch(/only the operator .* tier enterprise$/)
    expect(await refused(401, 'invalid_api_key', 'unknown key', {})).toMatch(
      /^unknown key \(asked at http:\/\/127\.0\.0\.1:\d+\) \[invalid_api_key\]\nWhat to do: check that COINSTRATA_URL/,
    )
    const allowed = ['mvrv_ratio', 'nupl', 'price_vs_realized', 'price', 'hodl_waves']
    const unknown = "there is no template 'price_vs_realised'. There are five"
    const closest = await refused(404, 'not_found', unknown, { parameter: 'template', allowed })
    expect(closest).toMatch(
      /^there is no template 'price_vs_realised' \[not_found\]\nWhat to do: use one such as price_vs_realized, price, /,
    )
    expect(closest).not.toContain('hodl_waves')
    expect(await explain(400, failure('invalid_parameter', "parameter 'days' is wrong"))).toBe(
      "parameter 'days' is wrong [invalid_parameter]",
    )
    expect(await explain(404, '<html>')).toContain('check that COINSTRATA_URL')
  })

  test('an answer that is something else is named', async () => {
    const fake = await api((_, response) => response.end('{"count":"1"}'))
    expect(await readFailure(createClient(fake).get('/v1/x', z.object({ count: z.number() }), never))).toMatch(
      /answer to \/v1\/x has an unexpected value at count/,
    )
    const page = await api((_, response) => response.end('<html>'))
    expect(await readFailure(createClient(page).get('/v1/x', anything, never))).toContain('is no JSON')
  })

  test('an API that is not there, or does not answer in time, is told as such', async () => {
    const gone = await fakeApi(() => {})
    await gone.close()
    expect(await readFailure(createClient(gone).get('/v1/x', anything, never))).toMatch(
      /cannot be reached: .*ECONNREFUSED/,
    )
    const silent = await api(() => {})
    expect(await readFailure(createClient(silent).send('/v1/x', never, { timeoutMs: 500 }))).toBe(
      'the API did not answer within 0.5 seconds\nWhat to do: ask for less, or try again later',
    )
    expect(silent.requests).toHaveLength(1)
  })

  test('a key is not carried to where an API redirects', async () => {
    const fake = await api((_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end())
    expect(await readFailure(createClient(fake).get('/v1/x', anything, never))).toContain('redirect')
  })

  test('only answers that the API calls unchanged are taken from the cache', async () => {
    const tags = ['"a"', '"a"', '"b"', '"a"']
    const sent: number[] = []
    const fake = await api((request, response) => {
      const tag = tags[sent.length]!
      const isKnown = request.headers['if-none-match']?.split(', ').includes(tag) ?? false
      sent.push(isKnown ? 304 : 200)
      response.writeHead(isKnown ? 304 : 200, { ETag: tag })
      response.end(isKnown ? undefined : success([{ tag }]))
    })
    const cache = new AnswerCache<{ tag: unknown }>()
    const row = z.object({ tag: z.string() })
    const read = () => createClient(fake).cachedRows('/v1/x', row, ({ data }) => data[0]!, cache, never)
    for (const tag of tags) expect(await read()).toEqual({ tag })
    expect(sent).toEqual([200, 304, 200, 304])
  })
})

async function connect(baseUrl: string): Promise<Client> {
  const server = await serveToolsApart(baseUrl)
  opened.push(server)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  opened.push(client)
  return client
}

describe('calls of tools', () => {
  // Without cancelling, the request would end after 30 seconds.
  test('a call that is cancelled ends the request to the API', { timeout: 20_000 }, async () => {
    const closed = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const fake = await api((request) => {
      request.socket.once('close', closed.resolve)
      arrived.resolve()
    })
    const client = await connect(fake.url)
    const abort = new AbortController()
    const call = client.callTool({ name: 'get_categories', arguments: {} }, { signal: abort.signal })
    await arrived.promise
    abort.abort()
    await expect(call).rejects.toThrow()
    await closed.promise
    expect(fake.requests).toHaveLength(1)
  })

  test('a defect of the tool server is not told but logged', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const broken = defineTool({
      name: 'broken',
      title: 'Broken',
      description: 'Fails.',
      input: z.object({}),
      output: z.object({}),
      run: () => Promise.reject(new Error('the innards')),
    })
    const server = new McpServer({ name: 'test', version: '1' })
    const shared = { ...createShared(log), publicUrl: '' }
    broken.register(server, { ...shared, rest: createClient({ url: 'http://127.0.0.1:1' }) })
    const [one, other] = InMemoryTransport.createLinkedPair()
    await server.connect(other)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(one)
    opened.push(client)
    const { isError, content } = await client.callTool({ name: 'broken', arguments: {} })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain('failed because of a defect')
    expect(JSON.stringify(content)).not.toContain('innards')
    expect(lines.join()).toContain('the innards')
  })
})

test('over stdio, addresses and keys that cannot be ones are refused at once', () => {
  const log = pino({ level: 'silent' })
  for (const baseUrl of ['', 'localhost:3000', 'ftp://x', 'http://x/?a=1', 'http://user:pass@x/']) {
    expect(() => runStdio({ baseUrl, apiKey: undefined, log }), baseUrl).toThrow(
      'COINSTRATA_URL is not an address of an API',
    )
  }
  expect(() => runStdio({ baseUrl: 'http://127.0.0.1:1', apiKey: 'two words', log })).toThrow('COINSTRATA_API_KEY')
})

describe('the catalogue', () => {
  const metric = {
    id: 'price',
    name: 'Price',
    short_description: null,
    description: 'Price.',
    category: 'market',
    unit: 'USD',
    endpoint: 'prices',
    field: 'price',
    grade: 0,
    formula: null,
    variant: null,
    source: null,
    first_date: null,
    dimension: 'USD',
    kind: 'level',
    aggregate: 'last',
    intervals: ['1d'],
    aliases: [],
    style: 'line',
    scale: 'linear',
    related: [],
    active: true,
  }

  test('is read once for all who want it at the same time, and again when there is a newer generation', async () => {
    const fake = await api((_, response) => void setTimeout(() => response.end(success([metric])), 50))
    const reader = new CatalogueReader()
    const read = () => reader.read({ rest: createClient(fake), signal: never })
    const first = read()
    await new Promise((resolve) => setTimeout(resolve, 10))
    const [one, other] = await Promise.all([first, read()])
    expect(other).toBe(one)
    reader.noteGeneration('g1')
    expect(await read()).toBe(one)
    expect(fake.requests).toHaveLength(1)
    reader.noteGeneration('g2')
    expect((await read()).find('price')?.unit).toBe('USD')
    expect(fake.requests).toHaveLength(2)
  })

  test('is read by the next caller where the first one gave up', async () => {
    const fake = await api((_, response) => void setTimeout(() => response.end(success([metric])), 100))
    const reader = new CatalogueReader()
    const abort = new AbortController()
    const first = reader.read({ rest: createClient(fake), signal: abort.signal })
    await new Promise((resolve) => setTimeout(resolve, 10))
    const second = reader.read({ rest: createClient(fake), signal: never })
    abort.abort()
    await expect(first).rejects.toThrow()
    expect((await second).metrics).toHaveLength(1)
  })
})
