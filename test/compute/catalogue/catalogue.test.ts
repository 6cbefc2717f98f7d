import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Values } from '#test/sql/formula/naive.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { publishedTable, rowsOf, tablesOf } from '#test/support/published.ts'
import { namedMarketMetrics, namedMetrics } from './named-metrics.ts'
import { publishedMetrics } from './published-metrics.ts'
import { each } from './rows.ts'

/** The catalogue of a generation that spans all of Bitcoin's history, on the simulated chain. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-catalogue-'))
const dataDir = path.join(folder, 'data')
let published: Map<string, Values>
let active: Set<string>

const metric = (id: string): Values => {
  const values = published.get(id)
  if (!values) throw new Error(`${id} is not published`)
  return values
}
function rangeOf(values: Values): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value === null) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}
const catalogue = (): string => publishedTable(dataDir, 'catalogue')
const column = async (sql: string): Promise<string[]> => (await rowsOf(sql)).map(([value]) => value ?? 'null')

beforeAll(async () => {
  await publishDemoChain(dataDir)
  published = await publishedMetrics(dataDir, folder)
  active = new Set(await column(`SELECT id FROM ${catalogue()} WHERE active`))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  // Variables of test files stay in memory until their worker ends.
  published.clear()
})

describe('the metrics', () => {
  test('are more than a thousand active ones, 150 of which are no measure of a cohort', async () => {
    expect(active.size).toBeGreaterThan(1000)
    const measures = new Set(
      await column(`SELECT column_name FROM (DESCRIBE FROM ${publishedTable(dataDir, 'cohorts')})`),
    )
    const others = [...active].filter((id) => {
      const words = id.replace(/^(lth|sth)(_smooth)?_/, '')
      return ![...measures].some((measure) => words === measure || words.startsWith(`${measure}_`))
    })
    expect(others.length).toBeGreaterThan(150)
  })

  test('have every id that is promised', async () => {
    const answering = await column(`SELECT unnest(aliases) FROM ${catalogue()} WHERE active`)
    expect(namedMetrics.filter((id) => !active.has(id) && !answering.includes(id))).toEqual([])
    const ids = new Set(await column(`SELECT id FROM ${catalogue()}`))
    expect(namedMarketMetrics.filter((id) => !ids.has(id))).toEqual([])
  })

  test('each have one id, a name, a description that ends, and either a formula or a column of origin', async () => {
    const rows = await rowsOf(`SELECT id, name, short_description, description, formula FROM ${catalogue()}`)
    expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length)
    for (const [id, name, short, description] of rows) {
      expect(id).toMatch(/^[a-z][a-z0-9_]*$/)
      expect(name?.length, `${id}`).toBeGreaterThan(1)
      expect(short, `${id}`).toMatch(/^[A-Z0-9].{5,220}\.$/)
      expect(description?.startsWith(short ?? 'none'), `${id}`).toBe(true)
      expect(description, `${id}`).not.toContain('{')
    }
    const names = rows.map(([, name]) => name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  test('stand where the catalogue says, and refer to metrics that exist', async () => {
    const tables = await column(`SELECT DISTINCT table_name FROM ${catalogue()}`)
    expect(tables.filter((table) => !tablesOf(dataDir).includes(table))).toEqual([])
    const ids = new Set(await column(`SELECT id FROM ${catalogue()}`))
    const related = await column(`SELECT DISTINCT unnest(related) FROM ${catalogue()}`)
    expect(related.filter((id) => !ids.has(id))).toEqual([])
  })

  test('begin on the day of their first value', async () => {
    const dates = await rowsOf(`SELECT id, first_date FROM ${catalogue()} WHERE active`)
    for (const [id, date] of dates) {
      if (isDistribution(id)) continue
      const first = metric(id ?? '').findIndex((value) => value !== null)
      expect(date, `${id}`).toBe(new Date((14_247 + first) * 86_400_000).toISOString().slice(0, 10))
    }
    expect(dates.find(([id]) => id === 'price')?.[1]).toBe('2010-07-18')
    expect(dates.find(([id]) => id === 'mayer_multiple')?.[1]).toBe('2011-02-02')
  })
})

const isDistribution = (id: string | null | undefined): boolean =>
  /^(cost_basis|spent_output_price)_distribution$/.test(id ?? '')

/** Why a metric has the same value on all of its days. */
const constants: readonly (readonly [ids: RegExp, why: string])[] = [
  [/^(supply|realized_cap)_percent$/, 'all coins are all coins'],
  [
    /^(mvrv|nupl|realized_pl_ratio|(unrealized|supply_in|relative_unrealized)_\w+)_24h$/,
    'coins created on a day cost its price',
  ],
  [
    /^(realized_cap|realized_price|realized_cap_percent|(relative_)?unrealized_\w+|\w*supply_in_\w+|spent_\w+|nupl|realized_loss)_y2009$/,
    'coins of 2009 are older than the first price and cost nothing',
  ],
  [
    /^(\w*loss(_percent)?|realized_pl_ratio|supply_in_profit_percent)_(7y_10y|10y_plus|over_7y)$/,
    'the price is never below that of seven years before',
  ],
  [/^realized_pl_ratio_(5y_7y|over_5y)$/, 'on few days such coins are spent at a loss'],
  [/_(100k_plus_btc|(exposed|mined)_over_(5|10)y)$/, 'few such coins are spent, and the old ones cost nothing'],
  [/_0_sats$/, 'outputs of no value hold nothing'],
  [/percent_over_10*k_sats$/, 'smaller outputs hold next to nothing'],
  [/^cost_basis_p(0\d|1[0-5])$/, 'so many coins are older than the first price'],
  [
    /^(version_3|coinjoin_like|inscription|runestone|several_op_return)_transactions|^large_op_return_outputs$|^omni_outputs$/,
    'the simulated chain has none',
  ],
  [/^realized_price_addresses_(1_to_10|1k_to_10k|10k_plus)_btc$/, 'few addresses of the simulated chain hold so much'],
  [/^difficulty/, 'the simulated chain has one difficulty'],
]

test('no metric is constant by accident', () => {
  const constant = [...active].filter((id) => {
    if (isDistribution(id)) return false
    const [low, high] = rangeOf(metric(id))
    return high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))
  })
  expect(constant.filter((id) => !constants.some(([ids]) => ids.test(id)))).toEqual([])
})

/** Differences, changes, gains and scores may be negative, all else may not. */
const signed = new RegExp(
  `(^|_)(${[
    'nupl|(un)?realized_pl|realized_pl_(7|30)d_sum|mvrv_z|drawdown|return_(\\d+d|since|asia|europe|america)|dca_return|cagr|sharpe|sortino|macd',
    'change_30d|net_coindays|bitcoin_yardstick|golden_cross|position_change|funding|delta|net_flow|net_change|premium',
  ].join('|')})(_|$)`,
)

const oneSat = 1e-8
/** The simulated market has hourly prices from 2023 on. */
const firstHourlyDay = Date.parse('2023-01-01') / 86_400_000 - 14_247

test('no metric has a value that cannot be', () => {
  const impossible = [...active].flatMap((id) => {
    if (isDistribution(id)) return []
    const [low, high] = rangeOf(metric(id))
    const isShare = /percent/.test(id) && !/(change|growth)/.test(id)
    // Sums of differences have rounding errors. The whole chain of mainnet has taken 1e29 hashes.
    const isPossible =
      (signed.test(id) || low > -oneSat) && Math.max(-low, high) < 1e30 && (!isShare || high < 100 + 1e-9)
    return isPossible ? [] : [`${id}: ${low} to ${high}`]
  })
  expect(impossible).toEqual([])
})

describe('on every day', () => {
  const bands = '24h 1d_1w 1w_1m 1m_3m 3m_6m 6m_12m 1y_2y 2y_3y 3y_5y 5y_7y 7y_10y 10y_plus'.split(' ')
  const sum = (...ids: string[]): Values => each((...values) => values.reduce((a, b) => a + b, 0), ...ids.map(metric))
  const less = (a: string, b: string): Values => each((x, y) => x - y, metric(a), metric(b))

  /** Equal within 1e-9 of the larger side's greatest value of the day. */
  function expectEqual(left: Values, right: Values, scale: Values = left): void {
    let compared = 0
    for (const [day, value] of left.entries()) {
      const other = right[day] ?? null
      if (value === null || other === null) {
        expect(value, `day ${day}`).toBe(other)
        continue
      }
      compared++
      const off = Math.abs(value - other)
      if (off > 1e-9 * Math.max(Math.abs(scale[day] ?? 0), Math.abs(value)))
        expect.fail(`day ${day}: ${value}, ${other}`)
    }
    expect(compared).toBeGreaterThan(1000)
  }

  test.each([
    'supply',
    'supply_sats',
    'utxo_count',
    'realized_cap',
    'spent_volume',
    'coindays_destroyed',
    'realized_pl',
  ])('the bands, and the two kinds of holders, sum to all: %s', (measure) => {
    const all = metric(measure === 'supply' ? 'circulating_supply' : measure)
    const scale = measure === 'realized_pl' ? sum('realized_profit', 'realized_loss') : all
    expectEqual(sum(...bands.map((band) => `${measure}_${band}`)), all, scale)
    expectEqual(sum(`lth_${measure}`, `sth_${measure}`), all, scale)
    expectEqual(sum(`${measure}_over_1y`, `${measure}_under_1y`), all, scale)
  })

  test('smooth holders sum to the supply', () => {
    expectEqual(sum('lth_smooth_supply', 'sth_smooth_supply'), metric('circulating_supply'))
  })

  test('the creation years, and the halving epochs, sum to all', () => {
    const years = Array.from({ length: 18 }, (_, i) => `supply_y${2009 + i}`)
    expectEqual(sum(...years), metric('circulating_supply'))
    const epochs = [1, 2, 3, 4, 5].map((epoch) => `realized_cap_epoch_${epoch}`)
    expectEqual(sum(...epochs), metric('realized_cap'))
  })

  test('NUPL is 1 − 1/MVRV, for every kind of holder', () => {
    for (const prefix of ['', 'lth_', 'sth_']) {
      const nupl = metric(`${prefix}nupl`)
      const mvrv = each((ratio) => 1 - 1 / ratio, metric(`${prefix}mvrv`))
      const both = nupl.map((value, day) => (mvrv[day] === null ? null : value))
      const one = nupl.map((value) => (value === null ? null : 1))
      expectEqual(both, mvrv, one)
    }
  })

  test('unrealized profit and loss is market cap less realized cap', () => {
    expectEqual(metric('unrealized_pl'), less('market_cap', 'realized_cap'), metric('market_cap'))
  })

  test('what holders paid beyond the thermo cap is what they realized, but for the little that became unspendable', () => {
    const difference = less('investor_cap', 'cumulative_realized_pl')
    const lost = metric('unspendable_supply').at(-1)! - metric('unspendable_supply')[0]!
    const most = lost * Math.max(...metric('ath').filter((value) => value !== null))
    let withinDays = 0
    for (const [day, value] of difference.entries()) {
      // On days valued by the hour, coins are created at a price of the day, and issued at its
      // close.
      if (day >= firstHourlyDay) {
        withinDays += metric('created_volume')[day]! * (metric('high')[day]! - metric('low')[day]!)
      }
      if (value !== null && Math.abs(value) > most + withinDays + 1e-9 * metric('realized_cap')[day]!) {
        expect.fail(`day ${day}: ${value}, at most ${most}`)
      }
    }
  })

  test('supply in profit, in loss and at cost is the supply', () => {
    const parts = sum('supply_in_profit', 'supply_in_loss', 'supply_at_cost')
    expectEqual(
      parts,
      sum('circulating_supply', 'supply_at_cost').map((value, day) => {
        const atCost = metric('supply_at_cost')[day]
        return value === null || atCost === null || atCost === undefined ? null : value - atCost
      }),
    )
    const known = metric('supply_at_cost').filter((value) => value !== null)
    expect(known.filter((value) => value !== 0 && value < 5e-9)).toEqual([])
    expect(known).toContain(0)
  })

  test('vaulted and active supply is the supply', () => {
    const parts = sum('vaulted_supply', 'active_supply')
    // There is no liveliness before the first coin.
    expect(parts.findIndex((value) => value !== null)).toBe(
      metric('circulating_supply').findIndex((value) => value !== 0),
    )
    expectEqual(
      parts,
      sum('circulating_supply').map((value, day) => (parts[day] === null ? null : value)),
    )
  })

  test('the cost basis distribution sums to the supply', async () => {
    const rows = await rowsOf(
      `SELECT sum(supply_sats)::DOUBLE FROM ${publishedTable(dataDir, 'cost_basis')} GROUP BY date ORDER BY date`,
    )
    const supply = metric('supply_sats').filter((_, day) => metric('price')[day] !== null)
    expectEqual(
      rows.map(([sats]) => Number(sats)),
      supply,
    )
  })

  test('the shares of spent volume and of spent outputs sum to 1', () => {
    for (const kind of ['svab', 'soab']) {
      const shares = sum(...bands.map((band) => `${kind}_${band}`))
      expectEqual(
        shares,
        shares.map((value) => (value === null ? null : 1)),
      )
    }
  })

  test('nothing is said in USD before the first price', () => {
    const priced = metric('price').findIndex((value) => value !== null)
    for (const id of [
      'market_cap',
      'realized_cap',
      'mvrv',
      'realized_profit',
      'sopr',
      'thermo_cap',
      'supply_in_profit',
      'cost_basis_p50',
    ]) {
      expect(
        metric(id)
          .slice(0, priced)
          .every((value) => value === null),
        id,
      ).toBe(true)
    }
  })
})
