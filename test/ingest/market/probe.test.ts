import { afterEach, beforeEach, expect, test } from 'vitest'
import { probeSources } from '#ingest/market/probe.ts'
import { type ServedMarket, serveMarket } from './fake-market.ts'
import { type Answer, type Asked, type FakeServer, serve } from './fake-server.ts'
import { bybitVenue, day, hour, hyperliquidVenue, now, points } from './fake-venues.ts'

let market: ServedMarket
let servers: FakeServer[]
beforeEach(async () => {
  market = await serveMarket({ now: { latency: [0, 0], faults: 0, seed: 0 } })
  servers = []
})
afterEach(async () => {
  await market.close()
  await Promise.all(servers.map((server) => server.close()))
})

/** The verdict on a source that answers so, beside the prices of two that work. */
async function probe(source: string, answer: (asked: Asked) => Answer) {
  const server = await serve(answer)
  servers.push(server)
  const env = { ...market.env, [`SOURCES_${source.toUpperCase()}_BASE_URL`]: server.url }
  const [one] = (await probeSources({ env, sources: [source, 'bitstamp', 'coindesk'], now })).filter(
    (it) => it.source === source,
  )
  return { ...one!, asked: server.asked }
}

const rates = points('2026-08-01T00:00Z', 8 * hour, 1e-5)
const stamps = points('2026-04-01T00:00Z', day, 1_000)
const bybit = bybitVenue(rates, stamps)
const hyperliquid = hyperliquidVenue(points('2026-08-01T00:00Z', hour, 1e-6))

test('a source that answers as documented works, and each endpoint was asked once', async () => {
  const { verdict, findings, asked } = await probe('bybit', (question) => {
    const answer = bybit.answer(question)
    return question.path === '/v5/market/tickers'
      ? { body: { ...readBody(answer), time: now, result: { list: [{ openInterest: '120000' }] } } }
      : answer
  })
  expect(findings).toEqual(['funding: 180 rows', 'open interest: 180 rows', 'open interest now: 1 rows'])
  expect(verdict).toBe('works')
  expect(asked.map(({ path }) => path)).toEqual([
    '/v5/market/funding/history',
    '/v5/market/open-interest',
    '/v5/market/tickers',
  ])
})

const readBody = ({ body }: Answer): object => (typeof body === 'object' && body !== null ? body : {})
/** The answer with some text of it replaced. */
const altered = (answer: Answer, from: string | RegExp, to: string): Answer => ({
  ...answer,
  body: JSON.parse(JSON.stringify(answer.body).replaceAll(from, to)),
})

test('a renamed field has changed', async () => {
  const { verdict, findings } = await probe('bybit', (asked) =>
    altered(bybit.answer(asked), /"fundingRateTimestamp"/g, '"settledAt"'),
  )
  expect(verdict).toBe('changed')
  expect(findings.join()).toContain('fundingRateTimestamp')
})

test.each([
  ['open interest in satoshis', /"openInterest":"(\d+)"/g, '"openInterest":"$100000"', 'open interest'],
  ['rates in percent', /"fundingRate":"([\d.e-]+)"/g, '"fundingRate":"0.01"', 'percent'],
])('%s are a changed unit', async (_, from, to, said) => {
  const { verdict, findings } = await probe('bybit', (asked) => altered(bybit.answer(asked), from, to))
  expect(verdict).toBe('changed')
  expect(findings.join()).toMatch(new RegExp(`unit: .*${said}`))
})

test('prices in another currency are a changed unit', async () => {
  const { findings, verdict } = await probe('coinbase', ({ query }) => {
    const from = Date.parse(query.get('start') ?? '') / 1_000
    const to = Date.parse(query.get('end') ?? '') / 1_000
    const step = Number(query.get('granularity'))
    const rows = []
    for (let at = Math.ceil(to / step - 1) * step; at >= from; at -= step) rows.push([at, 9e8, 9e8, 9e8, 9e8, 5])
    return { body: rows }
  })
  expect(verdict).toBe('changed')
  expect(findings.join()).toContain('unit: its price is 900000000')
})

test.each([
  ['a page that is gone', () => ({ status: 404, body: '' })],
  ['a server that fails', () => ({ status: 500, body: '' })],
  ['a connection that is cut', () => ({ body: '', cut: true })],
])('%s is unreachable', async (_, answer) => {
  expect(await probe('hyperliquid', answer)).toMatchObject({ verdict: 'unreachable' })
})

test.each([
  [401, ''],
  [403, 'blocked in your country'],
  [418, ''],
  [429, ''],
  [451, ''],
])('%i is refused', async (status, body) => {
  const found = await probe('bybit', () => ({ status, body }))
  expect(found.verdict).toBe('refused')
  expect(found.findings[0]).toContain(String(status))
})

test('a clock that differs from ours is told, whichever is wrong', async () => {
  const date = new Date(Date.now() - 3 * hour).toUTCString()
  const { verdict, findings } = await probe('hyperliquid', (asked) => ({
    ...hyperliquid.answer(asked),
    headers: { date },
  }))
  expect(verdict).toBe('changed')
  expect(findings.join()).toMatch(/clock: its clock and this machine's differ by (3\.0|3) hours/)
})

test('rows of the future, and rows that ended, are a wrong clock', async () => {
  const shifted = (by: number) =>
    probe('hyperliquid', (asked) => {
      const answer = hyperliquid.answer({ ...asked, body: { ...asked.body, endTime: now - Math.abs(by) } })
      const { body } = answer
      return Array.isArray(body) && 'fundingRate' in (body[0] ?? {})
        ? { body: body.map((row) => ({ ...row, time: row.time + (by > 0 ? 2 * by : 0) })) }
        : answer
    })
  expect((await shifted(30 * hour)).findings.join()).toContain('clock: its newest row is 30 hours ahead of now')
  expect((await shifted(-4 * day)).findings.join()).toContain('clock: its newest row is 4 days old')
})

test('a history that begins later than documented has changed in depth', async () => {
  const short = bybitVenue(rates.slice(-20), stamps)
  const { findings } = await probe('bybit', short.answer)
  expect(findings.join()).toMatch(/funding: depth: asked for 60 days, it has (6|7) days/)
})

test('a source without its key is said to want one, and an unknown one is refused', async () => {
  const [found] = await probeSources({ env: {}, sources: ['coingecko'], now })
  expect(found).toMatchObject({ verdict: 'no_key', findings: [expect.stringContaining('SOURCES_COINGECKO_API_KEY')] })
  await expect(probeSources({ env: {}, sources: ['bitmex'], now })).rejects.toMatchObject({ code: 'invalid_argument' })
})
