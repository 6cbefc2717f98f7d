import { describe, expect, test } from 'vitest'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'
import { addressed, type FakeVenue, faults, serve, withFault } from './fake-server.ts'
import {
  archiveVenue,
  binanceVenue,
  bitgetVenue,
  day,
  futuresVenues,
  hour,
  hyperliquidVenue,
  now,
  type Point,
  points,
} from './fake-venues.ts'

freshDataFolders()

const fetchFrom = (source: string, url: string, options: { since?: string; now?: number } = {}) => {
  const env = addressed(source, url)
  return session(async (connection) => {
    const since = options.since === undefined ? {} : { since: Date.parse(options.since) }
    const sources = [source]
    return fetchSources({ connection, dataDir, env, sources, ...since, now: options.now ?? now, retryDelayMs: 1 })
  })
}

/** Every eight hours, and every day at midnight. */
const settled = points('2025-11-01T00:00Z', 8 * hour, 1e-5)
const stamped = points('2025-11-01T00:00Z', day, 1_000)
const hourly = points('2026-08-01T00:00Z', hour, 1e-6)
const served = futuresVenues(settled, stamped, hourly)
/** Open interest as each venue gives it, by market. */
const late = (all: readonly Point[], since: string) => all.filter(({ time }) => time >= Date.parse(since))
const scaled = (all: readonly Point[], factor: number) =>
  all.map(({ time, value }) => ({ time, value: value * factor }))

interface Expected {
  funding?: Record<string, readonly Point[]>
  openInterest?: Record<string, readonly Point[]>
}

const createSnapshot = (value: number): Point => ({ time: now, value })

/** Each venue, where to start, and what must then be stored. */
const venues: [source: string, venue: FakeVenue, since: string, expected: Expected][] = [
  [
    'binance',
    served.binance,
    '2025-11-01',
    {
      funding: { BTCUSDT: settled, BTCUSDC: settled },
      openInterest: Object.fromEntries(
        ['BTCUSDT', 'BTCUSDC'].map((market) => [
          market,
          [...late(stamped, '2026-10-22T10:20Z'), createSnapshot(stamped.at(-1)!.value)],
        ]),
      ),
    },
  ],
  [
    'binance-coin',
    served.binance,
    '2025-11-01',
    {
      funding: { BTCUSD_PERP: settled },
      openInterest: {
        BTCUSD_PERP: scaled([...late(stamped, '2026-10-22T10:20Z'), createSnapshot(stamped.at(-1)!.value)], 100),
      },
    },
  ],
  [
    'binance-archive',
    archiveVenue(points('2026-11-01T00:00Z', 5 * 60_000, 1_000)),
    '2026-11-08',
    {
      openInterest: {
        BTCUSDT: points('2026-11-01T00:00Z', 5 * 60_000, 1_000).filter(
          ({ time }) => time > Date.parse('2026-11-08') && (time + 5 * 60_000) % day === 0,
        ),
      },
    },
  ],
  [
    'bybit',
    served.bybit,
    '2026-05-10',
    {
      funding: Object.fromEntries(
        ['BTCUSDT', 'BTCUSD', 'BTCPERP'].map((market) => [market, late(settled, '2026-05-10')]),
      ),
      openInterest: Object.fromEntries(
        ['BTCUSDT', 'BTCUSD', 'BTCPERP'].map((market) => [
          market,
          [...late(stamped, '2026-05-10'), createSnapshot(60)],
        ]),
      ),
    },
  ],
  [
    'okx',
    served.okx,
    '2026-01-01',
    {
      funding: Object.fromEntries(
        ['BTC-USDT-SWAP', 'BTC-USD-SWAP'].map((market) => [market, late(settled, '2026-08-20T10:20Z')]),
      ),
      openInterest: {
        'BTC-USDT-SWAP': [...late(stamped, '2026-01-01'), createSnapshot(0.7)],
        'BTC-USD-SWAP': [...late(stamped, '2026-01-01'), createSnapshot(7_000)],
      },
    },
  ],
  [
    'bitget',
    served.bitget,
    '2026-07-01',
    {
      funding: { BTCUSDT: late(settled, '2026-07-01'), BTCUSD: late(settled, '2026-07-01') },
      openInterest: { BTCUSDT: [createSnapshot(345.5)], BTCUSD: [createSnapshot(345.5)] },
    },
  ],
  [
    'gate',
    served.gate,
    '2026-01-10',
    {
      funding: { BTC_USDT: late(settled, '2026-01-10'), BTC_USD: late(settled, '2026-01-10') },
      openInterest: {
        BTC_USDT: [...scaled(late(stamped, '2026-01-10'), 0.0001), createSnapshot(50)],
        BTC_USD: [...late(stamped, '2026-01-10'), createSnapshot(500_000)],
      },
    },
  ],
  [
    'deribit',
    served.deribit,
    '2026-09-10',
    {
      funding: { 'BTC-PERPETUAL': late(hourly, '2026-09-10'), 'BTC_USDC-PERPETUAL': late(hourly, '2026-09-10') },
      openInterest: { 'BTC-PERPETUAL': [createSnapshot(800)], 'BTC_USDC-PERPETUAL': [createSnapshot(800)] },
    },
  ],
  [
    'hyperliquid',
    hyperliquidVenue(hourly.map(({ time, value }) => ({ time: time + 47, value }))),
    '2026-09-10',
    {
      funding: { BTC: late(hourly, '2026-09-10').map(({ time, value }) => ({ time: time + 47, value })) },
      openInterest: { BTC: [createSnapshot(31.5)] },
    },
  ],
]

async function stored(kind: 'funding' | 'open_interest') {
  const rows = await session(async (connection) => {
    const funding = await readObservations(connection, dataDir, tables.funding)
    const openInterest = await readObservations(connection, dataDir, tables.open_interest)
    return kind === 'funding'
      ? funding.map(({ instrument, time, rate }) => ({ instrument, time, value: rate }))
      : openInterest.map(({ instrument, time, amount }) => ({ instrument, time, value: amount }))
  })
  const byMarket = Map.groupBy(rows, ({ instrument }) => instrument)
  return Object.fromEntries(
    [...byMarket].map(([market, all]) => [market, all.map(({ time, value }) => ({ time, value }))]),
  )
}

function close(actual: Record<string, Point[]>, expected: Record<string, readonly Point[]>) {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort())
  for (const [market, all] of Object.entries(expected)) {
    const found = actual[market]!
    // As text, and without an `expect` for each value: that would take longer than all else here.
    expect(formatTimes(found)).toBe(formatTimes(all))
    expect(all.filter(({ value }, i) => !(Math.abs(found[i]!.value - value) < 5e-10))).toEqual([])
  }
}

const formatTimes = (all: readonly Point[]) => all.map(({ time }) => new Date(time).toISOString()).join('\n')

describe.each(venues)('%s', (source, venue, since, expected) => {
  test.each(faults)('with %s, the series are complete, ordered and free of duplicates', async (fault) => {
    const server = await serve(withFault(venue, fault))
    try {
      const [report] = await fetchFrom(source, server.url, { since })
      expect(report).toMatchObject({ source, outcome: 'ok', gaps: 0 })
      close(await stored('funding'), expected.funding ?? {})
      close(await stored('open_interest'), expected.openInterest ?? {})
    } finally {
      await server.close()
    }
  })

  test('fetched again it adds nothing', async () => {
    const server = await serve(venue.answer)
    try {
      const [first] = await fetchFrom(source, server.url, { since })
      const [again] = await fetchFrom(source, server.url)
      expect(again).toMatchObject({ outcome: 'ok', added: 0, corrected: 0 })
      expect(again!.unchanged).toBeLessThan(first!.added)
    } finally {
      await server.close()
    }
  })
})

test('settlements more frequent than usual are fetched in smaller stretches', async () => {
  const everyHour = points('2026-07-01T00:00Z', hour, 1e-6)
  const server = await serve(binanceVenue(everyHour, stamped).answer)
  try {
    await fetchFrom('binance', server.url, { since: '2026-07-01' })
    close(await stored('funding'), { BTCUSDT: everyHour, BTCUSDC: everyHour })
  } finally {
    await server.close()
  }
})

test('numbered pages that move while they are read lose nothing', async () => {
  const old = points('2023-01-01T00:00Z', 8 * hour, 1e-5)
  let known = old.length - 3
  let asked = 0
  const server = await serve((question) => {
    // Every thirtieth answer comes after another settlement, which moves all rows back by one.
    if (++asked % 30 === 0 && known < old.length) known++
    return bitgetVenue(old.slice(0, known)).answer(question)
  })
  try {
    const [report] = await fetchFrom('bitget', server.url)
    expect(report).toMatchObject({ outcome: 'ok', gaps: 0 })
    expect(known).toBe(old.length)
    const { BTCUSDT = [], BTCUSD = [] } = await stored('funding')
    expect(BTCUSDT).toHaveLength(BTCUSDT.filter(({ time }, i) => time === old[i]!.time).length)
    expect(BTCUSD).toHaveLength(BTCUSD.filter(({ time }, i) => time === old[i]!.time).length)
    expect(BTCUSD.length).toBeGreaterThanOrEqual(old.length - 1)
  } finally {
    await server.close()
  }
})

test('what a source does not have is reported as a gap', async () => {
  const withHole = settled.filter(({ time }) => time < Date.parse('2026-03-01') || time >= Date.parse('2026-03-03'))
  const server = await serve(binanceVenue(withHole, stamped).answer)
  try {
    const [report] = await fetchFrom('binance-coin', server.url, { since: '2025-11-01' })
    expect(report).toMatchObject({ outcome: 'ok', gaps: 1 })
  } finally {
    await server.close()
  }
})

test('the next run continues three days before the end of what is stored', async () => {
  const server = await serve(hyperliquidVenue(hourly).answer)
  try {
    await fetchFrom('hyperliquid', server.url, { since: '2026-09-10', now: Date.parse('2026-10-01T00:10Z') })
    server.asked.length = 0
    await fetchFrom('hyperliquid', server.url)
    const starts = server.asked
      .filter(({ body }) => body.type === 'fundingHistory')
      .map(({ body }) => Number(body.startTime))
    expect(new Date(Math.min(...starts)).toISOString()).toBe('2026-09-28T00:00:00.000Z')
    close(await stored('funding'), { BTC: late(hourly, '2026-09-10') })
  } finally {
    await server.close()
  }
})

test('a value that the venue corrects is stored beside the old one', async () => {
  const before = await serve(hyperliquidVenue(hourly).answer)
  const corrected = hourly.map((point, i) => (i === hourly.length - 2 ? { ...point, value: 0.001 } : point))
  const after = await serve(hyperliquidVenue(corrected).answer)
  try {
    await fetchFrom('hyperliquid', before.url, { since: '2026-11-01' })
    const [report] = await fetchFrom('hyperliquid', after.url)
    expect(report).toMatchObject({ added: 0, corrected: 1 })
    expect((await stored('funding')).BTC?.at(-2)?.value).toBe(0.001)
  } finally {
    await before.close()
    await after.close()
  }
})

test('what came before a failure is stored, and the next run goes on from there', async () => {
  const venue = hyperliquidVenue(hourly)
  const broken = await serve((asked) =>
    Number(asked.body.startTime) >= Date.parse('2026-10-11') ? { status: 500, body: 'oops' } : venue.answer(asked),
  )
  const whole = await serve(venue.answer)
  try {
    const [report] = await fetchFrom('hyperliquid', broken.url, { since: '2026-09-10' })
    expect(report).toMatchObject({ outcome: 'failed', message: expect.stringContaining('answered 500') })
    const part = (await stored('funding')).BTC ?? []
    expect(part).toHaveLength(40 * 24)
    await fetchFrom('hyperliquid', whole.url)
    close(await stored('funding'), { BTC: late(hourly, '2026-09-10') })
  } finally {
    await broken.close()
    await whole.close()
  }
})
