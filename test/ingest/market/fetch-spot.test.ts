import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readDailyPrices } from '#ingest/market/prices.ts'
import { readObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { faults, serve, withFault } from './fake-server.ts'
import { spotVenue } from './fake-spot.ts'
import { day, now, points } from './fake-venues.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-spot-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const session = <T>(work: Parameters<typeof withSession<T>>[1]) =>
  withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, work)

const fetchFrom = (urls: Record<string, string>, since: string) => {
  const env: Record<string, string> = {}
  for (const [source, url] of Object.entries(urls)) {
    env[`SOURCES_${source.toUpperCase()}_BASE_URL`] = url
    env[`SOURCES_${source.toUpperCase()}_REQUESTS_PER_MINUTE`] = '1000000'
  }
  const sources = Object.keys(urls)
  return session((connection) =>
    fetchSources({ connection, dataDir, env, sources, since: Date.parse(since), now, retryDelay: 1 }),
  )
}

const closes = points('2024-01-01T00:00Z', day, 100)
const finished = closes.filter(({ time }) => time < Date.parse('2026-11-20'))

describe.each(['coindesk', 'bitstamp', 'coinbase'])('%s', (source) => {
  test.each(faults)('with %s, every finished day is stored once', async (fault) => {
    const server = await serve(withFault(spotVenue(closes), fault))
    try {
      const [report] = await fetchFrom({ [source]: server.url }, '2024-01-01')
      expect(report).toMatchObject({ source, outcome: 'ok', gaps: 0 })
      const rows = await session((connection) => readObservations(connection, dataDir, tables.prices))
      expect(rows.map(({ date, open, high, low, close }) => [date * day, open, high, low, close])).toEqual(
        finished.map(({ time, value }) => [time, value - 1, value + 3, value - 2, value]),
      )
      expect(rows[0]).toMatchObject({ volume_btc: 200, volume_usd: source === 'coindesk' ? 20_000 : null })
    } finally {
      await server.close()
    }
  })
})

test('the price is the median of the sources, and tells where they contradict each other', async () => {
  const right = await serve(spotVenue(closes).answer)
  const wrong = await serve(
    spotVenue(
      closes.map(({ time, value }) => ({ time, value: time === Date.parse('2026-11-10') ? value * 1.05 : value })),
    ).answer,
  )
  try {
    await fetchFrom({ coinbase: wrong.url, bitstamp: right.url, coindesk: right.url }, '2026-11-01')
    const prices = await session((connection) => readDailyPrices(connection, dataDir))
    const own = finished.filter(({ time }) => time >= Date.parse('2026-11-01')).map(({ value }) => value)
    expect([...prices!.close]).toEqual(own)
    expect([...prices!.disagreement].map((spread) => Math.round(spread * 100))).toEqual(
      own.map((_, i) => (i === 9 ? 5 : 0)),
    )
    expect(prices).toMatchObject({ source: 'bitstamp, coinbase, coindesk', simulated: false })
    // Two exchanges, each of which trades twice its close.
    expect(prices?.volume[0]).toBe(2 * 2 * own[0]! * own[0]!)
  } finally {
    await right.close()
    await wrong.close()
  }
})
