import { expect, test } from 'vitest'
import { CoinAges } from '#compute/cohorts/coin-ages.ts'
import { createCostBasis, isCostKnown } from '#compute/cohorts/cost-basis.ts'
import { CostDistribution } from '#compute/cohorts/cost-distribution.ts'
import { lowerEdge } from '#contract/price-bins.ts'
import { type Bar, readPrices } from '#test/ingest/market/stored-prices.ts'

const bar = (date: string, close: number): Bar => ({ source: 'import', date, close })
const prices = await readPrices(bar('2020-01-04', 10), bar('2020-01-05', 20))
const firstDay = Date.parse('2020-01-01') / 86_400_000

test('coins cost nothing before the first market, and an unknown amount between it and the first price', () => {
  const { price, cost, unpriced } = createCostBasis(prices, firstDay, 6, firstDay + 1)
  expect([...unpriced]).toEqual([0, 1, 1, 0, 0, 0])
  expect([...cost]).toEqual([0, 0, 0, 10, 20, 20])
  expect([...price]).toEqual([Number.NaN, Number.NaN, Number.NaN, 10, 20, Number.NaN])
})

test.each([
  ['the market of a network begins with its prices where nothing else is said', prices, undefined],
  ['a history from before the first market leaves nothing open', prices, firstDay + 4],
  ['without any price there is no gap in the prices', undefined, firstDay + 1],
])('%s', (_, stored, marketDay) => {
  expect([...createCostBasis(stored, firstDay, 5, marketDay).unpriced]).toEqual([0, 0, 0, 0, 0])
})

test('a thousandth of the supply is negligible, more is not', () => {
  expect([isCostKnown(1, 1_000), isCostKnown(2, 1_000), isCostKnown(0, 0), isCostKnown(1, 0)]).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('coins spent on a day are in the bin of their cost, exactly, and of no other day', () => {
  const costs = new CostDistribution(createCostBasis(prices, firstDay, 5, firstDay))
  const left = Float64Array.of(0, 0, 0, 1_000, 0)
  // Spent before the first price, without a distribution of that day.
  costs.addSpend(0, 0, 9)
  costs.addDay(2, left)
  costs.addSpend(0, 0, 7)
  costs.addSpend(3, 2 ** 13, 3)
  costs.addSpend(3, 2 ** 13, 4)
  costs.addDay(3, left)
  costs.addDay(4, left)
  expect(costs.days.map(({ day, bins, sats, spentSats }) => [day, [...bins], [...sats], [...spentSats]])).toEqual([
    [3, [0, 1401], [0n, 1_000n], [7n, 2n ** 54n + 7n]],
    [4, [1401], [1_000n], [0n]],
  ])
})

test('the peak since coins moved is a close, whatever coins of its day cost', () => {
  const basis = createCostBasis(prices, firstDay, 5, firstDay)
  // By the hour, coins of the day that closed at 10 cost 12, and those of the day that closed at 20
  // cost 15.
  const costs = new CostDistribution({ ...basis, cost: Float64Array.of(0, 0, 0, 12, 15) })
  costs.addDay(3, Float64Array.of(0, 0, 0, 2e8, 0))
  costs.addDay(4, Float64Array.of(0, 0, 0, 2e8, 1e8))
  expect([...costs.columns.get('peak_regret')!.slice(3)]).toEqual([0, 0])
})

test('ages and the distribution of costs are without what they cannot know', () => {
  const basis = createCostBasis(prices, firstDay, 5, firstDay + 1)
  const ages = new CoinAges(basis)
  const costs = new CostDistribution(basis)
  // Unspent coins on the days with a price: 50 unpriced of 10,050, then 5 of 10,005.
  for (const [day, left] of [
    [3, [9_000, 50, 0, 1_000, 0]],
    [4, [9_000, 5, 0, 1_000, 0]],
  ] as const) {
    ages.addDay(day, Float64Array.from(left), Float64Array.of(1, 1, 0, 1, 0))
    costs.addDay(day, Float64Array.from(left))
  }
  const column = (name: string) => ages.columns.get(name)!
  expect([column('utxos_in_profit')[3], column('utxos_in_profit')[4]]).toEqual([Number.NaN, 3])
  expect([column('mean_dollar_age')[3], column('mean_dollar_age')[4]]).toEqual([Number.NaN, 1])
  expect(column('mean_age')[3]).toBeCloseTo((9_000 * 3 + 50 * 2) / 10_050, 12)
  expect([ages.unpricedShare[3], ages.unpricedShare[4]]).toEqual([50 / 10_050, 5 / 10_005])
  expect(costs.days.map(({ day }) => day)).toEqual([4])
  // A bin contains its lower price: 10 USD is that of bin 1401.
  expect([...costs.days[0]!.bins]).toEqual([0, 1401])
  expect(lowerEdge(1401)).toBe(10)
  expect(costs.columns.get('p99')![3]).toBeNaN()
  expect(costs.columns.get('p99')![4]).toBe(10)
})
