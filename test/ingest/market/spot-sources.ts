import { describe, expect, test } from 'vitest'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, session } from './data-folder.ts'
import { addressed, type Fault, serve, withFault } from './fake-server.ts'
import { spotVenue } from './fake-spot.ts'
import { day, hour, now, points } from './fake-venues.ts'

export const fetchFrom = (urls: Record<string, string>, since?: string) => {
  const env: Record<string, string> = { SOURCES_COINDESK_API_KEY: 'the-key' }
  for (const [source, url] of Object.entries(urls)) {
    Object.assign(env, addressed(source, url))
  }
  const options = { env, dataDir, sources: Object.keys(urls), now, retryDelayMs: 1 }
  return session((connection) =>
    fetchSources({ connection, ...options, ...(since !== undefined && { since: Date.parse(since) }) }),
  )
}

export const daysFrom = Date.parse('2024-12-02')
export const closes = points(new Date(daysFrom).toISOString(), day, 100)
export const hoursFrom = Date.parse('2026-10-22')
export const hours = points(new Date(hoursFrom).toISOString(), hour, 10)
export const ended = (bars: typeof closes, length: number, from: number) =>
  bars.filter(({ time }) => time >= from && time + length <= now)
export const finished = ended(closes, day, daysFrom)

interface Expected {
  readonly source: string
  readonly bars: boolean
  readonly volumes: readonly [btc: number | null, usd: number | null]
  readonly hourly: boolean
}

const sources: readonly Expected[] = [
  { source: 'bitstamp', bars: true, volumes: [200, null], hourly: true },
  { source: 'coinbase', bars: true, volumes: [200, null], hourly: true },
  { source: 'kraken', bars: true, volumes: [200, 20_000], hourly: true },
  { source: 'binance-spot', bars: true, volumes: [200, 20_000], hourly: true },
  { source: 'coindesk', bars: true, volumes: [200, 20_000], hourly: false },
  { source: 'coin-metrics', bars: false, volumes: [null, null], hourly: false },
]

/** Fetches from each source with the faults that are chosen for it. */
export function testSpotSources(faultsOf: (source: string) => readonly Fault[]): void {
  describe.each(sources.filter(({ source }) => faultsOf(source).length > 0))(
    '$source',
    ({ source, bars, volumes, hourly }) => {
      test.each(faultsOf(source))('with %s, every finished day and hour is stored once', async (fault) => {
        const server = await serve(withFault(spotVenue(closes, hours), fault))
        try {
          const [report] = await fetchFrom({ [source]: server.url }, new Date(daysFrom).toISOString())
          const rows = await session((connection) => readObservations(connection, dataDir, tables.prices))
          expect(rows.map(({ date, open, high, low, close }) => [date * day, open, high, low, close])).toEqual(
            finished.map(({ time, value }) =>
              bars ? [time, value - 1, value + 3, value - 2, value] : [time, value, value, value, value],
            ),
          )
          expect([rows[0]?.volume_btc, rows[0]?.volume_usd]).toEqual(volumes)
          const stored = await session((connection) => readObservations(connection, dataDir, tables.prices_hourly))
          const expected = hourly ? ended(hours, hour, source === 'kraken' ? now - 720 * hour : hoursFrom) : []
          expect(stored.map(({ time, open, high, low, close }) => [time, open, high, low, close])).toEqual(
            expected.map(({ time, value }) => [time, value - 1, value + 3, value - 2, value]),
          )
          expect(report).toMatchObject({ source, outcome: 'ok', added: rows.length + stored.length })
          const [again] = await fetchFrom({ [source]: server.url })
          expect(again).toMatchObject({ outcome: 'ok', added: 0, corrected: 0, gaps: 0 })
        } finally {
          await server.close()
        }
      })
    },
  )
}
