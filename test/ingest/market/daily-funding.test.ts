import { describe, expect, test } from 'vitest'
import { aggregateFunding, exchangeFunding, marketFunding } from '#ingest/market/daily-funding.ts'
import { aggregateOpenInterest, exchangeOpenInterest, marketOpenInterest } from '#ingest/market/daily-open-interest.ts'

const hour = 3_600_000
const date = Date.parse('2026-03-10') / 86_400_000
const closeOn = () => 50_000
const provenance = { source: 'venue', fetchedAt: 0 }

/** Settlements of equal rate at these hours of the day, counted from its midnight. */
const settlements = (exchange: string, instrument: string, hours: number[], rate: number, day = date) =>
  hours.map((at) => {
    return { exchange, instrument, time: (day * 24 + at) * hour, rate, interval_hours: null, ...provenance }
  })
const eightHourly = [0, 8, 16]
const hourly = Array.from({ length: 24 }, (_, i) => i)

const openInterest = (exchange: string, instrument: string, usd: number, day = date) => {
  return { date: day, exchange, instrument, usd, btc: usd / closeOn() }
}

const aggregate = (
  funding: ReturnType<typeof settlements>,
  weights: ReturnType<typeof openInterest>[],
  lastDay = date,
) => aggregateFunding(exchangeFunding(marketFunding(funding, lastDay), weights), weights)

describe('the aggregate rate', () => {
  const weights = [openInterest('binance', 'BTCUSDT', 6e9), openInterest('hyperliquid', 'BTC', 3e9)]
  // A third exchange without weight to speak of, since two are too few.
  const third = openInterest('okx', 'BTC-USDT-SWAP', 1e-6)
  const eight = settlements('binance', 'BTCUSDT', eightHourly, 0.0001)
  const other = settlements('okx', 'BTC-USDT-SWAP', eightHourly, 0.0001)

  test('is equal when hourly rates add up to the eight-hourly one', () => {
    const [row] = aggregate(
      [...eight, ...settlements('hyperliquid', 'BTC', hourly, 0.0000125), ...other],
      [...weights, third],
    )
    expect(row?.avg_funding_rate).toBeCloseTo(0.0001, 12)
    expect(row?.spread).toBeCloseTo(0, 12)
  })

  test('is weighted by open interest and annualized to 21.9 %', () => {
    const [row] = aggregate(
      [...eight, ...settlements('hyperliquid', 'BTC', hourly, 0.00005), ...other],
      [...weights, third],
    )
    expect(row).toMatchObject({ date, exchange_count: 3 })
    expect(row?.avg_funding_rate).toBeCloseTo(0.0002, 12)
    expect(row?.annualized).toBeCloseTo(0.219, 9)
    expect(row?.spread).toBeCloseTo(0.0003, 12)
    expect(row?.coverage_pct).toBeCloseTo(100, 9)
  })

  test('is null below three exchanges, but says how many there are', () => {
    const [row] = aggregate([...eight, ...settlements('hyperliquid', 'BTC', hourly, 0.00005)], weights)
    expect(row).toEqual({
      date,
      avg_funding_rate: null,
      annualized: null,
      spread: null,
      exchange_count: 2,
      coverage_pct: null,
    })
  })

  test('leaves out an exchange whose open interest is more than three days old, and says how much is covered', () => {
    const rates = [...eight, ...other, ...settlements('gate', 'BTC_USDT', eightHourly, 0.0004)]
    const three = [openInterest('binance', 'BTCUSDT', 6e9), openInterest('okx', 'BTC-USDT-SWAP', 3e9)]
    const bybit = openInterest('bybit', 'BTCUSDT', 1e9)
    const recent = aggregate(rates, [...three, bybit, openInterest('gate', 'BTC_USDT', 1e9, date - 3)])[0]
    expect(recent?.exchange_count).toBe(3)
    expect(recent?.avg_funding_rate).toBeCloseTo((9e9 * 0.0001 + 1e9 * 0.0004) / 10e9, 12)
    expect(recent?.coverage_pct).toBeCloseTo((100 * 10) / 11, 9)
    const old = aggregate(rates, [...three, bybit, openInterest('gate', 'BTC_USDT', 1e9, date - 4)])[0]
    expect(old).toMatchObject({ exchange_count: 2, avg_funding_rate: null })
  })
})

describe('the rate of an exchange', () => {
  const markets = [
    ...settlements('deribit', 'BTC-PERPETUAL', hourly, 0.00001),
    ...settlements('deribit', 'BTC_USDC-PERPETUAL', hourly, 0.00005),
  ]

  test('weights its markets by their open interest', () => {
    const weights = [openInterest('deribit', 'BTC-PERPETUAL', 3e8), openInterest('deribit', 'BTC_USDC-PERPETUAL', 1e8)]
    const [row] = exchangeFunding(marketFunding(markets, date), weights)
    // 8 × (3 × 0.00001 + 1 × 0.00005) / 4
    expect(row?.funding_rate).toBeCloseTo(0.00016, 12)
    expect(row?.annualized).toBeCloseTo(0.1752, 9)
    expect(row).toMatchObject({ oi_usd: 4e8, oi_weight: 1 })
  })

  test('is that of its main market before any open interest is known', () => {
    const [row] = exchangeFunding(marketFunding(markets, date), [])
    expect(row?.funding_rate).toBeCloseTo(0.00008, 12)
    expect(row).toMatchObject({ oi_usd: null, oi_weight: null })
  })
})

describe('the rate of a market', () => {
  test('follows a change of the interval within the day', () => {
    // Every 8 h until 8:00, every 4 h from then on: the five settlements of the day cover 8 + 8 + 3
    // × 4 hours.
    const rows = [
      ...settlements('bybit', 'BTCUSDT', [-8, 0, 8], 0.0002),
      ...settlements('bybit', 'BTCUSDT', [12, 16, 20, 24], 0.0001),
    ]
    const [row, ...others] = marketFunding(rows, date)
    expect(row?.date).toBe(date)
    expect(row?.rate8h).toBeCloseTo((0.0007 * 8) / 28, 12)
    expect(others).toEqual([])
  })

  test('counts one settlement once, though two sources know it', () => {
    const twice = settlements('bybit', 'BTCUSDT', [0, 8, 16, 24], 0.0003).flatMap((row) => [
      row,
      { ...row, time: row.time + 40, source: 'import', fetchedAt: 1 },
    ])
    expect(marketFunding(twice, date)[0]?.rate8h).toBeCloseTo(0.0003, 12)
  })

  test('takes a stamp some milliseconds before midnight for midnight', () => {
    const early = settlements('bybit', 'BTCUSDT', [0, 8, 16, 24], 0.0001).map((row) => ({ ...row, time: row.time - 3 }))
    expect(marketFunding(early, date).map((row) => row.date)).toEqual([date])
  })

  test.each([
    ['that the source had not finished', hourly.slice(0, 18), date, []],
    ['of less than 16 hours', [9, 10, 11, 24], date, []],
    ['after the last closed one', [0, 8, 16, 24], date - 1, []],
    ['with a hole that the source went on after', [...hourly.slice(0, 8), ...hourly.slice(14), 24], date, [date]],
    ['that ends with its last settlement', hourly, date, [date]],
  ])('knows what to do with a day %s', (_, hours, lastDay, days) => {
    const rows = settlements('deribit', 'BTC-PERPETUAL', hours, 0.0001).map((row) => ({ ...row, interval_hours: 1 }))
    expect(marketFunding(rows, lastDay).map((row) => row.date)).toEqual(days)
  })
})

describe('open interest', () => {
  const snapshot = (exchange: string, instrument: string, at: string, amount: number, unit: 'btc' | 'usd' = 'btc') => {
    return { exchange, instrument, time: Date.parse(at), amount, unit, ...provenance }
  }

  test('of a day is its last snapshot, a stamp of midnight belonging to the day before', () => {
    const rows = [
      snapshot('okx', 'A', '2026-03-11T00:00Z', 30),
      snapshot('okx', 'A', '2026-03-10T23:00Z', 20),
      snapshot('okx', 'A', '2026-03-10T10:00Z', 10),
      snapshot('okx', 'A', '2026-03-11T00:00:05Z', 40),
      snapshot('okx', 'A', '2026-03-11T19:00Z', 50),
    ]
    expect(marketOpenInterest(rows, closeOn, date + 1)).toEqual([
      { date, exchange: 'okx', instrument: 'A', btc: 30, usd: 1_500_000 },
      { date: date + 1, exchange: 'okx', instrument: 'A', btc: 50, usd: 2_500_000 },
    ])
    expect(marketOpenInterest(rows, closeOn, date)).toHaveLength(1)
  })

  test('is converted between bitcoin and dollars at the close of the day', () => {
    const [row] = marketOpenInterest(
      [snapshot('deribit', 'BTC-PERPETUAL', '2026-03-11T00:00Z', 1e6, 'usd')],
      closeOn,
      date,
    )
    expect(row).toMatchObject({ usd: 1e6, btc: 20 })
  })

  test('of a day whose last snapshot is from before its last six hours is not known, nor without a price', () => {
    const rows = [snapshot('okx', 'A', '2026-03-10T17:59Z', 10)]
    expect(marketOpenInterest(rows, closeOn, date)).toEqual([])
    const late = [snapshot('okx', 'A', '2026-03-10T18:00Z', 10)]
    expect(marketOpenInterest(late, closeOn, date)).toHaveLength(1)
    expect(marketOpenInterest(late, () => Number.NaN, date)).toEqual([])
  })

  const yesterday = [
    openInterest('binance', 'BTCUSDT', 5e9, date - 1),
    openInterest('okx', 'BTC-USDT-SWAP', 2e9, date - 1),
    openInterest('gate', 'BTC_USDT', 1e9, date - 1),
  ]
  const today = [
    openInterest('binance', 'BTCUSDT', 6e9),
    // A market that was not known the day before.
    openInterest('binance', 'BTCUSDC', 1e9),
    openInterest('okx', 'BTC-USDT-SWAP', 1.5e9),
    openInterest('gate', 'BTC_USDT', 1.1e9),
    // An exchange that joins.
    openInterest('deribit', 'BTC-PERPETUAL', 4e8),
  ]

  test('changes over the markets known on both days', () => {
    const [first, row] = aggregateOpenInterest([...yesterday, ...today])
    expect(first).toMatchObject({ total_oi_usd: 8e9, oi_delta_usd: null, exchange_count: 3 })
    expect(row).toMatchObject({ date, total_oi_usd: 10e9, total_oi_btc: 200_000, exchange_count: 4 })
    // 1e9 − 0.5e9 + 0.1e9 on 8e9
    expect(row?.oi_delta_usd).toBeCloseTo(0.6e9, 3)
    expect(row?.oi_delta_btc).toBeCloseTo(12_000, 6)
    expect(row?.oi_delta_pct).toBeCloseTo(7.5, 9)
  })

  test('is shared among the exchanges', () => {
    const rows = exchangeOpenInterest([...yesterday, ...today]).filter((row) => row.date === date)
    expect(
      rows.map(({ exchange, oi_usd, oi_delta_usd, oi_share }) => [exchange, oi_usd, oi_delta_usd, oi_share]),
    ).toEqual([
      ['binance', 7e9, 1e9, 0.7],
      ['okx', 1.5e9, -0.5e9, 0.15],
      ['gate', 1.1e9, expect.closeTo(0.1e9, 3), expect.closeTo(0.11, 9)],
      ['deribit', 4e8, null, 0.04],
    ])
  })

  test('is null below three exchanges', () => {
    expect(aggregateOpenInterest(today.slice(0, 3))).toEqual([
      {
        date,
        total_oi_usd: null,
        total_oi_btc: null,
        oi_delta_usd: null,
        oi_delta_btc: null,
        oi_delta_pct: null,
        exchange_count: 2,
      },
    ])
  })
})
