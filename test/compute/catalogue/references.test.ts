import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { cohortMetricId } from '#compute/catalogue/measures.ts'
import { compareWithVendor, type Extract, evaluateMetric, type Vendor } from '#root/docs/agreement/comparison.ts'
import { references } from '#root/docs/agreement/references.ts'

/**
 * Definitions against values that vendors publish, on the inputs that they publish; each fails
 * where it is defined otherwise.
 */

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
    spent_outputs: [1, 10, 2],
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
  expect(metric('coindays_destroyed_365d_sum').slice(364)).toEqual([365_066_430, 365_066_795])
  // The market is 2,189 days old on 2014-12-31.
  expect(metric('coinyears_destroyed_age_adjusted')[364]).toBeCloseTo(365_066_430 / 2189, 6)
})

test('AHR999 is that of CoinGlass on 1 and 2 February 2011', () => {
  // 200-day cost, price and index as published at docs.coinglass.com; the costs have four decimals.
  const published = [
    { date: '2011-02-01', cost: 0.1365, price: 0.626, index: 4.441692296429609 },
    { date: '2011-02-02', cost: 0.1383, price: 0.713, index: 5.642181244439729 },
  ]
  for (const { date, cost, price, index } of published) {
    const first = new Date(Date.parse(date) - 199 * 86_400_000).toISOString().slice(0, 10)
    // 199 equal closes that with the last one have this geometric mean.
    const before = (cost ** 200 / price) ** (1 / 199)
    const metric = on(first, { price: [...new Array<number>(199).fill(before), price] })
    expect(metric('price_geometric_mean_200')[198]).toBeNaN()
    expect(metric('price_geometric_mean_200')[199]).toBeCloseTo(cost, 12)
    expect(Math.abs(metric('ahr999')[199]! / index - 1)).toBeLessThan(0.00005 / cost)
  }
})

test('the geometric mean of as many closes of 1 as of 4 is 2', () => {
  const metric = on('2014-01-01', { price: Array.from({ length: 200 }, (_, day) => (day % 2 ? 1 : 4)) })
  expect(metric('price_geometric_mean_200')[199]).toBeCloseTo(2, 12)
})

test('the rainbow is that of CoinGlass on 17 August 2010: its line exactly, its edges within 4 %', () => {
  const published = [0.033065, 0.044064, 0.059892, 0.082219, 0.110996, 0.149845, 0.205865, 0.283454, 0.380525, 0.517626]
  const metric = on('2010-08-17', { price: [0.07] })
  const edges = published.map((_, i) => metric(`rainbow_price_${i + 1}`)[0]!)
  expect(edges[4]).toBeCloseTo(published[4]!, 6)
  expect([edges[3], edges[5]].map((edge) => edge?.toFixed(5))).toEqual(['0.08222', '0.14984'])
  for (const [i, edge] of edges.entries()) expect(Math.abs(edge / published[i]! - 1)).toBeLessThan(0.04)
  expect(metric('rainbow_band')[0]).toBe(3)
})

test.each([
  [0.033, 0],
  [0.034, 1],
  [0.11, 4],
  [0.112, 5],
  [0.49, 9],
  [0.5, 10],
])('a price of %d lies in band %i of the rainbow', (price, band) =>
  expect(on('2010-08-17', { price: [price] })('rainbow_band')[0]).toBe(band),
)

describe('the hash ribbon buys', () => {
  /** Work of 100 a day, halved on days 60 to 89 and 130 to 159, doubled on the others from 90 on. */
  const work = Array.from({ length: 200 }, (_, day) => {
    if (day < 60) return 100
    return day < 90 || (day >= 130 && day < 160) ? 50 : 200
  })
  const buys = (price: (day: number) => number, days = 130): number[] => {
    const metric = on('2014-01-01', {
      work: work.slice(0, days),
      price: work.slice(0, days).map((_, day) => price(day)),
    })
    return metric('hash_ribbon_buy_signal').flatMap((signal, day) => (signal === 1 ? [day] : []))
  }

  test('on the day on which miners have recovered, if the price rises already', () => {
    // With k days of 200 the means are 50 + 5k of 30 days and 75 + 5k/3 of 60: k is 8 on day 97.
    expect(buys((day) => 100 + day)).toEqual([97])
  })

  test('again after another capitulation', () => {
    // With k days of 200, 30 of 50 and the others of 200 before: 50 + 5k against 125, k is 16.
    expect(buys((day) => 100 + day, 200)).toEqual([97, 175])
  })

  test('else on the first day on which the 10-day mean is above the 20-day mean', () => {
    // The price falls by 1 a day to 0 on day 110, then rises by 1. On day 119 the means are 4.5 and
    // 5, on day 120 5.5 and 5.
    expect(buys((day) => Math.abs(day - 110))).toEqual([120])
  })

  test('has no value without a hash rate of 60 days or a price of 20', () => {
    const metric = on('2014-01-01', { work: work.slice(0, 80), price: work.slice(0, 80).map((_, day) => day) })
    expect(metric('hash_ribbon_buy_signal').indexOf(0)).toBe(59)
  })

  test('never while the price falls', () => expect(buys((day) => 1000 - day, 200)).toEqual([]))
})

test('the accumulation trend score is the share of the supply in bands that grew within 30 days', () => {
  const flat = (coins: number): number[] => new Array<number>(31).fill(coins)
  const grown = (coins: number): number[] => [...flat(coins).slice(0, 30), coins + 1]
  const metric = on('2014-01-01', {
    supply_sats: flat(200e8),
    supply_addresses_0_to_0_001_btc: flat(1),
    supply_addresses_0_001_to_0_01_btc: grown(2),
    supply_addresses_0_01_to_0_1_btc: flat(3),
    supply_addresses_0_1_to_1_btc: grown(4),
    supply_addresses_1_to_10_btc: flat(10),
    supply_addresses_10_to_100_btc: flat(20),
    supply_addresses_100_to_1k_btc: flat(30),
    supply_addresses_1k_to_10k_btc: grown(41),
    supply_addresses_over_10k_btc: [...flat(80).slice(0, 30), 70],
  })
  expect(metric('accumulation_trend_score')[29]).toBeNaN()
  // 3 + 5 + 42 of 200 coins.
  expect(metric('accumulation_trend_score')[30]).toBe(0.25)
})

test('Bollinger bands lie two population deviations from the mean', () => {
  const metric = on('2014-01-01', { price: Array.from({ length: 20 }, (_, day) => day + 11) })
  // The mean of 11 to 30 is 20.5, the variance (20² − 1)/12.
  expect(metric('bollinger_upper')[19]).toBeCloseTo(20.5 + 2 * Math.sqrt(33.25), 12)
  expect(metric('bollinger_lower')[19]).toBeCloseTo(20.5 - 2 * Math.sqrt(33.25), 12)
  expect(metric('bollinger_width')[19]).toBeCloseTo((4 * Math.sqrt(33.25)) / 20.5, 12)
})

describe('a price that would be below zero is null', () => {
  test('the lower Bollinger band', () => {
    // The mean of 1 to 20 is 10.5, two deviations are 11.53. On mainnet it was so from 2011-06-08
    // to 06-11.
    const metric = on('2014-01-01', { price: Array.from({ length: 20 }, (_, day) => day + 1) })
    expect(metric('bollinger_lower')[19]).toBeNaN()
    expect(metric('bollinger_upper')[19]).toBeCloseTo(10.5 + 2 * Math.sqrt(33.25), 12)
  })

  test('MVRV one deviation below its mean', () => {
    const metric = on('2014-01-01', {
      price: [1, 1, 1],
      supply_sats: [1e8, 1e8, 1e8],
      realized_cap: [1 / 20, 1, 1 / 4],
    })
    // MVRV is 20, 1 and 4: its mean 25/3 is below its deviation, the root of (20 − 25/3)² + (22/3)²
    // + (13/3)² over 2.
    const deviation = Math.sqrt(((20 - 25 / 3) ** 2 + (22 / 3) ** 2 + (13 / 3) ** 2) / 2)
    expect(metric('mvrv_price_minus_1sd')[2]).toBeNaN()
    expect(metric('mvrv_price_plus_1sd')[2]).toBeCloseTo((25 / 3 + deviation) / 4, 12)
    // Before, it was 10.5 − 13.4.
    expect(metric('mvrv_price_minus_1sd')[1]).toBeNaN()
  })
})

test('reserve risk with the median of all days begins when that has thirty', () => {
  const days = Array.from({ length: 31 }, (_, day) => day)
  const metric = on('2010-07-18', {
    price: days.map(() => 2),
    supply_sats: days.map(() => 1e8),
    // On the first days more coin days are destroyed than all coins have in a year.
    coindays_destroyed: days.map((day) => (day < 5 ? 400 : 0.5)),
  })
  expect(metric('hodl_bank_expanding').findIndex((value) => !Number.isNaN(value))).toBe(29)
  // The median of VOCDD is 2 × 0.5, so the bank earns 2 − 1 on each day.
  expect(metric('hodl_bank_expanding').slice(29)).toEqual([1, 2])
  expect(metric('reserve_risk_expanding').slice(29)).toEqual([2, 1])
})

test('reserve risk is null while holders have earned nothing by holding', () => {
  const metric = on('2010-07-18', {
    price: new Array<number>(31).fill(2),
    supply_sats: new Array<number>(31).fill(1e8),
    coindays_destroyed: new Array<number>(31).fill(3),
  })
  expect(metric('hodl_bank').slice(29)).toEqual([-4, -8])
  expect(metric('reserve_risk').slice(29)).toEqual([Number.NaN, Number.NaN])
})

test("Glassnode's inflation rate begins with its series, in 2010: in 2009 the supply doubled within days", () => {
  const metric = on('2009-12-31', {
    issuance_sats: [7e11, 6.6e11],
    supply_sats: [162_455e8, 163_115e8].map((v) => v * 10),
  })
  expect(metric('inflation_rate_glassnode')[0]).toBeNaN()
  expect(metric('inflation_rate_glassnode')[1]).toBeCloseTo((1 + 6600 / 1_631_150) ** 365 - 1, 9)
})

test('of coins that are a day old, none was spent within an hour of its creation', () => {
  expect(cohortMetricId('1y_2y', 'asopr')).toBe('sopr_1y_2y')
  expect(cohortMetricId('lth_smooth', 'spent_cost_1h')).toBe('lth_smooth_spent_cost')
  // Their coins may be of the day itself.
  for (const cohort of ['all', 'sth', 'sth_smooth', '24h', 'under_1w', 'y2013', 'epoch_2'] as const) {
    expect(cohortMetricId(cohort, 'asopr')).toContain('asopr')
  }
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
