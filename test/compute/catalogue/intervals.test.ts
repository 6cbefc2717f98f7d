import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { findIntervals } from '#compute/catalogue/metric-intervals.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'

const network = networks.mainnet
const cohorts = listCohorts(
  { days: Int32Array.of(parseDay('2009-01-03')) },
  network.halvingInterval,
  parseDay('2026-11-22'),
)
const intervals = findIntervals(createCatalogue(network, cohorts))
const within = (...ids: readonly string[]): string[] => ids.filter((id) => intervals.get(id)?.includes('1h'))

test('hours have what follows from blocks and prices alone', () => {
  const ids = ['price', 'high', 'block_height', 'supply_sats', 'circulating_supply', 'market_cap', 'tx_count', 'weight']
  const computed = [
    'fees_usd',
    'fee_rate_mean',
    'spent_volume',
    'outputs_per_tx',
    'block_fullness_percent',
    'difficulty_mean',
  ]
  expect(within(...ids, ...computed)).toEqual([...ids, ...computed])
})

test('hours lack what the cost or age of coins, other days, or the length of a day decide', () => {
  expect(within('mvrv', 'supply_1y_2y', 'coindays_destroyed', 'fee_median', 'spent_outputs_p2tr')).toEqual([])
  expect(within('chain_size', 'return_1d', 'drawdown', 'issued_supply', 'market_age_days')).toEqual([])
  expect(within('tx_per_second', 'block_interval', 'hash_rate_1d', 'inflation_rate_annualized', 'hash_price')).toEqual(
    [],
  )
  expect(within('coindays_created', 'net_coindays', 'nvt', 'rvt', 'velocity_glassnode')).toEqual([])
})

test('every series has days, weeks and months', () => {
  const without = [...intervals].filter(
    ([, all]) => !['1d', '1w', '1m', '1y'].every((one) => all.some((own) => own === one)),
  )
  expect(without.map(([id]) => id)).toEqual(['cost_basis_distribution', 'spent_output_price_distribution'])
})
