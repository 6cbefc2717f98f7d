import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { Coinstrata, PartialAnswerError } from '#clients/typescript/client.ts'
import { RequestError, sendRequest } from '#clients/typescript/request.ts'
import { listen } from '../support/listen.ts'

test('an aborted request does not wait for its next attempt', async () => {
  const stop = new AbortController()
  const server = createServer((_, response) => {
    response.writeHead(429, { 'Retry-After': '30' }).end()
    setTimeout(() => stop.abort(new Error('stopped')), 50)
  })
  const url = await listen(server)
  const begin = performance.now()
  const sent = sendRequest(url, { signal: stop.signal }, { maxRetries: 2, maxWaitSeconds: 60 })
  await expect(sent).rejects.toThrow('stopped')
  expect(performance.now() - begin).toBeLessThan(10_000)
  server.close()
})

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

/** A client of a server that answers each request with the next of `answers`, and what it was asked. */
async function clientOf(
  answers: ((response: ServerResponse, request: IncomingMessage) => void)[],
  options: Partial<ConstructorParameters<typeof Coinstrata>[0]> = {},
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers[Math.min(asked.length, answers.length) - 1]!
    answer(response, request)
  })
  const url = await listen(server)
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { client: new Coinstrata({ url, ...options }), asked }
}

const meta = { generation: 'g1' }
const rows =
  (data: object[], more: object = {}) =>
  (response: ServerResponse) =>
    void response.end(JSON.stringify({ success: true, data, count: data.length, meta: { ...meta, ...more } }))
const prices = rows([{ date: '2026-01-01', price: 1 }])
const drop = (response: ServerResponse) => void response.destroy()
/** The connection ends within the body. */
const cut = (response: ServerResponse) => {
  response.writeHead(200, { 'Content-Length': '1000', 'X-Request-Id': 'r1' }).write('{"success":true')
  setTimeout(() => response.destroy(), 20)
}
const page = (response: ServerResponse) =>
  void response.writeHead(200, { 'X-Request-Id': 'r2', ETag: '"x"' }).end('<html>')

test('dropped connections, cut bodies and pages instead of JSON are asked for again', async () => {
  for (const first of [drop, cut, page]) {
    const { client, asked } = await clientOf([first, prices])
    expect((await client.get('/v1/prices')).data).toHaveLength(1)
    expect(asked).toHaveLength(2)
    const again = await clientOf([first, prices])
    const all: unknown[] = []
    for await (const row of again.client.rows('/v1/prices')) all.push(row)
    expect(all).toHaveLength(1)
  }
  const { client, asked } = await clientOf([drop])
  await expect(client.chart({ metric: 'price' })).rejects.toMatchObject({ code: 'unreachable' })
  expect(asked).toHaveLength(1)
})

test('every failure is one error, with the id of the request', async () => {
  const failure = JSON.stringify({ success: false, error: { code: 'not_found', message: 'no' }, message: 'no' })
  const refuse = (response: ServerResponse) => void response.writeHead(404, { 'X-Request-Id': 'r3' }).end(failure)
  const fails = async (answer: (response: ServerResponse) => void) => {
    const { client } = await clientOf([answer], { retries: 1, timeout: 0.3 })
    const error: unknown = await client.get('/v1/prices').catch((reason: unknown) => reason)
    if (!(error instanceof RequestError)) throw new Error(`no RequestError but ${inspect(error)}`)
    return [error.code, error.status, error.requestId]
  }
  expect(await fails(refuse)).toEqual(['not_found', 404, 'r3'])
  expect(await fails(cut)).toEqual(['unreadable', 200, 'r1'])
  expect(await fails(page)).toEqual(['unreadable', 200, 'r2'])
  expect(await fails(drop)).toEqual(['unreachable', 0, undefined])
  expect(await fails(() => {})).toEqual(['unreachable', 0, undefined])
  const { client } = await clientOf([rows([], { withheld: ['sopr'], withheld_tier: 'pro' })])
  const partial: unknown = await client
    .rows('/v1/prices')
    .next()
    .catch((reason: unknown) => reason)
  expect([partial instanceof PartialAnswerError, partial instanceof RequestError]).toEqual([true, true])
})

test('a signal ends a call with its reason, also between attempts', async () => {
  const stop = new AbortController()
  const { client } = await clientOf([(response) => void response.writeHead(503, { 'Retry-After': '30' }).end()])
  setTimeout(() => stop.abort(new Error('enough')), 50)
  await expect(client.get('/v1/prices', {}, undefined, { signal: stop.signal })).rejects.toThrow('enough')
  await expect(client.rows('/v1/prices', {}, undefined, { signal: stop.signal }).next()).rejects.toThrow('enough')
})

test('Retry-After may be a date', async () => {
  const busy = (when: number) => (response: ServerResponse) =>
    void response.writeHead(503, { 'Retry-After': new Date(when).toUTCString() }).end()
  const { client, asked } = await clientOf([busy(Date.now() - 5_000), prices])
  expect((await client.get('/v1/prices')).data).toHaveLength(1)
  expect(asked).toHaveLength(2)
  const late = await clientOf([busy(Date.now() + 3_600_000), prices])
  await expect(late.client.get('/v1/prices')).rejects.toMatchObject({ status: 503 })
  expect(late.asked).toHaveLength(1)
})

test('all pages of a call are of the generation of the first, and have 10,000 rows', async () => {
  const pages = [rows([{ date: '2026-01-02' }], { next_cursor: '2026-01-01.0' }), prices]
  const { client, asked } = await clientOf(pages)
  const dates: unknown[] = []
  for await (const { date } of client.rows('/v1/prices', { start_date: '2026-01-01' })) dates.push(date)
  expect(dates).toEqual(['2026-01-02', '2026-01-01'])
  expect(asked).toEqual([
    '/v1/prices?limit=10000&start_date=2026-01-01',
    '/v1/prices?limit=10000&start_date=2026-01-01&cursor=2026-01-01.0&generation=g1',
  ])
  // Rows after blocks have no generation, and other endpoints no limit.
  const blocks = await clientOf(pages)
  for await (const _ of blocks.client.rows('/v1/series', { metrics: 'price', interval: 'block' }));
  expect(blocks.asked[1]).not.toContain('generation')
  const today = await clientOf([prices])
  for await (const _ of today.client.rows('/v1/today'));
  expect(today.asked).toEqual(['/v1/today'])
})

test('the key is never printed', async () => {
  const key = 'cs_secret'
  const { client } = await clientOf([drop], { key, retries: 0 })
  const error: unknown = await client.get('/v1/prices').catch((reason: unknown) => reason)
  expect(inspect([client, error], { depth: 9, showHidden: true })).not.toContain(key)
  for (const options of [{ url: 'http://127.0.0.1:1', key: `${key}\n` }, { url: `http://user:${key}@127.0.0.1:1` }]) {
    const create = () => new Coinstrata(options)
    expect(create).toThrow(RequestError)
    expect(
      inspect(
        (() => {
          try {
            return create()
          } catch (reason) {
            return reason
          }
        })(),
      ),
    ).not.toContain(key)
  }
})
