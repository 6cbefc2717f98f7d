import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dayAt } from '#base/days.ts'
import { marketFunding } from '#ingest/market/daily-funding.ts'
import { type FetchOptions, fetchSources } from '#ingest/market/fetch.ts'
import { createHttpClient } from '#ingest/market/http.ts'
import { tables } from '#ingest/market/observations.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { sourceStatus } from '#ingest/market/source-status.ts'
import { readObservations } from '#ingest/market/store.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'
import { type Answer, type Asked, addressed, type FakeServer, serve } from './fake-server.ts'
import { bybitVenue, day, deribitVenue, gateVenue, hour, hyperliquidVenue, now, points } from './fake-venues.ts'

freshDataFolders()
let servers: FakeServer[]
beforeEach(() => {
  servers = []
})
afterEach(() => Promise.all(servers.map((server) => server.close())))

const settled = points('2026-11-01T00:00Z', 8 * hour, 1e-5)
const hourly = points('2026-11-01T00:00Z', hour, 1e-6)
const since = Date.parse('2026-11-01')

/** Sources by id, each with what its server answers. */
async function fetchFrom(answers: Record<string, (asked: Asked) => Answer>, options: Partial<FetchOptions> = {}) {
  const env: Record<string, string> = {}
  for (const [source, answer] of Object.entries(answers)) {
    const server = await serve(answer)
    servers.push(server)
    Object.assign(env, addressed(source, server.url))
  }
  const sources = Object.keys(answers)
  const reports = await session((connection) =>
    fetchSources({ connection, dataDir, env, sources, since, now, retryDelayMs: 1, ...options }),
  )
  return { env, reports: Object.fromEntries(reports.map((report) => [report.source, report])) }
}

const notServed = 'The Amazon CloudFront distribution is configured to block access from your country.'

test('one source failing stops none of the others', async () => {
  const { reports } = await fetchFrom({
    bybit: () => ({ status: 403, body: notServed }),
    binance: () => ({ status: 451, body: { code: 0, msg: 'Service unavailable from a restricted location' } }),
    gate: () => ({ body: '<html>' }),
    okx: () => ({ body: { code: '51001', msg: "Instrument ID doesn't exist", data: [] } }),
    deribit: deribitVenue(hourly).answer,
    hyperliquid: hyperliquidVenue(hourly).answer,
  })
  expect(reports.bybit).toMatchObject({
    outcome: 'blocked',
    added: 0,
    cure: expect.stringContaining('nothing needs doing'),
  })
  expect(reports.binance).toMatchObject({ outcome: 'blocked' })
  expect(reports.gate).toMatchObject({ outcome: 'failed', message: expect.stringContaining('gate') })
  expect(reports.okx).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining("51001 Instrument ID doesn't exist"),
  })
  expect(reports.deribit).toMatchObject({ outcome: 'ok', added: 2 * hourly.length + 2 })
  expect(reports.hyperliquid).toMatchObject({ outcome: 'ok', added: hourly.length + 1 })
})

test('a source whose stored file is damaged fails alone, and says what to do', async () => {
  await fetchFrom({ bybit: bybitVenue(settled, hourly).answer })
  const folder = path.join(dataDir, 'raw/market/funding/bybit')
  const file = path.join(folder, readdirSync(folder)[0]!)
  const bytes = readFileSync(file)
  bytes[100]! ^= 1
  writeFileSync(file, bytes)
  const { reports } = await fetchFrom({
    bybit: bybitVenue(settled, hourly).answer,
    deribit: deribitVenue(hourly).answer,
  })
  expect(reports.deribit).toMatchObject({ outcome: 'ok' })
  expect(reports.bybit).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining(`${file} is damaged`),
    cure: expect.stringContaining('coinstrata fetch bybit --since 2026-11-01'),
  })
  // The cure brings back what was there.
  rmSync(file)
  await fetchFrom({ bybit: bybitVenue(settled, hourly).answer })
  expect(readFileSync(file).length).toBe(bytes.length)
})

test('a host with several addresses that all refuse has a reason', async () => {
  const refusals = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:1`))
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(
    new TypeError('fetch failed', { cause: new AggregateError(refusals) }),
  )
  try {
    const http = createHttpClient({ source: 'okx', baseUrl: 'https://okx.test', requestsPerMinute: 600, retries: 0 })
    await expect(http.bytes('/')).rejects.toThrow(
      'okx: https://okx.test cannot be reached (connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1)',
    )
  } finally {
    vi.restoreAllMocks()
  }
})

test('a damaged record of pauses and fetches silences no source for ever', async () => {
  const record = (notBefore: number) => {
    const attempts = { deribit: { at: now, outcome: 'paused', notBefore } }
    writeIntactJson(path.join(dataDir, 'state/market-sources.json'), attempts)
  }
  mkdirSync(path.join(dataDir, 'state'), { recursive: true })
  record(now + day)
  expect((await fetchFrom({ deribit: deribitVenue(hourly).answer })).reports.deribit).toMatchObject({
    outcome: 'paused',
  })
  for (const text of ['{', '{"deribit": 1}']) {
    writeFileSync(path.join(dataDir, 'state/market-series.json'), text)
    record(now * 2)
    expect((await fetchFrom({ deribit: deribitVenue(hourly).answer })).reports.deribit).toMatchObject({ outcome: 'ok' })
  }
})

test('what does not serve this address is asked once, not in a loop', async () => {
  await fetchFrom({ bybit: () => ({ status: 403, body: notServed }) })
  expect(servers[0]?.asked).toHaveLength(1)
})

test.each([
  ['a busy source', 429],
  ['a ban of seconds', 418],
])('%s is waited for as long as it wants', async (_, status) => {
  const venue = hyperliquidVenue(hourly)
  const asked: number[] = []
  const { reports } = await fetchFrom(
    {
      hyperliquid: (question) => {
        asked.push(performance.now())
        return asked.length === 1 ? { status, headers: { 'retry-after': '1' }, body: {} } : venue.answer(question)
      },
    },
    { snapshotsOnly: true },
  )
  expect(reports.hyperliquid).toMatchObject({ outcome: 'ok', added: 1 })
  expect(asked).toHaveLength(2)
  expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(999)
})

test.each([
  ['hyperliquid', 429, { 'retry-after': '3600' }, 60],
  ['binance', 418, { 'retry-after': '1800' }, 30],
  ['binance', 403, {}, 10],
  ['bybit', 403, {}, 10],
])('%s, which answers %i with %j, is left alone for %i minutes', async (source, status, headers, minutes) => {
  const refusing = () => ({ status, headers, body: { msg: 'too frequent' } })
  const { reports } = await fetchFrom({ [source]: refusing })
  const message = expect.stringContaining(String(status))
  expect(reports[source]).toMatchObject({ outcome: 'paused', unreached: false, message })
  expect(servers[0]?.asked).toHaveLength(1)

  for (const snapshotsOnly of [false, true]) {
    const before = await fetchFrom({ [source]: refusing }, { now: now + minutes * 60_000 - 1, snapshotsOnly })
    expect(before.reports[source]).toMatchObject({ outcome: 'paused', message: expect.stringContaining('UTC') })
    expect(servers.at(-1)?.asked).toEqual([])
  }
  await fetchFrom({ [source]: refusing }, { now: now + minutes * 60_000 })
  expect(servers.at(-1)?.asked).toHaveLength(1)
})

test('a server that is not there is reported', async () => {
  const gone = await serve(() => ({ body: {} }))
  await gone.close()
  const env = addressed('deribit', gone.url)
  const [report] = await session((connection) =>
    fetchSources({ connection, dataDir, env, sources: ['deribit'], since, now, retryDelayMs: 1 }),
  )
  expect(report).toMatchObject({
    outcome: 'failed',
    unreached: true,
    message: expect.stringContaining('cannot be reached'),
  })
})

test('the hourly job takes snapshots only', async () => {
  const { reports } = await fetchFrom({ deribit: deribitVenue(hourly).answer }, { snapshotsOnly: true })
  expect(reports.deribit).toMatchObject({ outcome: 'ok', added: 2 })
  expect(await session((connection) => readObservations(connection, dataDir, tables.funding))).toEqual([])
})

test('history is fetched whole, though snapshots were taken before', async () => {
  const daily = points('2026-11-01T00:00Z', day, 10)
  const answer = bybitVenue(settled, daily).answer
  await fetchFrom({ bybit: answer }, { snapshotsOnly: true })
  const { reports } = await fetchFrom({ bybit: answer })
  expect(reports.bybit).toMatchObject({ added: 3 * (settled.length + daily.length), unchanged: 3 })
})

test.each([
  ['an unknown source', { sources: ['bitmex'] }, 'invalid_argument'],
  ['an address that is none', { sources: ['okx'], env: { SOURCES_OKX_BASE_URL: 'okx.com' } }, 'invalid_configuration'],
  [
    'a rate that is none',
    { sources: ['okx'], env: { SOURCES_OKX_REQUESTS_PER_MINUTE: 'many' } },
    'invalid_configuration',
  ],
])('%s is refused before anything is fetched', async (_, options, code) => {
  const fetched = session((connection) => fetchSources({ connection, dataDir, env: {}, now, ...options }))
  await expect(fetched).rejects.toMatchObject({ code })
  expect(existsSync(path.join(dataDir, 'state'))).toBe(false)
})

test('a simulated data folder takes nothing real', async () => {
  const bar = { day: 20_000, open: 1, high: 1, low: 1, close: 1, volume: 1 }
  await session((connection) => writeSimulatedPrices(connection, dataDir, [bar]))
  await expect(fetchFrom({ deribit: deribitVenue(hourly).answer })).rejects.toMatchObject({
    code: 'data_folder_mismatch',
  })
  expect(servers[0]?.asked).toEqual([])
})

describe('the units of', () => {
  const openInterest = async () => {
    const rows = await session((connection) => readObservations(connection, dataDir, tables.open_interest))
    return rows.map(({ instrument, time, amount, unit }) => [instrument, new Date(time).toISOString(), amount, unit])
  }

  test('Bybit: open interest counts both sides unless it says otherwise', async () => {
    const list = [
      { openInterest: '100', singleOpenInterest: '50', timestamp: String(Date.parse('2026-11-19')) },
      { openInterest: '102', singleOpenInterest: '', timestamp: String(Date.parse('2026-11-18')) },
      { openInterest: '98', timestamp: String(Date.parse('2026-11-17')) },
    ]
    const venue = bybitVenue(settled, [])
    await fetchFrom(
      {
        bybit: (asked) =>
          asked.path === '/v5/market/open-interest' && asked.query.get('symbol') !== 'BTCPERP'
            ? { body: { retCode: 0, retMsg: 'OK', result: { list } } }
            : venue.answer(asked),
      },
      { since: Date.parse('2026-11-17') },
    )
    const rows = (await openInterest()).filter(([, time]) => time !== new Date(now).toISOString())
    expect(rows).toEqual([
      // Inverse contracts are of a dollar each.
      ['BTCUSD', '2026-11-17T00:00:00.000Z', 49, 'usd'],
      ['BTCUSD', '2026-11-18T00:00:00.000Z', 51, 'usd'],
      ['BTCUSD', '2026-11-19T00:00:00.000Z', 50, 'usd'],
      ['BTCUSDT', '2026-11-17T00:00:00.000Z', 49, 'btc'],
      ['BTCUSDT', '2026-11-18T00:00:00.000Z', 51, 'btc'],
      ['BTCUSDT', '2026-11-19T00:00:00.000Z', 50, 'btc'],
    ])
  })

  test('Binance: a coin-margined contract is of 100 USD', async () => {
    const env = { SOURCES_BINANCE_COIN_REQUESTS_PER_MINUTE: '1000000' }
    const server = await serve(() => ({ body: { openInterest: '1234567', symbol: 'BTCUSD_PERP', time: now } }))
    servers.push(server)
    await session((connection) =>
      fetchSources({
        connection,
        dataDir,
        env: { ...env, SOURCES_BINANCE_COIN_BASE_URL: server.url },
        sources: ['binance-coin'],
        snapshotsOnly: true,
        now,
      }),
    )
    expect(await openInterest()).toEqual([['BTCUSD_PERP', '2026-11-20T10:20:00.000Z', 123_456_700, 'usd']])
  })

  test('Gate: a linear contract is of 0.0001 BTC, an inverse one of a dollar', async () => {
    await fetchFrom({ gate: gateVenue([], []).answer }, { snapshotsOnly: true })
    expect(await openInterest()).toEqual([
      ['BTC_USD', '2026-11-20T10:20:00.000Z', 500_000, 'usd'],
      ['BTC_USDT', '2026-11-20T10:20:00.000Z', 50, 'btc'],
    ])
  })

  test('Deribit: the inverse perpetual is counted in dollars, the linear one in coins', async () => {
    await fetchFrom({ deribit: deribitVenue([]).answer }, { snapshotsOnly: true })
    expect(await openInterest()).toEqual([
      ['BTC-PERPETUAL', '2026-11-20T10:20:00.000Z', 800, 'usd'],
      ['BTC_USDC-PERPETUAL', '2026-11-20T10:20:00.000Z', 800, 'btc'],
    ])
  })

  test('Deribit: the hourly rate is taken, not the one that looks back over eight hours', async () => {
    await fetchFrom({ deribit: deribitVenue([{ time: now - hour, value: 0.00001 }]).answer })
    const rows = await session((connection) => readObservations(connection, dataDir, tables.funding))
    expect(rows.map(({ rate, interval_hours }) => [rate, interval_hours])).toEqual([
      [0.00001, 1],
      [0.00001, 1],
    ])
  })

  test('Hyperliquid: settled every eight hours until 8 June 2023, hourly since', async () => {
    const until = Date.parse('2023-06-11T00:30Z')
    const every = (from: string, to: string, step: number, value: number) =>
      points(from, step, 1)
        .filter(({ time }) => time < Date.parse(to))
        .map(({ time }) => ({ time, value }))
    const eightHourly = every('2023-05-12T00:00Z', '2023-06-08T01:00Z', 8 * hour, 0.0001).map(({ time, value }) =>
      // One of them came late.
      ({ time: time === Date.parse('2023-05-23T08:00Z') ? time + 23 * 60_000 : time, value }),
    )
    const later = every('2023-06-08T01:00Z', '2023-06-11T00:30Z', hour, 0.0000125)
    const { reports } = await fetchFrom(
      { hyperliquid: hyperliquidVenue([...eightHourly, ...later]).answer },
      { since: Date.parse('2023-05-12'), now: until },
    )
    expect(reports.hyperliquid).toMatchObject({ outcome: 'ok', gaps: 0 })
    const rows = await session((connection) => readObservations(connection, dataDir, tables.funding))
    const days = marketFunding(rows, dayAt(until) - 1)
    expect(days).toHaveLength(30)
    for (const { rate8h } of days) expect(rate8h).toBeCloseTo(0.0001, 12)
  })

  test('every venue: more coins than exist, or a rate in percent, is refused', async () => {
    const { reports } = await fetchFrom({
      hyperliquid: ({ body }) =>
        body.type === 'metaAndAssetCtxs'
          ? { body: [{ universe: [{ name: 'BTC' }] }, [{ openInterest: '3000000000' }]] }
          : { body: [{ time: now - hour, fundingRate: '0.125' }] },
    })
    expect(reports.hyperliquid).toMatchObject({
      outcome: 'failed',
      added: 0,
      message: expect.stringContaining('funding rate 0.125'),
    })
    expect(await openInterest()).toEqual([])
  })
})

test('the status says of each source what it has, how it last went, and what to do', async () => {
  const { env } = await fetchFrom({
    deribit: deribitVenue(hourly.filter(({ time }) => time < now - 5 * day || time > now - 4 * day)).answer,
    bybit: () => ({ status: 403, body: notServed }),
    gate: () => ({ status: 400, body: { label: 'X' } }),
  })
  const statuses = await session((connection) => sourceStatus(connection, dataDir, env))
  const of = (source: string) => statuses.find((status) => status.source === source)
  expect(of('deribit')).toMatchObject({
    kinds: ['funding', 'open_interest'],
    configured: true,
    lastAttempt: { at: now, outcome: 'ok', lastSuccess: now },
    observations: 2 * (hourly.length - 24) + 2,
    first: since,
    last: now,
    // One in each of its two markets.
    gaps: 2,
    nextStep: expect.stringContaining('--since'),
  })
  expect(of('bybit')).toMatchObject({ lastAttempt: { outcome: 'blocked' }, observations: 0, first: undefined })
  expect(of('bybit')?.lastAttempt?.lastSuccess).toBeUndefined()
  expect(of('gate')).toMatchObject({ lastAttempt: { outcome: 'failed' }, nextStep: expect.stringContaining('400') })
  expect(of('okx')).toMatchObject({ lastAttempt: undefined, nextStep: 'run coinstrata fetch okx' })
  expect(of('coingecko')).toMatchObject({
    configured: false,
    nextStep: expect.stringContaining('SOURCES_COINGECKO_API_KEY'),
  })
})

test('a snapshot that succeeds does not hide that the last fetch failed', async () => {
  await fetchFrom({ deribit: () => ({ status: 400, body: {} }) })
  await fetchFrom({ deribit: deribitVenue(hourly).answer }, { snapshotsOnly: true, now: now + hour })
  const statuses = await session((connection) => sourceStatus(connection, dataDir, {}))
  expect(statuses.find(({ source }) => source === 'deribit')).toMatchObject({
    lastAttempt: { at: now, outcome: 'failed' },
    lastSnapshot: { at: now + hour, outcome: 'ok' },
  })
})

test('a failure keeps the time of the last success', async () => {
  await fetchFrom({ deribit: deribitVenue(hourly).answer })
  await fetchFrom({ deribit: () => ({ status: 400, body: {} }) }, { now: now + day })
  const statuses = await session((connection) => sourceStatus(connection, dataDir, {}))
  expect(statuses.find(({ source }) => source === 'deribit')).toMatchObject({
    lastAttempt: { at: now + day, outcome: 'failed', lastSuccess: now },
  })
})
