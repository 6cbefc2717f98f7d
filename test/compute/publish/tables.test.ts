import { describe, expect, it } from 'vitest'
import type { Observation } from '#ingest/market/observations.ts'
import { dayLength, first, publish } from './publish-stored.ts'

/** A market that settles the same rate at every interval of four days. */
const settlements = (exchange: string, rate: number, hours: number): Observation<'funding'>[] =>
  Array.from({ length: (4 * 24) / hours }, (_, i) => ({
    exchange,
    instrument: 'BTCUSDT',
    time: first * dayLength + i * hours * 3_600_000,
    rate,
    interval_hours: hours,
  }))

/** Open interest in BTC at the midnight that ends each day; null for none. */
const stamps = (exchange: string, amounts: readonly (number | null)[]): Observation<'open_interest'>[] =>
  amounts.flatMap((amount, i) => {
    const time = (first + i + 1) * dayLength
    return amount === null ? [] : [{ exchange, instrument: 'BTCUSDT', time, amount, unit: 'btc' as const }]
  })

describe('derivatives', () => {
  const funding = [
    ...settlements('binance', 0.0001, 8),
    ...settlements('okx', 0.0004, 8),
    // 0.00005 an hour is 0.0004 in eight hours.
    ...settlements('hyperliquid', 0.00005, 1),
  ]
  const open_interest = [
    ...stamps('binance', [600, 600, 600, 600]),
    ...stamps('okx', [100, 100, 130, 130]),
    ...stamps('hyperliquid', [200, 200, null, null]),
    // Joins on the second day.
    ...stamps('bybit', [null, 1000, 1000, 1000]),
  ]

  it('give the rate of each exchange per eight hours, and the mean of all weighted by open interest', () =>
    publish({ funding, open_interest }, async (rowsOf) => {
      // (6 × 0.0001 + 1 × 0.0004 + 2 × 0.0004) / 9 = 0.0002, which is 21.9 % a year.
      const [aggregate] = await rowsOf(
        `SELECT round(avg_funding_rate, 12), round(annualized, 10), round(spread, 12), exchange_count
         FROM funding_aggregate WHERE date = '2024-03-01'`,
      )
      expect(aggregate).toEqual([0.0002, 0.219, 0.0003, 3])
      expect(
        await rowsOf(
          `SELECT exchange, round(funding_rate, 12), round(annualized, 10), round(oi_weight * 9, 10), source
           FROM <funding> WHERE date = '2024-03-01' ORDER BY exchange`,
        ),
      ).toEqual([
        ['binance', 0.0001, 0.1095, 6, 'made'],
        ['hyperliquid', 0.0004, 0.438, 2, 'made'],
        ['okx', 0.0004, 0.438, 1, 'made'],
      ])
    }))

  it('give open interest at the close of the day, and changes over the markets of both days', () =>
    publish({ funding, open_interest }, async (rowsOf) => {
      expect(await rowsOf(`SELECT * EXCLUDE (date) FROM open_interest_aggregate ORDER BY date`)).toEqual([
        [900 * 50_000, 900, null, null, null, 3],
        // 900 BTC were there before: 900 × (52,000 − 50,000) of 45,000,000 is 4 %.
        [1900 * 52_000, 1900, 1_800_000, 0, 4, 4],
        // Without Hyperliquid: 1,730 BTC after 1,700, at 51,000 after 52,000.
        [1730 * 51_000, 1730, 1730 * 51_000 - 1700 * 52_000, 30, expect.closeTo((100 * -170_000) / 88_400_000, 10), 3],
      ])
      expect(
        await rowsOf(`SELECT date::VARCHAR, oi_usd, oi_btc, oi_delta_usd, oi_share FROM <open_interest>
          WHERE exchange = 'okx' ORDER BY date`),
      ).toEqual([
        ['2024-03-01', 5_000_000, 100, null, 100 / 900],
        ['2024-03-02', 5_200_000, 100, 200_000, 100 / 1900],
        ['2024-03-03', 6_630_000, 130, 1_430_000, 130 / 1730],
      ])
    }))

  it('have no total of fewer than three exchanges, but count them', () =>
    publish(
      { funding, open_interest: open_interest.filter(({ exchange }) => exchange !== 'bybit') },
      async (rowsOf) => {
        expect(
          await rowsOf(`SELECT total_oi_usd, oi_delta_usd, oi_delta_pct, exchange_count FROM open_interest_aggregate
          WHERE date = '2024-03-03'`),
        ).toEqual([[null, null, null, 2]])
      },
    ))

  it('have no mean rate of exchanges whose open interest is unknown', () =>
    publish({ funding }, async (rowsOf) => {
      expect(
        await rowsOf(`SELECT count(*), count(avg_funding_rate), max(exchange_count) FROM funding_aggregate`),
      ).toEqual([['3', '0', 0]])
      // BTCUSDT is the main market of Binance alone.
      expect(await rowsOf(`SELECT exchange, count(*), count(oi_weight) FROM <funding> GROUP BY ALL`)).toEqual([
        ['binance', '3', '0'],
      ])
    }))

  it('have rows of closed days only', () =>
    publish({ funding, open_interest }, async (rowsOf) => {
      for (const table of ['<funding>', 'funding_aggregate', '<open_interest>', 'open_interest_aggregate']) {
        expect(await rowsOf(`SELECT max(date)::VARCHAR FROM ${table}`), table).toEqual([['2024-03-03']])
      }
    }))
})

const fund = (ticker: string, day: number, holdings_btc: number, premium = 0): Observation<'etf'> => ({
  ticker,
  date: first + day,
  holdings_btc,
  shares_outstanding: null,
  nav_usd: 100,
  market_price_usd: 100 * (1 + premium),
  aum_usd: null,
  flow_usd: null,
  premium: null,
})

describe('funds', () => {
  const etf = [
    fund('IBIT', 0, 100),
    fund('IBIT', 1, 110, 0.02),
    fund('IBIT', 2, 99),
    fund('IBIT', 3, 500),
    fund('3042.HK', 0, 10),
    fund('3042.HK', 1, 10, -0.01),
    fund('3042.HK', 2, 10),
    fund('3042.HK', 3, 10),
    // Holds shares of IBIT.
    fund('IBIT.AX', 0, 7),
    fund('IBIT.AX', 3, 7),
  ]

  it('give holdings, flows and what the coins cost', () =>
    publish({ etf }, async (rowsOf) => {
      expect(
        await rowsOf(
          `SELECT date::VARCHAR, btc_holdings, net_flow_btc, net_flow_usd, cumulative_flow_btc, aum_usd,
             round(realized_cap, 6), round(premium, 10), estimated, source FROM <etf> WHERE ticker = 'IBIT' ORDER BY date`,
        ),
      ).toEqual([
        ['2024-03-01', 100, null, null, 0, 5_000_000, 5_000_000, 0, false, 'made'],
        ['2024-03-02', 110, 10, 520_000, 10, 5_720_000, 5_520_000, 0.02, false, 'made'],
        // A tenth leaves, and with it a tenth of the cost.
        ['2024-03-03', 99, -11, -561_000, -1, 5_049_000, 4_968_000, 0, false, 'made'],
      ])
    }))

  it('add up without those that hold other funds', () =>
    publish({ etf }, async (rowsOf) => {
      const [row] = await rowsOf(
        `SELECT total_btc_holdings, total_aum_usd, net_flow_btc, net_flow_usd, cumulative_flow_btc, cumulative_money_flow,
           round(realized_price, 6), us_btc_holdings, round(us_realized_price, 6), etf_count
         FROM etf_aggregate WHERE date = '2024-03-03'`,
      )
      expect(row).toEqual([
        109,
        109 * 51_000,
        -11,
        -561_000,
        -1,
        -41_000,
        Number(((4_968_000 + 500_000) / 109).toFixed(6)),
        99,
        Number((4_968_000 / 99).toFixed(6)),
        2,
      ])
      // Assets of 5.72 and 0.52 million: (5.72 × 0.02 − 0.52 × 0.01) / 6.24.
      const [premium] = await rowsOf(`SELECT premium_average FROM etf_aggregate WHERE date = '2024-03-02'`)
      expect(premium?.[0]).toBeCloseTo(0.0175, 12)
    }))

  it('are described, whether there are data of them or not', () =>
    publish({ etf }, async (rowsOf) => {
      expect(
        await rowsOf(`SELECT ticker, country, launch_date::VARCHAR, feeder_of FROM <etf_registry>
          WHERE ticker IN ('IBIT', 'IBIT.AX', 'FBTC.TO') ORDER BY ticker`),
      ).toEqual([
        ['FBTC.TO', 'CA', '2021-12-02', null],
        ['IBIT', 'US', '2024-01-11', null],
        ['IBIT.AX', 'AU', null, 'IBIT'],
      ])
    }))
})

describe('treasuries', () => {
  const report = (entity_id: number, day: number, holdings_btc: number, source_url: string | null = null) => {
    return { entity_id, date: first + day, holdings_btc, change_btc: null, source_url }
  }
  const treasuries = [
    report(1, 0, 20, 'https://example.org/1'),
    report(1, 2, 30),
    report(8, 1, 5),
    // A government.
    report(60, 0, 40),
    report(60, 3, 0),
  ]

  it('give holdings by entity with their share of supply and of all entities', () =>
    publish({ treasuries }, async (rowsOf) => {
      expect(
        await rowsOf(
          `SELECT date::VARCHAR, btc_amount, total_current_value_usd, net_flow_btc, cumulative_flow_btc,
             percentage_of_total_supply, round(market_share_pct, 10), source FROM <treasuries> WHERE id = 1 ORDER BY date`,
        ),
      ).toEqual([
        ['2024-03-01', 20, 1_000_000, null, 0, 2, Number((2000 / 60).toFixed(10)), 'https://example.org/1'],
        ['2024-03-02', 20, 1_040_000, 0, 0, 2, Number((2000 / 65).toFixed(10)), null],
        ['2024-03-03', 30, 1_530_000, 10, 10, 3, 40, 'made'],
      ])
    }))

  it('add up the companies, with the other types beside them', () =>
    publish({ treasuries }, async (rowsOf) => {
      expect(
        await rowsOf(
          `SELECT total_btc, total_companies, public_company_btc, private_company_btc, government_btc, net_change_btc,
             total_value_usd, cumulative_money_flow FROM treasuries_aggregate ORDER BY date`,
        ),
      ).toEqual([
        [20, 1, 20, 0, 40, 0, 1_000_000, 0],
        [25, 2, 20, 5, 40, 0, 1_300_000, 0],
        [35, 2, 30, 5, 40, 10, 1_785_000, 510_000],
      ])
    }))

  it('are described with their first date', () =>
    publish({ treasuries }, async (rowsOf) => {
      expect(
        await rowsOf(`SELECT id, name, ticker, type, country, first_date::VARCHAR FROM <treasury_registry>
          WHERE id IN (1, 2, 8) ORDER BY id`),
      ).toEqual([
        [1, 'Strategy', 'MSTR', 'public', 'US', '2024-03-01'],
        [2, 'Twenty One Capital', 'XXI', 'public', 'US', null],
        [8, 'SpaceX', null, 'private', 'US', '2024-03-02'],
      ])
    }))
})

it('without stored data every table is there, and empty but for the registries', () =>
  publish({}, async (rowsOf, names) => {
    const counts = await Promise.all(
      names.map(async (name) => [name, Number((await rowsOf(`SELECT count(*) FROM <${name}>`))[0]?.[0])]),
    )
    expect(Object.fromEntries(counts)).toEqual({
      funding: 0,
      open_interest: 0,
      exchanges: 7,
      etf: 0,
      etf_registry: expect.any(Number),
      treasuries: 0,
      treasury_registry: expect.any(Number),
    })
    expect(await rowsOf('SELECT exchange, name FROM <exchanges> ORDER BY exchange LIMIT 2')).toEqual([
      ['binance', 'Binance'],
      ['bitget', 'Bitget'],
    ])
  }))
