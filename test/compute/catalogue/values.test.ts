import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addresses } from '#compute/catalogue/addresses-metrics.ts'
import { cohortMetricId, measuresOf } from '#compute/catalogue/measures.ts'
import { bandNames } from '#contract/balance-measures.ts'
import { earlier, type Values } from '#test/sql/formula/naive.ts'
import { columnsOf, publishedTable } from '#test/support/published.ts'
import { replayedActivity, replayedBalances } from '#test/support/replayed-addresses.ts'
import { expectSeries } from './expect-series.ts'
import { expectedBlockchain, expectedPools } from './expected-blockchain.ts'
import { expectedDistribution } from './expected-distribution.ts'
import { expectedCoinDays, expectedProfit } from './expected-holders.ts'
import { expectedMarket } from './expected-market.ts'
import { expectedTransactions } from './expected-transactions.ts'
import { expectedValuation } from './expected-valuation.ts'
import { firstDay, makePricedChain, type PricedChain } from './priced-chain.ts'
import { publishedMetrics } from './published-metrics.ts'
import { replayedChain } from './replayed-chain.ts'
import { each, less, over, times } from './rows.ts'

const transpose = (rows: readonly (readonly string[])[]): string[][] =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!))

/**
 * Every metric against a computation that shares no code with it, on four years of a simulated
 * chain.
 */

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-values-'))
let priced: PricedChain
let published: Map<string, Values>
let replayed: ReturnType<typeof replayedChain>
let market: ReturnType<typeof expectedMarket>
let ofTransactions: ReturnType<typeof expectedTransactions>
/** Metrics that have met their expected values. */
const tested = new Set<string>()

function expectAll(expected: Readonly<Record<string, Values>>): void {
  for (const [id, values] of Object.entries(expected)) {
    expectSeries(id, published.get(id), values)
    tested.add(id)
  }
}

beforeAll(async () => {
  priced = await makePricedChain()
  published = await publishedMetrics(priced.dataDir, folder)
  replayed = replayedChain(priced)
  market = expectedMarket(replayed)
  ofTransactions = expectedTransactions(replayed.replayed, replayed.chain, replayed.price)
})
afterAll(() => {
  priced?.remove()
  rmSync(folder, { recursive: true, force: true })
  // Variables of test files stay in memory until their worker ends.
  published.clear()
  for (const large of [replayed, market, ofTransactions]) {
    for (const key of Object.keys(large)) Reflect.deleteProperty(large, key)
  }
})

test('every measure of every cohort equals a replay of all coins', () => {
  for (const cohort of replayed.cohorts) {
    const supply = replayed.measure('supply', cohort.id)
    const change = each((now, before) => now - before, supply, earlier(supply, 30))
    for (const { id } of measuresOf(cohort)) {
      const expected = id === 'supply_change_30d' ? change : replayed.measure(id, cohort.id)
      expectAll({ [cohortMetricId(cohort.id, id)]: expected })
    }
  }
})

test('market metrics', () => expectAll(market))

test('valuation metrics', () => {
  const { chain } = replayed
  const issuance = times(chain.issuance, 1e-8)
  const revenue = each((coins, fees) => coins + fees, issuance, times(chain.fees, 1e-8))
  const { exact } = ofTransactions
  const adjusted = [exact.adjusted_volume_usd ?? [], exact.adjusted_volume ?? []] as const
  expectAll(expectedValuation({ ...replayed, issuance, revenue, work: chain.work, adjusted }))
})

test('metrics of supply, coin days, profit and loss', () => {
  const { realized_vol_1m: volatility = [] } = market
  const { mined, transactions } = replayed.chain
  const payments = each((all, coinbases) => all - coinbases, transactions, mined)
  const inputs = { ...replayed, volatility, payments, maximum: 20_999_999.999454 }
  expectAll({ ...expectedCoinDays(inputs), ...expectedProfit(inputs) })
})

test('metrics of blocks, fees and mining', () => {
  const { chain, spent, price } = replayed
  expectAll(expectedBlockchain(chain, price, replayed.supply))
  expectAll(expectedPools(chain))
  // A share that is always null or always the same would prove little.
  expect(new Set(published.get('pool_share_percent_foundry_usa')).size).toBeGreaterThan(3)
  const spentOutputs = replayed.measure('spent_outputs')
  expectAll({
    asol: spent.meanAge,
    segwit_spent_outputs_percent: times(
      over(
        each((a, b) => a + b, replayed.measure('spent_outputs', 'p2wpkh'), replayed.measure('spent_outputs', 'p2wsh')),
        spentOutputs,
      ),
      100,
    ),
    taproot_spent_outputs_percent: times(over(replayed.measure('spent_outputs', 'p2tr'), spentOutputs), 100),
    spent_outputs_under_1h: spent.young,
    soab_under_1h: over(spent.young, spentOutputs),
    spent_outputs_1h_24h: less(replayed.measure('spent_outputs', '24h'), spent.young),
    soab_1h_24h: over(less(replayed.measure('spent_outputs', '24h'), spent.young), spentOutputs),
  })
  const medians = { msol: spent.medianAge, fee_median: spent.medianFee }
  for (const [id, expected] of Object.entries(medians)) {
    expectSeries(id, published.get(id), expected, 1 / 32)
    tested.add(id)
  }
  expectAll({ fee_median_usd: each((fee, usd) => fee * usd, published.get('fee_median') ?? [], price) })
})

test('metrics of single transactions and outputs', () => {
  const { exact, binned } = ofTransactions
  expectAll(exact)
  for (const [id, expected] of Object.entries(binned)) {
    expectSeries(id, published.get(id), expected, 1 / 32)
    tested.add(id)
  }
})

test('active addresses', () => {
  const [dates, ...columns] = transpose(replayedActivity(replayed.replayed))
  expect(dates).toHaveLength(replayed.price.length)
  const ids = ['active', 'sending', 'receiving'].flatMap((group) =>
    ['', '_7d', '_month'].map((span) => `${group}_addresses${span}`),
  )
  expectAll(Object.fromEntries(ids.map((id, i) => [id, columns[i]!.map(Number)])))
})

test('balances of addresses, which all are counted here', () => {
  const { price, costs, supply } = replayed
  const days = replayedBalances(
    replayed.replayed,
    (day) => price[day - firstDay] ?? undefined,
    (day) => costs[day - firstDay]!,
    // Each day takes as long as all outputs up to it.
    (day) => day % 70 === 0,
  )
  let compared = 0
  for (const { id, from } of addresses) {
    if (from?.table !== 'address_balances') continue
    tested.add(id)
    for (const [row, measures] of days.entries()) {
      const expected = measures?.get(from.key!)
      if (expected === undefined || ['median', 'gini', 'top_1_percent', 'top_100'].includes(from.key!)) continue
      expectSeries(id, [published.get(id)![row]!], [expected])
      compared++
    }
  }
  expect(compared).toBeGreaterThan(1000)
  const column = (id: string): Values => published.get(id) ?? []
  const grown = bandNames.map((band) => {
    const held = column(`supply_addresses_${band === '10k_plus' ? 'over_10k' : band}_btc`)
    return each((now, before) => (now > before ? now : 0), held, earlier(held, 30))
  })
  const funded = column('funded_addresses')
  const exposed = each(
    (keys, spent) => keys + spent,
    column('supply_exposed'),
    column('supply_operationally_exposed_addresses'),
  )
  expectAll({
    addresses_in_profit_percent: times(over(column('addresses_in_profit'), funded), 100),
    address_balance_mean: over(supply, funded),
    accumulation_trend_score: over(
      each((...coins) => coins.reduce((sum, one) => sum + one, 0), ...grown),
      supply,
    ),
    total_exposed_supply: exposed,
    total_exposed_supply_percent: times(over(exposed, supply), 100),
    ...Object.fromEntries(
      bandNames.map((band) => [
        `mvrv_addresses_${band}_btc`,
        over(price, column(`realized_price_addresses_${band}_btc`)),
      ]),
    ),
  })
})

test('metrics of cost, coin ages and cycles', () => expectAll(expectedDistribution(replayed)))

test('unspent and spent coins by what they had cost, in bins that contain it', async () => {
  const { costs, price, replayed: chain } = replayed
  const columns = await columnsOf(
    `SELECT date - DATE '1970-01-01', lower_price, upper_price, supply_sats, spent_sats
     FROM ${publishedTable(priced.dataDir, 'cost_basis')}`,
  )
  const bins = Map.groupBy(
    columns[0]!.map((_, row) => columns.map((column) => Number(column[row]))),
    ([day]) => day!,
  )
  const priceDays = chain.closedDays.filter((_, row) => price[row] !== null && price[row] !== undefined)
  expect([...bins.keys()].sort()).toEqual(priceDays.map(({ day }) => day).sort())
  for (const [i, { day, flows, unspent }] of priceDays.entries()) {
    // Each day takes as long as all coins before it.
    if (i % 4 > 0) continue
    const own = bins.get(day) ?? []
    const sumIn = (
      coins: readonly (readonly [created: number, sats: number])[],
    ): ((lower: number, upper: number) => number) => {
      const byCost = coins.map(([created, sats]) => ({ cost: costs[created - firstDay]!, sats }))
      byCost.sort((a, b) => a.cost - b.cost)
      return (lower, upper) => {
        let sum = 0
        for (let i = firstFrom(byCost, lower); i < byCost.length; i++) {
          const { cost, sats } = byCost[i]!
          if (cost !== lower && cost >= upper) break
          sum += sats
        }
        return sum
      }
    }
    const left = [...unspent].map(([created, { sats }]) => [created, sats] as const)
    const spent = [...flows].map(
      ([
        created,
        {
          spent: { sats },
        },
      ]) => [created, sats] as const,
    )
    const [leftIn, spentIn] = [sumIn(left), sumIn(spent)]
    // A matcher takes ten seconds for the bins of all days.
    for (const [, lower, upper, supplySats, spentSats] of own) {
      const wanted = [leftIn(lower!, upper!), spentIn(lower!, upper!)]
      if (supplySats !== wanted[0] || spentSats !== wanted[1])
        expect.fail(`bin from ${lower} on day ${day}: ${supplySats} and ${spentSats}, not ${wanted.join(' and ')}`)
    }
    const totals = [left, spent].map((coins) => coins.reduce((sum, [, sats]) => sum + sats, 0))
    expect([3, 4].map((column) => own.reduce((sum, row) => sum + row[column]!, 0))).toEqual(totals)
  }
})

/** The first of what is sorted by cost that costs as much or more. */
function firstFrom(byCost: readonly { readonly cost: number }[], cost: number): number {
  let [from, to] = [0, byCost.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (byCost[middle]!.cost < cost) from = middle + 1
    else to = middle
  }
  return from
}

test('no metric of the chain is left out', () => {
  // Those of the markets and of hours have no data here, payments of round amounts neither, and
  // difficulty does not change here: see formulas.test.ts.
  const elsewhere =
    /^(avg_funding|funding_|oi_|total_oi|price_onchain|etf_|dat_|difficulty_|asia_|europe_|return_(asia|europe|america))/
  const untested = [...published.keys()].filter((id) => !tested.has(id) && !elsewhere.test(id))
  expect(untested, 'say what each should be in the expected-*.ts of its subject').toEqual([])
})
