import { describe, expect, test } from 'vitest'
import { CoinstrataError } from '#base/errors.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { MetricColumns } from '#compute/publish/metric-columns.ts'
import { networks } from '#ingest/chain/networks.ts'
import { orderDefinitions } from '#sql/formula/order.ts'
import { expectSeries } from './expect-series.ts'
import { expectedRibbon } from './expected-blockchain.ts'

/** Definitions evaluated over columns made for the purpose, with results worked out by hand. */

const cohorts = listCohorts({ days: Int32Array.of(14_247) }, 210_000, 14_247 + 5000)
const { definitions, formulas } = createCatalogue(networks.mainnet, cohorts)

/** A metric's values where its base metrics have these; all other base metrics are null. */
function evaluate(id: string, given: Readonly<Record<string, readonly (number | null)[]>>): (number | null)[] {
  const days = Object.values(given)[0]!.length
  const base = new Map(
    definitions
      .filter(({ formula }) => formula === undefined)
      .map((one) => {
        const values = given[one.id] ?? new Array<null>(days).fill(null)
        return [one.id, Float64Array.from(values, (value) => value ?? Number.NaN)]
      }),
  )
  const column = new MetricColumns(days, formulas, base, [id]).take(id) ?? []
  return Array.from({ length: days }, (_, day) => (Number.isNaN(column[day] ?? Number.NaN) ? null : column[day]!))
}

test("Coin Metrics' worked example of SOPR", () => {
  const spentAt = 7500
  const lots = [
    { coins: 10, cost: 10 },
    { coins: 1, cost: 500 },
    { coins: 2, cost: 20_000 },
  ]
  const volume = lots.reduce((sum, { coins }) => sum + coins, 0)
  const cost = lots.reduce((sum, lot) => sum + lot.coins * lot.cost, 0)
  expect(volume * spentAt).toBe(97_500)
  expect(cost).toBe(40_600)
  const [sopr] = evaluate('sopr', { spent_volume_usd: [volume * spentAt], spent_cost: [cost] })
  expect(sopr).toBeCloseTo(97_500 / 40_600, 12)
  expect(sopr).toBeCloseTo(2.4015, 4)
})

test('the difficulty ribbon on a changing difficulty', () => {
  const difficulty = Array.from({ length: 260 }, (_, day) => 1e13 * (1 + 0.002 * day + 0.3 * Math.sin(day / 17)))
  for (const [id, expected] of Object.entries(expectedRibbon(difficulty))) {
    expectSeries(id, evaluate(id, { difficulty }), expected)
  }
})

describe('metrics of markets', () => {
  const given = {
    price: [50_000, 60_000, null],
    supply_sats: [20e6 * 1e8, 20e6 * 1e8, 20e6 * 1e8],
    volume: [2e10, 4e10, 4e10],
    total_oi_usd: [1e10, 1.2e10, 1.2e10],
    etf_total_btc_holdings: [1e6, 1.5e6, 1.5e6],
    etf_realized_price: [40_000, 40_000, 40_000],
    dat_total_btc: [800_000, 900_000, 900_000],
  }

  test.each([
    ['oi_to_market_cap', [0.01, 0.01, null]],
    ['oi_to_volume', [0.5, 0.3, 0.3]],
    ['etf_dominance_percent', [5, 7.5, 7.5]],
    ['etf_mvrv', [1.25, 1.5, null]],
    ['dat_supply_percent', [4, 4.5, 4.5]],
  ])('%s', (id, expected) => expectSeries(id, evaluate(id, given), expected))

  test('means and sums of days', () => {
    const rates = [1, 2, 3, 4, 5, 6, 7, 8].map((rate) => rate / 10_000)
    expectSeries('avg_funding_rate_7d_sma', evaluate('avg_funding_rate_7d_sma', { avg_funding_rate: rates }), [
      ...new Array<null>(6).fill(null),
      0.0004,
      0.0005,
    ])
    const flows = Array.from({ length: 31 }, (_, day) => day)
    expect(evaluate('etf_net_flow_btc_7d_sum', { etf_net_flow_btc: flows }).at(6)).toBe(21)
    expect(evaluate('etf_net_flow_btc_30d_sum', { etf_net_flow_btc: flows }).slice(28)).toEqual([null, 435, 465])
  })
})

describe('nulls', () => {
  const price = [null, 10, 20, null, 40]

  test('before the first price and on a day without one, nothing is said in USD', () => {
    const given = { price, supply_sats: [1e8, 2e8, 3e8, 4e8, 5e8] }
    expect(evaluate('market_cap', given)).toEqual([null, 20, 60, null, 200])
    expect(evaluate('circulating_supply', given)).toEqual([1, 2, 3, 4, 5])
  })

  test('a window is null until it is full, and while it holds a null', () => {
    const closes = [null, ...Array.from({ length: 20 }, (_, day) => day + 1)]
    expect(evaluate('price_sma_7', { price: closes }).slice(0, 9)).toEqual([...new Array<null>(7).fill(null), 4, 5])
    const holed = closes.map((close, day) => (day === 10 ? null : close))
    const means = evaluate('price_sma_7', { price: holed })
    expect(means.map((mean) => mean === null)).toEqual(means.map((_, day) => day < 7 || (day >= 10 && day <= 16)))
  })

  test('a running sum leaves missing days out and is null on them', () => {
    const given = { price, issuance_sats: new Array<number>(5).fill(1e8) }
    expect(evaluate('thermo_cap', given)).toEqual([null, 10, 30, null, 70])
  })

  test('a division by zero is null', () => {
    const given = { price, supply_sats: [0, 0, 1e8, 1e8, 1e8], realized_cap: [null, 0, 0, null, 20] }
    expect(evaluate('mvrv', given)).toEqual([null, null, null, null, 2])
    expect(evaluate('realized_price', given)).toEqual([null, null, 0, null, 20])
  })
})

describe('the columns in memory', () => {
  test('are dropped after the last formula and table that need them', () => {
    const [total] = orderDefinitions([{ id: 'total', formula: 'one + two' }], ['one', 'two'])
    const base = new Map([
      ['one', Float64Array.of(1)],
      ['two', Float64Array.of(2)],
    ])
    const columns = new MetricColumns(1, new Map([['total', total!.formula]]), base, ['one', 'total', 'total'])
    expect(columns.take('total')).toEqual(Float64Array.of(3))
    expect(columns.columnCount).toBe(2)
    expect(columns.take('one')).toEqual(Float64Array.of(1))
    expect(columns.columnCount).toBe(1)
    columns.take('total')
    expect(columns.columnCount).toBe(0)
  })
})

test('an unknown metric in a definition stops the start with a suggestion', () => {
  const start = (): unknown => orderDefinitions([{ id: 'a', formula: 'mvvr + 1' }], ['mvrv'])
  expect(start).toThrow(CoinstrataError)
  expect(start).toThrow("did you mean 'mvrv'")
})
