import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { aggregateFunds, fundDays } from '#ingest/market/daily-etf.ts'
import { aggregateFunding, exchangeFunding, marketFunding } from '#ingest/market/daily-funding.ts'
import { aggregateOpenInterest, marketOpenInterest } from '#ingest/market/daily-open-interest.ts'
import { aggregateTreasuries, entityDays } from '#ingest/market/daily-treasuries.ts'
import { tables } from '#ingest/market/observations.ts'
import { writeSimulatedMarket } from '#ingest/market/simulated-market.ts'
import { readObservations } from '#ingest/market/store.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { withSession } from '#sql/session.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-simulated-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

async function simulate(endDay: number) {
  const prices = simulatedPrices({ seed: 7, endDay })
  return withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, async (connection) => {
    await writeSimulatedMarket(connection, dataDir, { seed: 7, endDay, prices })
    return {
      funding: await readObservations(connection, dataDir, tables.funding),
      openInterest: await readObservations(connection, dataDir, tables.open_interest),
      etf: await readObservations(connection, dataDir, tables.etf),
      treasuries: await readObservations(connection, dataDir, tables.treasuries),
      closeOn: (day: number) => prices[day - prices[0]!.day]?.close ?? Number.NaN,
    }
  })
}

test('has every market series up to its last day, and a later end adds days and changes none', async () => {
  const before = await simulate(parseDay('2024-05-30'))
  const endDay = parseDay('2024-06-05')
  const { closeOn, ...after } = await simulate(endDay)
  for (const kind of ['funding', 'openInterest', 'etf', 'treasuries'] as const) {
    const earlier = new Set(before[kind].map((row) => JSON.stringify(row)))
    const kept = after[kind].filter((row) => earlier.has(JSON.stringify(row)))
    expect(kept).toHaveLength(before[kind].length)
    expect(after[kind].length).toBeGreaterThan(before[kind].length)
    expect(new Set(after[kind].map(({ source }) => source))).toEqual(new Set(['simulated']))
  }

  const markets = marketOpenInterest(after.openInterest, closeOn, endDay)
  expect(aggregateOpenInterest(markets).at(-1)).toMatchObject({ date: endDay, exchange_count: 7 })
  const rates = exchangeFunding(marketFunding(after.funding, endDay), markets)
  const funding = aggregateFunding(rates, markets).at(-1)
  expect(funding).toMatchObject({ date: endDay, exchange_count: 7, coverage_pct: 100 })
  expect(Math.abs(funding?.avg_funding_rate ?? 1)).toBeLessThan(0.002)
  const funds = aggregateFunds(fundDays(after.etf, closeOn, endDay)).at(-1)
  // Registry funds launched by then, without feeders.
  expect(funds).toMatchObject({ date: endDay, etf_count: 38 })
  expect(funds?.total_btc_holdings).toBeGreaterThan(500_000)
  const treasuries = aggregateTreasuries(entityDays(after.treasuries, closeOn, endDay), closeOn).at(-1)
  expect(treasuries?.date).toBe(endDay)
  expect(treasuries?.total_btc).toBeGreaterThan(100_000)
  expect(treasuries?.total_btc).toBeLessThan(2_000_000)
})
