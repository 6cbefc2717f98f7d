import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { compressBeginning, compressedEnd } from '#api/http/compression.ts'
import { CoinstrataError } from '#base/errors.ts'
import { RunJournal } from '#state/run-journal.ts'
import { recordAttempt } from '#state/source-attempts.ts'
import { dataDir, serveOwnFolder, server } from './support/own-service.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { cheapPasswords, serve, withoutLimits } from './support/test-server.ts'

serveOwnFolder({ METRICS_PORT: '0' }, publishSmallGeneration)

/** What is on the wire, with nothing undone. */
async function raw(target: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = http.request(new URL(target, server.url), { headers, method }).end()
  const [response] = await once(request, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }
}

describe('caching', () => {
  test('a known answer is not sent again', async () => {
    const first = await raw('/v1/prices')
    const { etag } = first.headers
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await raw('/v1/prices', { 'if-none-match': known })
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag])
    }
    expect((await raw('/v1/prices', { 'if-none-match': 'W/"0"' })).status).toBe(200)
  })

  test('parameters and formats are other answers, and so is another generation', async () => {
    const tags = new Set<string>()
    for (const target of ['/v1/prices', '/v1/prices?limit=2', '/v1/prices?format=csv', '/v1/coindays']) {
      tags.add((await raw(target)).headers.etag)
    }
    await publishSmallGeneration(dataDir, 'small-2')
    // It is verified first.
    const next = await vi.waitFor(async () => {
      const answer = await raw('/v1/prices')
      expect(answer.bytes.toString()).toContain('small-2')
      return answer
    })
    tags.add(next.headers.etag)
    expect([tags.size, JSON.parse(next.bytes.toString()).meta.generation]).toEqual([5, 'small-2'])
  })

  test('only the time differs between two answers', async () => {
    const [one, two] = [await raw('/v1/prices'), await raw('/v1/prices')].map(({ bytes }) =>
      JSON.parse(bytes.toString()),
    )
    expect(Math.abs(Date.parse(two.timestamp) - Date.now())).toBeLessThan(5_000)
    expect({ ...one, timestamp: '' }).toEqual({ ...two, timestamp: '' })
  })
})

const encodings = [
  ['zstd', zstdDecompressSync],
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const

describe('compression', () => {
  test.each(encodings)(
    'by %s is used where it is understood, and gives the same body',
    async (encoding, decompress) => {
      for (const target of ['/v1/prices?limit=60', '/v1/prices?limit=60&format=csv', '/docs', '/v1/metrics']) {
        const plain = await raw(target)
        const zipped = await raw(target, { 'accept-encoding': `${encoding}, identity;q=0.5` })
        expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([undefined, encoding])
        // Otherwise a shared cache would send the compressed body to all.
        for (const { headers } of [plain, zipped]) expect(headers.vary, target).toContain('Accept-Encoding')
        expect(Number(zipped.headers['content-length'])).toBe(zipped.bytes.length)
        expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2)
        const withoutTime = (bytes: Buffer) => bytes.toString().replace(/"timestamp":"[^"]+"/, '')
        expect(withoutTime(decompress(zipped.bytes))).toBe(withoutTime(plain.bytes))
      }
    },
  )

  test('is left out where none is wanted', async () => {
    const { headers } = await raw('/v1/prices', { 'accept-encoding': 'gzip;q=0, identity' })
    expect(headers['content-encoding']).toBeUndefined()
  })

  test.each(encodings)('by %s joins a compressed beginning and an end to one stream', async (encoding, decompress) => {
    for (const length of [1, 100, 70_000]) {
      for (const text of ['', `,"timestamp":"${'2024'.repeat(8)}"}`]) {
        const [beginning, end] = [Buffer.from('0123456789'.repeat(length)), Buffer.from(text)]
        const compressed = await compressBeginning(encoding, beginning)
        const stream = Buffer.concat([compressed.bytes, compressedEnd(compressed, end)])
        expect(decompress(stream).equals(Buffer.concat([beginning, end]))).toBe(true)
      }
    }
  })
})

test('https is asked of this host alone, unless a setting includes its subdomains', async () => {
  const hsts = async (url: string) => (await fetch(`${url}/health/live`)).headers.get('strict-transport-security')
  const wider = await serve(dataDir, { ...withoutLimits, HSTS_SUBDOMAINS: 'true' })
  const both = [await hsts(server.url), await hsts(wider.url)]
  await wider.close()
  expect(both).toEqual(['max-age=31536000', 'max-age=31536000; includeSubDomains'])
})

test('open to everyone, it answers at private names and at those that are allowed', async () => {
  const inside = { PUBLIC_URL: 'https://public.example.org/', MCP_ALLOWED_HOSTS: ['allowed.example.org'] }
  const open = await serve(dataDir, { ...withoutLimits, ACCESS: 'open', TRUST_PROXY: '1' }, inside)
  const ask = (at: string, target: string, headers: Record<string, string>) => raw(at + target, headers)
  try {
    const names = [
      '127.0.0.1',
      '192.168.1.5:3000',
      '[::1]:3000',
      '[fe80::1]',
      'localhost',
      'LOCALHOST:80',
      'a.localhost',
    ]
    names.push('umbrel.local', 'umbrel.local.', 'node', 'my_app:3000', 'node.lan', 'node.home.arpa', 'x.internal')
    names.push(`${'a'.repeat(56)}.onion`, 'public.example.org', 'PUBLIC.example.org:443', 'allowed.example.org')
    for (const host of names) {
      expect([host, (await ask(open.url, '/v1/prices', { host })).status]).toEqual([host, 200])
    }
    const foreign = [
      'evil.example',
      'evil.example:3000',
      '127.0.0.1.evil.example',
      'local.evil.example',
      'notlocal.com',
    ]
    foreign.push('evil-local.com', 'www.public.example.org', 'localhost.evil.example', 'a b', '192.168.1.5.nip.io')
    for (const host of foreign) {
      const { status, bytes } = await ask(open.url, '/v1/prices', { host, 'x-forwarded-host': 'localhost' })
      expect([host, status, JSON.parse(bytes.toString()).error.code]).toEqual([host, 403, 'forbidden'])
    }
    for (const target of ['/', '/docs', '/health', '/v1/events', '/v1/access', '/v1/chart/snapshot?metric=price']) {
      const { status, bytes } = await ask(open.url, target, { host: 'evil.example' })
      expect([target, status, bytes.toString()]).toEqual([target, 403, expect.stringContaining('MCP_ALLOWED_HOSTS')])
    }
    // Callers of tiers show a key, which the page of another site does not have.
    expect((await ask(server.url, '/v1/prices', { host: 'evil.example' })).status).toBe(200)
  } finally {
    await open.close()
  }
})

test('a body that stops in the middle ends the connection, one that is slow does not', async () => {
  const idleTimeoutMs = 1_000
  const impatient = await serve(dataDir, withoutLimits, { passwordCost: cheapPasswords, idleTimeoutMs })
  const { hostname, port } = new URL(impatient.url)
  const answers = { stopped: '', chunked: '', slow: '' }
  const begin = async (name: keyof typeof answers, header: string, body: string) => {
    const socket = connect(Number(port), hostname)
    const head = 'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    socket.on('data', (bytes) => {
      answers[name] += bytes
    })
    const closed = once(socket, 'close')
    await once(socket, 'connect')
    socket.write(`${head}${header}\r\nConnection: close\r\n\r\n${body}`)
    return { socket, closed }
  }
  try {
    const slow = await begin('slow', 'Content-Length: 10', '')
    const stopped = await begin('stopped', 'Content-Length: 100', '{"email":')
    const chunked = await begin('chunked', 'Transfer-Encoding: chunked', '1\r\n{\r\n')
    for (let i = 0; i < 10; i++) {
      await setTimeout(idleTimeoutMs / 5)
      slow.socket.write(i === 0 ? '{' : i === 9 ? '}' : ' ')
    }
    await Promise.all([slow.closed, stopped.closed, chunked.closed])
    expect(answers).toEqual({ stopped: '', chunked: '', slow: expect.stringMatching(/^HTTP\/1.1 400 .*'email'/s) })
    expect(impatient.log()).toBe('')
  } finally {
    await impatient.close()
  }
})

test('HEAD has the headers of GET and no body', async () => {
  for (const target of ['/v1/prices', '/v1/prices?format=parquet', '/v1/metrics/nope']) {
    const [get, head] = [await raw(target), await raw(target, {}, 'HEAD')]
    expect([head.status, head.bytes.length, head.headers.etag]).toEqual([get.status, 0, get.headers.etag])
  }
})

test('files have a name and carry their meta in a header', async () => {
  const { headers } = await raw('/v1/prices?format=csv&limit=100&fields=all')
  expect(headers['content-disposition']).toBe('attachment; filename="coinstrata-prices-2024-02-04.csv"')
  expect(JSON.parse(headers['x-coinstrata-meta'])).toMatchObject({
    history_limited_to: '2023-12-07',
    withheld: ['secret_price'],
  })
})

test('open to everyone, it answers its own pages and programs, but no page of another site', async () => {
  const inside = { PUBLIC_URL: 'https://coins.example', MCP_ALLOWED_ORIGINS: ['board.example'] }
  const open = await serve(dataDir, { ACCESS: 'open' }, inside)
  const [board, evil] = ['https://board.example', 'https://evil.example']
  const callers: [number, Record<string, string>][] = [
    [200, {}],
    [200, { 'sec-fetch-site': 'same-origin' }],
    [200, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    // Over plain HTTP, browsers send no Sec-Fetch-Site.
    [200, { origin: open.url }],
    [200, { origin: 'https://coins.example', 'sec-fetch-site': 'same-origin' }],
    [200, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    [200, { origin: board, 'sec-fetch-site': 'cross-site' }],
    [200, { referer: `${board}/charts`, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [403, { origin: evil, 'sec-fetch-site': 'cross-site' }],
    [403, { origin: evil }],
    [403, { origin: 'null' }],
    [403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [403, { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }],
  ]
  try {
    for (const target of ['/v1/prices', '/v1/status', '/health', '/docs']) {
      for (const [expected, headers] of callers) {
        const { status, headers: found } = await raw(open.url + target, headers)
        expect([target, headers, status]).toEqual([target, headers, expected])
        const allowed = Object.values(headers).some((value) => value.startsWith(board)) ? board : undefined
        expect([target, headers, found['access-control-allow-origin']]).toEqual([target, headers, allowed])
        expect(found['cross-origin-resource-policy']).toBe(allowed === undefined ? 'same-origin' : 'cross-origin')
      }
    }
    const ask = (origin: string) => raw(`${open.url}/v1/series`, { origin }, 'OPTIONS')
    const [allowed, refused] = [await ask(board), await ask(evil)]
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, board])
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined])
  } finally {
    await open.close()
  }
})

test('pages of any origin may read data, and only data', async () => {
  const data = ['/v1/prices', '/v1/prices?limit=x', '/docs', '/health', '/v1/status', '/v1/changelog', '/v1/nothing']
  for (const target of data) {
    expect([target, (await raw(target)).headers['access-control-allow-origin']]).toEqual([target, '*'])
  }
  expect((await raw('/v1/account')).headers['access-control-allow-origin']).toBeUndefined()
  const preflight = await raw('/v1/series', { origin: 'https://example.org' }, 'OPTIONS')
  expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
    204,
    expect.stringContaining('Authorization, X-API-Key'),
  ])
})

test('every answer has the security headers and a request id', async () => {
  for (const target of ['/v1/prices', '/nowhere', '/docs']) {
    const { headers } = await raw(target, { 'x-request-id': 'mine-1' })
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': 'mine-1' })
    expect(headers['content-security-policy']).toContain("default-src 'self'")
    expect(headers['x-powered-by']).toBeUndefined()
  }
  expect((await raw('/v1/prices', { 'x-request-id': 'a b' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

describe('/docs', () => {
  test('is OpenAPI for programs and a page for browsers', async () => {
    for (const accept of ['application/json', '*/*', 'application/json, text/html']) {
      expect(JSON.parse((await raw('/docs', { accept })).bytes.toString()).openapi).toBe('3.1.1')
    }
    const page = await raw('/docs', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const references = [...page.bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target!)
    expect(references.length).toBeGreaterThan(2)
    for (const target of references) {
      expect(target).toMatch(/^\//)
      expect((await raw(target)).status).toBe(200)
    }
  })

  test('names the parameters, their limits and all failures', async () => {
    const { paths } = JSON.parse((await raw('/docs')).bytes.toString())
    const { parameters, responses } = paths['/v1/prices'].get
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      ...[
        'symbol',
        'interval',
        'aggregate',
        'limit',
        'start_date',
        'end_date',
        'fields',
        'generation',
        'as_of',
        'format',
      ],
      ...['strict', 'bom', 'order', 'cursor'],
    ])
    const view = JSON.parse((await raw('/docs?version=3.0')).bytes.toString())
    expect([view.openapi, Object.keys(view.paths)]).toEqual(['3.0.3', Object.keys(paths)])
    const { schema } = parameters.find(({ name }: { name: string }) => name === 'limit')
    expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 10_000, default: 100 })
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '304', '400', '401', '403', '404', '429', '503']),
    )
    expect(paths['/v1/keys/{id}'].delete.parameters[0]).toMatchObject({ in: 'path', name: 'id' })
  })
})

test('numbers for Prometheus stand at a port of their own', async () => {
  await raw('/v1/prices')
  const text = await (await fetch(server.metricsUrl!)).text()
  expect(text).toMatch(/coinstrata_http_request_duration_seconds_count\{endpoint="\/v1\/prices",status="200"\} \d+/)
  expect(text).toMatch(/coinstrata_http_requests_total\{tier="demo"\} \d+/)
  // A page of the web app has this name at the port of the API.
  expect((await raw('/metrics')).bytes.toString()).not.toContain('coinstrata_http')
})

test('Prometheus is told in seconds when a command last ran and a source last answered', async () => {
  const from = Date.now() / 1000
  const journal = new RunJournal(dataDir)
  journal.end(journal.begin('update'), 'ok', null)
  journal.close()
  recordAttempt(dataDir, 'kraken', { at: Date.now(), outcome: 'ok' })
  const read = async (figure: string) => {
    const text = await (await fetch(server.metricsUrl!)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`coinstrata_${figure} `))
        ?.split(' ')[1],
    )
  }
  for (const figure of [
    'run_start_time_seconds{command="update"}',
    'market_source_success_time_seconds{source="kraken"}',
  ]) {
    await expect.poll(() => read(figure), { message: figure }).toBeGreaterThanOrEqual(Math.floor(from))
    expect(await read(figure), figure).toBeLessThanOrEqual(Date.now() / 1000)
  }
  expect(await read('run_duration_seconds{command="update"}')).toBeLessThanOrEqual(Date.now() / 1000 - from)
})

test('a port that is taken is an error with a cure', async () => {
  const { port } = new URL(server.url)
  await expect(serve(dataDir, { PORT: port })).rejects.toThrow(CoinstrataError)
})

test('closing lets an answer on its way finish, and frees the port', async () => {
  const other = await serve(dataDir, withoutLimits)
  const asked = Array.from({ length: 20 }, (_, i) => fetch(`${other.url}/v1/series?formula=price*${i}`))
  // Those that come too late are refused, maybe before this test looks at them.
  const settled = Promise.allSettled(asked)
  const first = await asked[0]!
  await other.close()
  expect(first.status).toBe(200)
  for (const one of await settled) if (one.status === 'fulfilled') expect(one.value.status).toBe(200)
  await expect(fetch(`${other.url}/health`)).rejects.toThrow()
})
