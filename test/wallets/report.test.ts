import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay, secondsPerDay } from '#base/days.ts'
import type { CostMethod, WalletReport } from '#contract/wallets.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'
import type { WalletTransaction } from '#wallets/find-transactions.ts'
import { computeLedger } from '#wallets/ledger.ts'
import { type Market, readMarket } from '#wallets/market.ts'
import { buildReport } from '#wallets/report.ts'

const folder = temporaryFolder('market')
const firstDay = parseDay('2024-01-01')
let market: Market

/** Closes of 400 days: 1,000 USD and 10 more each day. The first hour of day 5 has a price of its own. */
const tables: Readonly<Record<string, string>> = {
  prices: `SELECT DATE '2024-01-01' + i::INTEGER AS date, 1000.0 + 10 * i AS close FROM range(400) AS days(i)`,
  prices_hourly: `SELECT * FROM (VALUES (TIMESTAMP '2024-01-06 00:00:00', 7000.0, 1), (TIMESTAMP '2024-01-06 01:00:00', 8000.0, 0)) AS t(time, close, sources)`,
  cost_basis: `SELECT * FROM (VALUES
    (DATE '2025-02-02', 100.0, 200.0, 99::BIGINT), (DATE '2025-02-03', 0.0, 0.0, 10::BIGINT),
    (DATE '2025-02-03', 1000.0, 2000.0, 40::BIGINT), (DATE '2025-02-03', 2000.0, 4000.0, 50::BIGINT)
  ) AS t(date, lower_price, upper_price, supply_sats)`,
  // The first day is more than a year before the last.
  cohorts: `SELECT DATE '2025-02-03' - ago::INTEGER AS date, cohort, mvrv, price AS realized_price, usd AS spent_volume_usd, cost AS spent_cost FROM (VALUES
    (400, 'all', 9.0, 9.0, 1000.0, 1.0), (1, 'all', 1.5, 1500.0, 30.0, 10.0), (0, 'all', 2.0, 2000.0, 10.0, 10.0),
    (1, 'sth', 1.0, 1.0, 5.0, 10.0), (0, 'sth', 1.1, 4000.0, 5.0, 10.0), (0, 'lth', 3.0, 1200.0, 9.0, 3.0), (0, '1y_2y', 7.0, 7.0, 7.0, 1.0)
  ) AS t(ago, cohort, mvrv, price, usd, cost)`,
  address_balances: `SELECT DATE '2025-02-03' - ago::INTEGER AS date, measure, NULL::DOUBLE AS value, most - 20.5 AS low, most - 0.5 AS high FROM (VALUES
    (0, 'band_1_to_10', 7.0), (0, 'over_0', 900.0), (0, 'over_0_001', 800.0), (0, 'over_0_01', 700.0), (0, 'over_0_1', 600.0),
    (0, 'over_1', 500.0), (0, 'over_10', 300.0), (0, 'over_100', 200.0), (0, 'over_10k', 50.0), (0, 'over_1k', 100.0), (1, 'over_1', 400.0)
  ) AS t(ago, measure, most)`,
}

const writeMarket = (written: Readonly<Record<string, string>>): Promise<Market> =>
  withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    for (const [name, query] of Object.entries(written)) {
      // Numbers with a point are DECIMAL, with an exponent DOUBLE.
      const rows = query.replaceAll(/\b\d+\.\d\b/g, '$&e0')
      await connection.run(`COPY (${rows}) TO '${path.join(folder, `${name}.parquet`)}' (FORMAT parquet)`)
    }
    return readMarket(connection, folder)
  })
beforeAll(async () => {
  market = await writeMarket(tables)
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (day: number, hour = 12): number => (firstDay + day) * secondsPerDay + 3_600 * hour

describe('the market', () => {
  test('prices are those of the hour, else of the day, else the last', () => {
    expect(market.priceAt(at(5, 0))).toBe(7_000)
    // The second hour has no source, so it takes the price before, for twelve hours.
    expect([market.priceAt(at(5, 1)), market.priceAt(at(5, 12)), market.priceAt(at(5, 13))]).toEqual([
      7_000, 7_000, 1_050,
    ])
    expect([market.priceAt(at(-1)), market.priceAt(at(0)), market.priceAt(at(1_000))]).toEqual([0, 1_000, 4_990])
    expect(market.lastDay).toBe(firstDay + 399)
  })

  test('the share of coins that cost more, by the bins of the last day', () => {
    // 40 between 1000 and 2000, 50 between 2000 and 4000, 10 from before the market.
    expect(market.percentAbove(500)).toBe(90)
    expect(market.percentAbove(2_000)).toBe(50)
    expect(market.percentAbove(1_500)).toBe(70)
    expect(market.percentAbove(3_500)).toBe(12.5)
    expect(market.percentAbove(4_000)).toBe(0)
  })

  test('the number of addresses with as much or more is between those of two powers of ten', async () => {
    // 1 BTC or more: 479.5 to 499.5 addresses; 10 BTC or more: 279.5 to 299.5.
    expect(market.addressesWith(2.5e8)).toEqual({ least: 279, most: 500 })
    expect(market.addressesWith(1e8)).toEqual({ least: 479, most: 500 })
    expect(market.addressesWith(1e8 - 1)).toEqual({ least: 479, most: 600 })
    expect(market.addressesWith(1)).toEqual({ least: 879, most: 900 })
    expect(market.addressesWith(99_999)).toEqual({ least: 779, most: 900 })
    // Nothing is counted above 10,000 BTC.
    expect(market.addressesWith(1e12)).toEqual({ least: 29, most: 50 })
    expect(market.addressesWith(1e12 + 1)).toEqual({ least: null, most: 50 })
    // As with ADDRESSES=off: the last days have no rows.
    const before = { address_balances: `${tables.address_balances} WHERE ago = 1` }
    expect((await writeMarket(before)).addressesWith(1e8)).toEqual({ least: null, most: null })
  })

  test('holders: all, long-term, short-term; SOPR of a year', () => {
    expect(market.holders).toEqual({ mvrv: [2, 3, 1.1], realized_price: [2_000, 1_200, 4_000], sopr: [2, 3, 0.5] })
  })
})

describe('a report', () => {
  const received = (txid: string, day: number, sats: number): WalletTransaction => ({
    ...{ txid, height: day, time: at(day), fee_sats: 0, is_coinbase: false, spent: [] },
    created: [{ vout: 0, sats }],
  })
  /** 1 BTC at 1,000; 2 at 1,140, two weeks later; 0.5 of the first sent at 4,000 on day 300. */
  const transactions: WalletTransaction[] = [
    received('a', 0, 1e8),
    received('b', 14, 2e8),
    {
      ...{ txid: 'c', height: 300, time: at(300), fee_sats: 1_000, is_coinbase: false, spent: ['a:0'] },
      created: [{ vout: 0, sats: 0.5e8 - 1_000 }],
    },
  ]
  const reportOf = (transactions: WalletTransaction[], method: CostMethod = 'output', given = market): WalletReport => {
    const inputs = { ...given, transactions, paid: new Map(), method }
    const history = { way: 'blocks' as const, tip: { height: 1, hash: '' }, addresses: {}, scripts: [], transactions }
    return buildReport('w', method, history, computeLedger(inputs), given)
  }
  const figures = (): Map<string, readonly [number | null, ...(number | null)[]]> => {
    const report = reportOf(transactions)
    expect(report.date).toBe('2025-02-03')
    expect(report.lines.price).toHaveLength(400)
    const daysOf = (line: readonly (number | null)[]) =>
      line.flatMap((value, day) => (value === null ? [] : [[day, value]]))
    expect(daysOf(report.lines.acquired)).toEqual([
      [0, 1_000],
      [14, 1_140],
    ])
    expect(daysOf(report.lines.sent)).toEqual([[300, 4_000]])
    return new Map(report.figures.map(({ name, mine, market: others }) => [name, [mine, ...others]]))
  }

  test('is what a hand works out', () => {
    const found = figures()
    const balance = 2.499_99
    const cost = 0.499_99 * 1_000 + 2 * 1_140
    const chain = 0.499_99 * 4_000 + 2 * 1_140
    const expected: Readonly<Record<string, readonly number[]>> = {
      Balance: [balance],
      Value: [balance * 4_990],
      'Cost of what is held': [cost],
      'Profit on paper': [balance * 4_990 - cost],
      'Profit realized': [0.5 * (4_000 - 1_000) - 0.000_01 * 1_000],
      'Fees paid': [0.000_01],
      Price: [4_990],
      'Average cost, as paid': [cost / balance],
      'Average cost, as the chain shows': [chain / balance, 2_000, 1_200, 4_000],
      // 1,111.6: 88.8 % of the lower bin, and all of the upper one.
      'Coins that cost more than yours': [40 * (1 - (cost / balance - 1_000) / 1_000) + 50],
      'Addresses with as much or more, at least': [279],
      'Addresses with as much or more, at most': [500],
      MVRV: [(balance * 4_990) / chain, 2, 3, 1.1],
      // The whole coin was spent at 4,000, and had cost 1,000.
      'SOPR of a year': [4, 2, 3, 0.5],
      'Mean age since acquired': [(0.499_99 * 399.5 + 2 * 385.5) / balance],
      'Mean age since moved': [(0.499_99 * 99.5 + 2 * 385.5) / balance],
      'Held as long-term holder': [(100 * 2) / balance],
      // Moved on day 300, long-term on day 455; the last day is 399.
      'Next coins are long-term in': [56],
      Acquired: [3],
      // 3,280 USD on days 0, 7 and 14, at 1,000, 1,070 and 1,140.
      'The same money each week': [(3_280 / 3) * (1 / 1_000 + 1 / 1_070 + 1 / 1_140)],
      'The same money at once': [3.28],
      'Best purchase, gain': [399],
      'Worst purchase, gain': [100 * (4_990 / 1_140 - 1)],
    }
    expect([...found.keys()]).toEqual(Object.keys(expected))
    for (const [name, values] of Object.entries(expected)) {
      const shown = found.get(name) ?? []
      expect(shown.length, name).toBe(values.length)
      for (const [i, value] of values.entries()) expect(shown[i], name).toBeCloseTo(value, 6)
    }
  })

  test.each(['output', 'fifo'] as const)('what is held by the time at which it was acquired, by %s', (method) => {
    const moved = (txid: string, day: number, spent: string[], amounts: number[]): WalletTransaction => ({
      ...{ txid, height: day, time: at(day), fee_sats: 0, is_coinbase: false, spent },
      created: amounts.map((sats, vout) => ({ vout, sats })),
    })
    // The first of 1 BTC is moved to three coins, after 2 were acquired: its parts are one lot.
    const split = moved('d', 20, ['a:0'], [0.25e8, 0.25e8, 0.5e8])
    expect(reportOf([...transactions.slice(0, 2), split], method)).toMatchObject({
      lots: [
        [at(14), 1_140, 2e8],
        [at(0), 1_000, 1e8],
      ],
      older_lots: 0,
    })
    // One of them leaves.
    const { lots } = reportOf([...transactions.slice(0, 2), split, moved('e', 21, ['d:1'], [])], method)
    expect(lots).toEqual([
      [at(14), 1_140, 2e8],
      [at(0), 1_000, 0.75e8],
    ])
  })

  test('150,000 lots neither make a report large nor end it', () => {
    const many = Array.from({ length: 150_000 }, (_, i) => ({ ...received(`${i}`, 0, 1_000 + i), time: at(0, 0) + i }))
    const report = reportOf(many)
    expect(report.lots).toHaveLength(100)
    expect([report.lots[0], report.lots[99]]).toEqual([
      [at(0, 0) + 149_999, expect.any(Number), 150_999],
      [at(0, 0) + 149_900, expect.any(Number), 150_900],
    ])
    expect(report.older_lots).toBe(149_900)
    expect(JSON.stringify(report.lots).length).toBeLessThan(6_000)
  })

  test('without prices, nothing is said of costs', () => {
    const none = { ...market, lastDay: 0, closeOn: () => 0, priceAt: () => 0 }
    expect(reportOf(transactions, 'output', none)).toMatchObject({ lots: [], older_lots: 0 })
  })
})
