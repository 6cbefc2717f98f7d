import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { Draft } from '#compute/publish/draft.ts'
import { publishMarketTables } from '#compute/publish/market-tables.ts'
import { publishPrices } from '#compute/publish/price-tables.ts'
import { toCloseOn } from '#ingest/market/prices.ts'
import { defaultSources } from '#ingest/market/sources.ts'
import { rowsRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'
import { type ServedMarket, serveMarket } from '../../ingest/market/fake-market.ts'
import { type FakeServer, serve } from '../../ingest/market/fake-server.ts'
import { spotVenue } from '../../ingest/market/fake-spot.ts'
import { day, hour, now, points } from '../../ingest/market/fake-venues.ts'
import { coinstrata, type Outcome, temporaryFolder } from '../../support/program.ts'

/** The first market's second day, and the first hour of the oldest exchange that still trades. */
const [firstDay, firstHour] = [parseDay('2010-07-18'), '2011-08-18T00:00Z']
const lastDay = parseDay('2026-11-19')
/**
 * Closes of 10 to 230 dollars: ten times one more than seven times the number of the day or hour,
 * modulo 23.
 */
const closes = points('2010-07-18T00:00Z', day, 10)
const hours = points(firstHour, hour, 10)
/** Two stretches of the hours, which spare the test the years between. */
const someHours = [...hours.slice(0, 500), ...hours.slice(-500)]

const folder = temporaryFolder('keyless')
const dataDir = path.join(folder, 'data')
let market: ServedMarket
let spot: FakeServer
const runs: Outcome[] = []
const tables = new Map<string, Record<string, unknown>[]>()
const counts = new Map<string, number>()
const findRow = (table: string, key: Record<string, unknown>): Record<string, unknown> | undefined =>
  tables.get(table)?.find((row) => Object.entries(key).every(([column, value]) => row[column] === value))

beforeAll(async () => {
  market = await serveMarket({ now: { latency: [0, 0], faults: 0, seed: 0 } })
  const venue = spotVenue(closes, someHours)
  spot = await serve(venue.answer)
  const environment: Record<string, string> = { DATA_DIR: dataDir, LOG_LEVEL: 'silent' }
  for (const [name, value] of Object.entries(market.env)) {
    if (name.endsWith('_BASE_URL')) environment[name] = value
    if (name.endsWith('_PER_MINUTE')) environment[name] = '1000000000'
  }
  for (const source of ['BITSTAMP', 'COINBASE', 'KRAKEN', 'BINANCE_SPOT', 'COIN_METRICS', 'BLOCKCHAIN_COM'])
    environment[`SOURCES_${source}_BASE_URL`] = spot.url
  // The program reads the time from its clock alone.
  vi.useFakeTimers({ toFake: ['Date'], now })
  for (let run = 0; run < 2; run++) runs.push(await coinstrata(['fetch'], { environment }))
  vi.useRealTimers()
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    const draft = new Draft(connection, path.join(folder, 'made'))
    const { dailyPrices } = await publishPrices(draft, dataDir, lastDay)
    const days = rowsRelation(
      'days',
      { date: 'DATE', supply_sats: 'BIGINT' },
      Array.from({ length: lastDay - firstDay + 1 }, (_, i) => {
        return { date: isoDate(firstDay + i), supply_sats: 2_000_000_000_000_000 }
      }),
    )
    const inputs = { draft, dataDir, closeOn: toCloseOn(dailyPrices!), lastDay, real: true, notes: [] }
    await publishMarketTables(inputs, days)
    for (const name of Object.keys(draft.tables)) {
      const file = `'${path.join(draft.folder, `${name}.parquet`)}'`
      const [[rows] = []] = (await connection.runAndReadAll(`SELECT count(*) FROM ${file}`)).getRowsJson()
      counts.set(name, Number(rows))
      // The first and the last hour.
      const read =
        name === 'prices_hourly' ? `FROM ${file} QUALIFY row_number() OVER () IN (1, ${rows})` : `FROM ${file}`
      tables.set(name, (await connection.runAndReadAll(read)).getRowObjectsJson())
    }
  })
})
afterAll(async () => {
  await market.close()
  await spot.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('without any key', () => {
  test('every source but those that want one is fetched, and a second fetch adds nothing', () => {
    const [first, second] = runs
    // With access tiers on, SoSoValue is used only if it is named.
    for (const { id, key } of defaultSources(true)) {
      const mark = key ? 'no key' : 'ok'
      expect(first?.stdout).toMatch(new RegExp(`^${mark} +${id} +`, 'm'))
      if (!key)
        expect(second?.stdout).toMatch(new RegExp(`^ok +${id} +0 added, 0 corrected, [1-9][\\d,]* already known`, 'm'))
    }
    expect(first?.stdout).not.toContain('sosovalue')
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  })

  test('prices and volume are of every day since 2010-07-17', () => {
    const prices = tables.get('prices') ?? []
    expect(prices).toHaveLength(lastDay - parseDay('2010-07-17') + 1)
    expect(prices.filter(({ close, volume }) => !(Number(close) > 0) || !(Number(volume) > 0))).toEqual([])
    // Twenty coins at 0.04951, then what one source says of the whole market.
    expect(prices[0]).toMatchObject({ date: '2010-07-17', close: 0.04951, volume: 0.9902, source: 'mt-gox' })
    expect(prices[1]).toMatchObject({ date: '2010-07-18', close: 10, volume: 10, source: 'coin-metrics' })
    // Each exchange trades twice as many coins as the close has dollars: one of them in 2012, four
    // in 2026.
    expect(findRow('prices', { date: '2012-01-01' })).toMatchObject({ close: 220, volume: 2 * 220 * 220 })
    expect(findRow('prices', { date: '2026-11-18' })).toMatchObject({
      open: 19,
      high: 23,
      low: 18,
      close: 20,
      volume: 4 * 2 * 20 * 20,
      disagreement: 0,
      source: 'bitstamp, coin-metrics, coinbase, kraken',
    })
  })

  test('hours are of the exchanges since 2011-08-18', () => {
    const prices = tables.get('prices_hourly') ?? []
    expect(counts.get('prices_hourly')).toBe((lastDay + 1 - parseDay('2011-08-18')) * 24)
    expect(prices).toHaveLength(2)
    expect(prices[0]).toMatchObject({ time: '2011-08-18 00:00:00', close: 10, volume: 200, source: 'bitstamp' })
    expect(prices.at(-1)).toMatchObject({ close: 200, volume: 4 * 2 * 200 * 200, source: 'bitstamp, coinbase, kraken' })
  })

  test('funding is of seven venues, and open interest of those that keep a history', () => {
    const on = (table: string) => (tables.get(table) ?? []).filter(({ date }) => date === '2026-11-18')
    const rates = new Map(on('funding').map(({ exchange, funding_rate }) => [exchange, Number(funding_rate)]))
    // Three settlements of 13, 20 and 4 hundred-thousandths over 24 hours; 24 of 281 millionths
    // together.
    for (const exchange of ['binance', 'bybit', 'okx', 'bitget', 'gate'])
      expect(rates.get(exchange), exchange).toBeCloseTo(37e-5 / 3, 15)
    for (const exchange of ['deribit', 'hyperliquid']) expect(rates.get(exchange), exchange).toBeCloseTo(281e-6 / 3, 15)
    expect(rates.size).toBe(7)
    // 12,000 of each market's unit at the midnight after, with a close of 20 dollars: two markets
    // in coins and one in dollars, one of each, and coins in contracts of a ten-thousandth.
    expect(on('open_interest')).toMatchObject([
      { exchange: 'binance' },
      { exchange: 'bybit', oi_btc: 24_600, oi_usd: 492_000 },
      { exchange: 'gate', oi_btc: 601.2, oi_usd: 12_024 },
      { exchange: 'okx', oi_btc: 12_600, oi_usd: 252_000 },
    ])
  })

  test('five American funds and more report, and treasuries rest on public filings', () => {
    expect(new Set(tables.get('etf')?.map(({ ticker }) => ticker))).toEqual(
      new Set(['IBIT', 'ARKB', 'BITB', 'BTCO', 'EZBC', 'HODL', 'MSBT']),
    )
    expect(findRow('etf', { ticker: 'IBIT', date: '2026-11-13' })).toMatchObject({ btc_holdings: 800_300.75 })
    expect(findRow('etf', { ticker: 'ARKB', date: '2026-11-13' })).toMatchObject({ btc_holdings: 34_812 })
    // Strategy's annual report for 2024.
    expect(findRow('treasuries', { id: 1, date: '2025-01-15' })).toMatchObject({
      btc_amount: 447_470,
      total_current_value_usd: 447_470 * 130,
    })
  })
})
