import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchSources, type SourceReport } from '#ingest/market/fetch.ts'
import { type ObservationTable, tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { trials } from '#test/support/trials.ts'
import { fakeMarket, type ServedMarket, serveMarket, type Weather } from './fake-market.ts'
import { now } from './fake-venues.ts'

/** SOAK_RUNS=50 for a night; a few are enough to find what happens every other time. */
const runs = Number(process.env.SOAK_RUNS ?? trials(1, 2))
const minutes = 60_000
const since = Date.parse('2026-11-05')

const weather: { now: Weather } = { now: { latency: [0, 5], faults: 0, seed: 0 } }
let market: ServedMarket
let folder: string
beforeAll(async () => {
  market = await serveMarket(weather)
  folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-soak-'))
})
afterAll(async () => {
  await market.close()
  rmSync(folder, { recursive: true })
})

function fetchAll(dataDir: string, at: number, options: { since?: number } = {}): Promise<SourceReport[]> {
  const { env } = market
  const sources = Object.keys(fakeMarket)
  return withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, (connection) =>
    fetchSources({ connection, dataDir, env, sources, now: at, retryDelayMs: 1, storeIntervalMs: 100, ...options }),
  )
}

/** Everything that is stored, but for when it was fetched. */
function stored(dataDir: string): Promise<Record<string, unknown[]>> {
  return withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, async (connection) => {
    const kinds: Record<string, unknown[]> = {}
    for (const table of Object.values<ObservationTable>(tables)) {
      const rows = await readObservations(connection, dataDir, table)
      // Some venues date a snapshot by our clock, so each run takes another.
      const lasting = rows.filter(({ source }) => !source.endsWith('-snapshots'))
      kinds[table.kind] = lasting.map(({ fetchedAt: _, ...row }) => row)
    }
    return kinds
  })
}

test(`${runs} times, fetching from all sources in bad weather loses nothing and fails only where it is told to wait`, {
  timeout: 60_000 + runs * 60_000,
}, async () => {
  const calm = path.join(folder, 'calm')
  expect((await fetchAll(calm, now, { since })).map(({ outcome }) => outcome)).toEqual(
    Object.keys(fakeMarket).map(() => 'ok'),
  )
  const expected = await stored(calm)
  for (const kind of ['prices', 'prices_hourly', 'market_volume', 'funding', 'open_interest', 'etf', 'treasuries'])
    expect(expected[kind]?.length, kind).toBeGreaterThan(0)

  let paused = 0
  for (let run = 1; run <= runs; run++) {
    const dataDir = path.join(folder, `run-${run}`)
    weather.now = { latency: [50, 350], faults: 0.12, seed: run }
    let at = now
    let reports = await fetchAll(dataDir, at, { since })
    for (let again = 1; reports.some(({ outcome }) => outcome !== 'ok'); again++) {
      const notOk = reports.filter(({ outcome }) => outcome !== 'ok')
      expect(again, JSON.stringify(notOk)).toBeLessThan(5)
      for (const report of notOk) {
        paused++
        // Nothing but a ban or a limit of minutes may end a source's run.
        expect(report, report.message).toMatchObject({ outcome: 'paused' })
        expect(['binance', 'binance-coin', 'bybit']).toContain(report.source)
      }
      at += 11 * minutes
      reports = await fetchAll(dataDir, at, { since })
    }
    // Into the filled folder, where every series begins with a look at what is stored.
    weather.now = { latency: [50, 350], faults: 0.12, seed: 1_000 + run }
    for (const report of await fetchAll(dataDir, at)) {
      expect(report, report.message).toMatchObject({ added: 0, corrected: 0 })
      if (report.outcome !== 'paused') expect(report, report.message).toMatchObject({ outcome: 'ok' })
    }
    expect(await stored(dataDir)).toEqual(expected)
    rmSync(dataDir, { recursive: true })
  }
  process.stdout.write(`soak: ${runs} folders filled and fetched again, ${paused} times a source was told to wait\n`)
})
