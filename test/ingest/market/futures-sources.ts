import { describe, expect, test } from 'vitest'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, session } from './data-folder.ts'
import { addressed, type FakeVenue, type Fault, serve, withFault } from './fake-server.ts'
import { archiveVenue, day, futuresVenues, hour, hyperliquidVenue, now, type Point, points } from './fake-venues.ts'

export const fetchFrom = (source: string, url: string, options: { since?: string; now?: number } = {}) => {
  const env = addressed(source, url)
  return session(async (connection) => {
    const since = options.since === undefined ? {} : { since: Date.parse(options.since) }
    const sources = [source]
    return fetchSources({ connection, dataDir, env, sources, ...since, now: options.now ?? now, retryDelayMs: 1 })
  })
}

/** Every eight hours, and every day at midnight. */
export const settled = points('2025-11-01T00:00Z', 8 * hour, 1e-5)
export const stamped = points('2025-11-01T00:00Z', day, 1_000)
export const hourly = points('2026-08-01T00:00Z', hour, 1e-6)
const served = futuresVenues(settled, stamped, hourly)
/** Open interest as each venue gives it, by market. */
export const late = (all: readonly Point[], since: string) => all.filter(({ time }) => time >= Date.parse(since))
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

export async function stored(kind: 'funding' | 'open_interest') {
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

export function close(actual: Record<string, Point[]>, expected: Record<string, readonly Point[]>) {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort())
  for (const [market, all] of Object.entries(expected)) {
    const found = actual[market]!
    // As text, and without an `expect` for each value: that would take longer than all else here.
    expect(formatTimes(found)).toBe(formatTimes(all))
    expect(all.filter(({ value }, i) => !(Math.abs(found[i]!.value - value) < 5e-10))).toEqual([])
  }
}

const formatTimes = (all: readonly Point[]) => all.map(({ time }) => new Date(time).toISOString()).join('\n')

/** Fetches from each venue with the faults that are chosen for it. */
export function testVenues(faultsOf: (source: string) => readonly Fault[]): void {
  describe.each(venues.filter(([source]) => faultsOf(source).length > 0))('%s', (source, venue, since, expected) => {
    test.each(faultsOf(source))('with %s, the series are complete, ordered and free of duplicates', async (fault) => {
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

    // Once for each venue, in the suite with most of its faults.
    if (faultsOf(source).length > 1) {
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
    }
  })
}
