import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { compareWithVendor, type Extract, evaluateMetric, type Vendor } from '#root/docs/agreement/comparison.ts'
import { references } from '#root/docs/agreement/references.ts'

/** Definitions against values that vendors publish, on the inputs that they publish; each fails where it is defined otherwise. */

const compared = references.flatMap(compareWithVendor)

function offBy(metric: string, vendor: Vendor): { days: number; greatest: number } {
  const found = compared.find((one) => one.metric === metric && one.vendor === vendor)
  if (!found) throw new Error(`${metric} is not compared with ${vendor}`)
  return found
}

test.each([
  ['difficulty_sma_9', 'Glassnode'],
  ['difficulty_ribbon_compression', 'Glassnode'],
  ['rhodl_ratio', 'Glassnode'],
  ['inflation_rate_glassnode', 'Glassnode'],
  ['velocity_glassnode', 'Glassnode'],
  ['average_price', 'Woobull'],
  ['delta_price', 'Woobull'],
  ['top_price', 'Woobull'],
  ['cvdd', 'Woobull'],
  ['transferred_price', 'Woobull'],
  ['balanced_price', 'Woobull'],
  ['realized_vol_1m_coin_metrics', 'Coin Metrics'],
] as const)('%s is that of %s', (metric, vendor) => {
  const { days, greatest } = offBy(metric, vendor)
  expect(days).toBeGreaterThan(20)
  expect(greatest).toBeLessThan(1e-9)
})

test('the annualized inflation rate is that of Coin Metrics, but for supplies that it corrected later', () => {
  expect(offBy('inflation_rate_annualized', 'Coin Metrics').greatest).toBeLessThan(1e-4)
})

/** Consecutive days from a date, with the values given, as doubles. */
function on(date: string, given: Readonly<Record<string, readonly number[]>>) {
  const length = Object.values(given)[0]!.length
  const extract: Extract = { days: Array.from({ length }, (_, day) => parseDay(date) + day), series: new Map() }
  const columns = new Map(Object.entries(given).map(([id, values]) => [id, Float64Array.from(values)]))
  return (metric: string): number[] => [...evaluateMetric(metric, extract, columns)]
}

test('transactions are counted as vendors do: Coin Metrics has 1, 8 and 2 from 2009-01-14 to 16', () => {
  // From the blocks of these days on mainnet.
  const metric = on('2009-01-14', {
    tx_count_with_coinbase: [130, 134, 110],
    blocks_mined: [129, 126, 108],
    inputs: [1, 10, 2],
    size: [28_276, 30_060, 23_854],
  })
  expect(metric('tx_count')).toEqual([1, 8, 2])
  expect(metric('inputs_per_tx')).toEqual([1, 1.25, 1])
  expect(metric('tx_size_mean')[0]).toBeCloseTo(28_276 / 130, 12)
})

test('coin years destroyed are the sum of coin days over 365 days, whatever their name', () => {
  const destroyed = Array.from({ length: 366 }, (_, day) => 1_000_000 + day)
  const metric = on('2014-01-01', { coindays_destroyed: destroyed })
  // 365 × 1,000,000 and the sum of 0 to 364, then of 1 to 365.
  expect(metric('coinyears_destroyed').slice(364)).toEqual([365_066_430, 365_066_795])
  // The market is 2,189 days old on 2014-12-31.
  expect(metric('coinyears_destroyed_age_adjusted')[364]).toBeCloseTo(365_066_430 / 2189, 6)
})

test('Bollinger bands lie two population deviations from the mean', () => {
  const metric = on('2014-01-01', { price: Array.from({ length: 20 }, (_, day) => day + 1) })
  // The mean of 1 to 20 is 10.5, the variance (20² − 1)/12.
  expect(metric('bollinger_upper')[19]).toBeCloseTo(10.5 + 2 * Math.sqrt(33.25), 12)
  expect(metric('bollinger_lower')[19]).toBeCloseTo(10.5 - 2 * Math.sqrt(33.25), 12)
})

describe('the MVRV Z-score', () => {
  const days = 800
  const price = Array.from({ length: days }, (_, day) => (day < 100 ? Number.NaN : 1 + (day % 7)))
  const metric = on('2010-01-01', {
    price,
    supply_sats: new Array<number>(days).fill(1e8),
    realized_cap: price.map(() => 2),
  })

  test('says nothing in the first year of prices', () => {
    const score = metric('mvrv_z')
    expect(score.findIndex((value) => !Number.isNaN(value))).toBe(100 + 365)
  })

  test('has a variant that counts the days before the first price as 0, which is nearer to Glassnode', () => {
    const caps = price.slice(0, 104).map((value) => (Number.isNaN(value) ? 0 : value))
    const mean = caps.reduce((a, b) => a + b) / caps.length
    const variance = caps.reduce((sum, cap) => sum + (cap - mean) ** 2, 0) / (caps.length - 1)
    expect(metric('mvrv_z_glassnode')[103]).toBeCloseTo((price[103]! - 2) / Math.sqrt(variance), 12)
    const [own, variant] = ['mvrv_z', 'mvrv_z_glassnode'].map((id) => compared.find(({ metric: one }) => one === id)!)
    expect(variant!.median).toBeLessThan(0.03)
    expect(own!.median).toBeGreaterThan(0.05)
  })
})
