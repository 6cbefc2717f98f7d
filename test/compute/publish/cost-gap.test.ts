import { expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { describeCostGap, findCostGap } from '#compute/publish/cost-gap.ts'
import { networks } from '#ingest/chain/networks.ts'

const catalogue = createCatalogue(
  networks.mainnet,
  listCohorts({ days: Int32Array.of(14_247, 20_000) }, networks.mainnet.halvingInterval, 20_000),
)
const gap = { first_date: '2010-07-17', last_date: '2011-08-17', share: 0.2, known_from: null }
const descriptions = new Map(
  describeCostGap(catalogue, gap).definitions.map(({ id, description }) => [id, description]),
)
const plain = new Map(catalogue.definitions.map(({ id, description }) => [id, description]))

test.each([
  'realized_cap',
  'mvrv',
  'lth_sopr',
  'mvrv_z',
  'realized_price_1y_2y',
  'supply_in_profit',
  'utxos_in_loss',
  'cost_basis_p50',
  'cost_basis_distribution',
  'spent_output_price_distribution',
  'realized_supply_density_5',
  'balanced_price',
  'nupl',
  'addresses_in_loss',
  'addresses_in_profit_percent',
  'mvrv_addresses_1_to_10_btc',
])('%s names the gap and its cure', (id) => {
  expect(descriptions.get(id)).toBe(
    `${plain.get(id)} Null if more than 0.1 % of the coins have no price: those created from 2010-07-17 to 2011-08-17, ` +
      'before the stored prices begin; "coinstrata fetch" gets them.',
  )
})

test.each([
  'price',
  'price_sma_200',
  'market_cap',
  'circulating_supply',
  'mean_coin_age',
  'spent_volume_usd',
  'coindays_destroyed',
  'addresses_over_1_usd',
])('%s has nothing to do with it', (id) => {
  expect(plain.has(id)).toBe(true)
  expect(descriptions.get(id)).toBe(plain.get(id))
})

test('without a gap nothing is said', () => {
  expect(describeCostGap(catalogue, null)).toBe(catalogue)
})

test.each([
  [[Number.NaN, Number.NaN, 5], '2020-01-03'],
  [[Number.NaN, Number.NaN, Number.NaN], null],
])('the gap reaches over the days without a price, and ends with the first known realized cap', (cap, known_from) => {
  const days = new Float64Array(3)
  const basis = { price: days, cost: days, unpriced: Uint8Array.of(0, 1, 0) }
  const firstDay = Date.parse('2020-01-01') / 86_400_000
  expect(findCostGap(firstDay, basis, Float64Array.from(cap), Float64Array.of(0, 1, 0.25))).toEqual({
    first_date: '2020-01-02',
    last_date: '2020-01-02',
    share: 0.25,
    known_from,
  })
  expect(findCostGap(firstDay, { ...basis, unpriced: new Uint8Array(3) }, Float64Array.from(cap), days)).toBeNull()
})
