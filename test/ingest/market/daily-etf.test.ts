import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { aggregateFunds, describeFundCoverage, fundDays } from '#ingest/market/daily-etf.ts'

/** Thursday 8 January 2026 at 100,000 USD, and a thousand more each day. */
const thursday = parseDay('2026-01-08')
const closeOn = (day: number) => 100_000 + 1_000 * (day - thursday)

const nothing = {
  holdings_btc: null,
  shares_outstanding: null,
  nav_usd: null,
  market_price_usd: null,
  aum_usd: null,
  flow_usd: null,
  premium: null,
}
const report = (
  ticker: string,
  day: number,
  values: Partial<Record<keyof typeof nothing, number>>,
  source = 'import',
) => {
  return { ticker, date: thursday + day, ...nothing, ...values, source, fetchedAt: 0 }
}

const lastDay = thursday + 30

describe('a fund', () => {
  test('has flows, cost and value by hand', () => {
    const days = fundDays(
      [
        report('IBIT', 0, { holdings_btc: 100 }),
        report('IBIT', 1, { holdings_btc: 150, aum_usd: 15e6 }),
        report('IBIT', 4, { holdings_btc: 120 }),
      ],
      closeOn,
      lastDay,
    )
    // 100 coins at 100,000; 50 more at 101,000; then a fifth of them leaves.
    expect(days.map((day) => [day.date - thursday, day.btc_holdings, day.net_flow_btc, day.net_flow_usd])).toEqual([
      [0, 100, null, null],
      [1, 150, 50, 5_050_000],
      [2, 150, 0, 0],
      [3, 150, 0, 0],
      [4, 120, -30, -30 * 104_000],
    ])
    expect(days.map((day) => day.realized_cap)).toEqual([10e6, 15.05e6, 15.05e6, 15.05e6, expect.closeTo(12.04e6, 3)])
    expect(days.map((day) => day.aum_usd)).toEqual([10e6, 15e6, 150 * 102_000, 150 * 103_000, 120 * 104_000])
    expect(days.map((day) => day.cumulative_flow_btc)).toEqual([0, 50, 50, 50, 20])
  })

  test('that only pays its fee in coins has no flow', () => {
    const shares = { shares_outstanding: 1_000 }
    const days = fundDays(
      [report('IBIT', 0, { holdings_btc: 100, ...shares }), report('IBIT', 1, { holdings_btc: 99.99, ...shares })],
      closeOn,
      lastDay,
    )
    expect(days[1]).toMatchObject({ net_flow_btc: 0, net_flow_usd: 0 })
    expect(days[1]?.realized_cap).toBeCloseTo(99.99 * 100_000, 3)
  })

  test('that issues shares has the coins behind them as flow, in dollars at their net asset value', () => {
    const days = fundDays(
      [
        report('IBIT', 0, { holdings_btc: 100, shares_outstanding: 1_000 }),
        report('IBIT', 1, { holdings_btc: 120, shares_outstanding: 1_250, nav_usd: 9_500 }),
      ],
      closeOn,
      lastDay,
    )
    // 250 shares of 0.096 coins each
    expect(days[1]?.net_flow_btc).toBeCloseTo(24, 9)
    expect(days[1]?.net_flow_usd).toBe(2_375_000)
  })

  test('takes each value from the best source that has it', () => {
    const days = fundDays(
      [
        report('IBIT', 0, { holdings_btc: 100 }, 'ishares'),
        report('IBIT', 1, { aum_usd: 1, flow_usd: 777, market_price_usd: 51, nav_usd: 50 }, 'sosovalue'),
        report('IBIT', 1, { holdings_btc: 110, aum_usd: 11e6 }, 'ishares'),
        report('IBIT', 1, { holdings_btc: 111 }, 'import'),
      ],
      closeOn,
      lastDay,
    )
    expect(days[1]).toMatchObject({ btc_holdings: 111, aum_usd: 11e6, net_flow_usd: 777, net_flow_btc: 11 })
    expect(days[1]?.premium).toBeCloseTo(0.02, 12)
  })

  test('without reported holdings is estimated from its net assets, and says so', () => {
    const days = fundDays(
      [report('FBTC', 0, { aum_usd: 1e9 }), report('FBTC', 1, { aum_usd: 1.2e9, flow_usd: 10.1e6 })],
      closeOn,
      lastDay,
    )
    expect(days[0]).toMatchObject({ estimated: true, btc_holdings: 10_000 })
    // The flow counts, not the difference of two estimates.
    expect(days[1]).toMatchObject({ net_flow_btc: 100, net_flow_usd: 10.1e6, realized_cap: 1e9 + 10.1e6 })
  })

  test('ends with its last report, and leaves out what comes after the last closed day', () => {
    const reports = [report('IBIT', 0, { holdings_btc: 1 }), report('IBIT', 1, { holdings_btc: 2 })]
    expect(fundDays(reports, closeOn, lastDay)).toHaveLength(2)
    expect(fundDays(reports, closeOn, thursday)).toHaveLength(1)
  })
})

describe('all funds', () => {
  const days = fundDays(
    [
      report('IBIT', 0, { holdings_btc: 100, market_price_usd: 51, nav_usd: 50 }),
      report('IBIT', 1, { holdings_btc: 150 }),
      report('3042.HK', 0, { holdings_btc: 300, market_price_usd: 99, nav_usd: 100 }),
      report('3042.HK', 1, { holdings_btc: 240 }),
      // Holds shares of IBIT.
      report('IBIT.AX', 0, { holdings_btc: 10 }),
      report('IBIT.AX', 1, { holdings_btc: 10 }),
    ],
    closeOn,
    lastDay,
  )

  test('are added up, but for those that hold other funds', () => {
    const [first, second] = aggregateFunds(days)
    expect(first).toMatchObject({
      total_btc_holdings: 400,
      us_btc_holdings: 100,
      etf_count: 2,
      net_flow_btc: 0,
      realized_price: 100_000,
    })
    // (10e6 × 0.02 − 30e6 × 0.01) / 40e6
    expect(first?.premium_average).toBeCloseTo(-0.0025, 12)
    expect(second).toMatchObject({
      date: thursday + 1,
      total_btc_holdings: 390,
      net_flow_btc: -10,
      net_flow_usd: -10 * 101_000,
      cumulative_flow_btc: -10,
      cumulative_money_flow: -1_010_000,
      us_btc_holdings: 150,
      premium_average: null,
    })
    // 10e6 + 50 × 101,000 and four fifths of 30e6
    expect(second?.us_realized_price).toBeCloseTo(15.05e6 / 150, 6)
    expect(second?.realized_price).toBeCloseTo(39.05e6 / 390, 6)
  })

  test('wait for a fund that is late, but not for one that is gone', () => {
    const late = fundDays(
      [
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((day) => report('IBIT', day, { holdings_btc: 100 })),
        report('FBTC', 0, { holdings_btc: 50 }),
        report('FBTC', 2, { holdings_btc: 50 }),
      ],
      closeOn,
      lastDay,
    )
    expect(aggregateFunds(late).map(({ date, etf_count }) => [date - thursday, etf_count])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ])
    const gone = [...late, ...fundDays([report('BITB', 10, { holdings_btc: 1 })], closeOn, lastDay)]
    const counts = aggregateFunds(gone).map(({ date, etf_count }) => [date - thursday, etf_count])
    expect(counts.slice(0, 4)).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 1],
    ])
    // IBIT, three days late, holds up the rest.
    expect(counts.at(-1)).toEqual([7, 1])
  })

  test('are not added up before the day from which all of them are known', () => {
    const known = fundDays(
      [
        ...[0, 1, 2, 3].map((day) => report('IBIT', day, { holdings_btc: 100 + day })),
        ...[2, 3].map((day) => report('FBTC', day, { holdings_btc: 50 + day })),
      ],
      closeOn,
      lastDay,
    )
    expect(
      aggregateFunds(known).map((day) => [
        day.total_btc_holdings,
        day.net_flow_btc,
        day.cumulative_flow_btc,
        day.etf_count,
      ]),
    ).toEqual([
      [null, null, null, 1],
      [null, null, null, 1],
      [154, 1, 1, 2],
      [156, 2, 3, 2],
    ])
    expect(describeFundCoverage(known)).toBe(
      'ETF totals are over 2 of 44 funds: FBTC, IBIT; before 2026-01-10 FBTC is not known, so they are null.',
    )
  })

  test('count a fund from its launch on, however new it is', () => {
    const launch = parseDay('2026-04-08') - thursday
    const known = fundDays(
      [
        report('IBIT', launch - 1, { holdings_btc: 100 }),
        report('IBIT', launch + 3, { holdings_btc: 100 }),
        report('MSBT', launch + 2, { holdings_btc: 7 }),
        report('MSBT', launch + 3, { holdings_btc: 7 }),
      ],
      closeOn,
      thursday + launch + 3,
    )
    expect(aggregateFunds(known).map(({ total_btc_holdings }) => total_btc_holdings)).toEqual([100, 100, 100, 107, 107])
    expect(describeFundCoverage(known)).toBe('ETF totals are over 2 of 44 funds: IBIT, MSBT.')
  })

  test('have the premium that a source says where no prices are known', () => {
    const known = fundDays([report('FBTC', 0, { aum_usd: 1e9, premium: -0.0012 })], closeOn, lastDay)
    expect(known[0]?.premium).toBe(-0.0012)
    expect(aggregateFunds(known)[0]?.premium_average).toBeCloseTo(-0.0012, 12)
  })
})
