import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHttpClient } from '#ingest/market/http.ts'
import { WebStore } from '#store/web-store.ts'
import { listen } from '#test/support/listen.ts'

const bomb = gzipSync(Buffer.alloc(100_000_000))
let requests: string[] = []
let foreign = ''
const redirect = (response: ServerResponse, status: number, location: string): void =>
  void response.writeHead(status, { location }).end()
const routes: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/bomb': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  '/error-bomb': (response) => response.writeHead(404, { 'content-encoding': 'gzip' }).end(bomb),
  '/elsewhere': (response) => redirect(response, 302, `${foreign}/taken`),
  '/here': (response) => redirect(response, 301, '/object'),
  '/loop': (response) => redirect(response, 307, '/loop'),
  '/object': (response) => void response.end('{"answer":1}'),
  '/never': (response) => void response.writeHead(416).end(),
}
const server = createServer(({ url = '', headers }, response) => {
  requests.push(url)
  // The object has only as many bytes.
  if (url === '/short' && headers.range === undefined) return void response.end('short')
  if (url === '/short') return void response.writeHead(416).end()
  routes[url]?.(response)
})
const other = createServer(({ url = '' }, response) => {
  requests.push(`foreign ${url}`)
  response.end('{}')
})
let url = ''

beforeAll(async () => {
  url = await listen(server)
  foreign = await listen(other)
})
afterAll(() => {
  server.close()
  other.close()
})

/** Message of the failure, or the text, and what was requested. */
async function outcome(read: () => Promise<unknown>) {
  requests = []
  const found = await read().catch((error: Error) => error.message)
  return { found, requests }
}

test('a market source is read up to a size, and no further than its own redirects', async () => {
  const http = createHttpClient({ source: 'okx', baseUrl: url, requestsPerMinute: 60_000, retries: 2, retryDelayMs: 1 })
  const read = (path: string) => outcome(async () => (await http.bytes(path))?.toString())
  const before = process.memoryUsage().rss
  expect(await read('/bomb')).toEqual({ found: `okx: ${url} answered more than 67.1 MB`, requests: ['/bomb'] })
  expect(await read('/error-bomb')).toEqual({ found: undefined, requests: ['/error-bomb'] })
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
  expect(await read('/here')).toEqual({ found: '{"answer":1}', requests: ['/here', '/object'] })
  const { found, requests } = await read('/elsewhere')
  expect(found).toContain(`redirected to ${foreign}, which is not followed`)
  expect(requests).toEqual(['/elsewhere', '/elsewhere', '/elsewhere'])
  expect((await read('/loop')).requests).toHaveLength(3 * 6)
})

test('a store is asked once more where its object is shorter than a part, and never in a loop', async () => {
  const store = new WebStore(url)
  const read = (key: string, from = 0) => outcome(() => store.read(key, { from }))
  expect((await read('short', 9)).requests).toEqual(['/short', '/short'])
  expect(await read('never', 9)).toEqual({
    found: expect.stringContaining('never was answered with 416'),
    requests: ['/never', '/never'],
  })
  expect((await read('elsewhere')).requests).toEqual(['/elsewhere'])
})
