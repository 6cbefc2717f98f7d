import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { gaplessMetrics, requireNoGap } from '#compute/publish/gapless.ts'
import { MetricColumns } from '#compute/publish/metric-columns.ts'
import { networks } from '#ingest/chain/networks.ts'
import { Random } from '#test/support/random.ts'

const { formulas } = createCatalogue(
  networks.mainnet,
  listCohorts({ days: Int32Array.of(14_247, 20_000) }, networks.mainnet.halvingInterval, 20_000),
)
/** Averages, windows and ratios of prices, with no division by what may be zero. */
const computed =
  'price high price_sma_1400 price_ema_200 price_sma_350_x2 pi_cycle_ratio mayer_multiple ath drawdown return_365d market_cap average_cap sats_per_dollar high_1y low_1y realized_vol_1m cagr_4y power_law_ratio dca_price_2y bollinger_upper macd_histogram golden_cross_ratio'.split(
    ' ',
  )
const [days, start, end] = [2_000, 40, 1_990]

/**
 * Prices that begin late and end early, in a row of equal ones too, with what else the metrics are
 * made of.
 */
function columnsWith(hole?: number): MetricColumns {
  const random = new Random(1)
  const walk = new Float64Array(days)
  for (let day = 0, price = 1; day < days; day++) {
    if (day % 400 > 60) price *= Math.exp(0.1 * (random.next() - 0.48))
    walk[day] = price
  }
  const priced = (of: (price: number) => number) =>
    walk.map((price, day) => (day < start || day > end || day === hole ? Number.NaN : of(price)))
  const base = new Map([
    ['price', priced((price) => price)],
    ['high', priced((price) => 1.1 * price)],
    ['open', priced((price) => (price > 2 ? price : 0))],
    ['low', priced((price) => (price > 2 ? 0.9 * price : 0))],
    ['market_age_days', Float64Array.from({ length: days }, (_, day) => day + 1)],
    ['supply_sats', Float64Array.from({ length: days }, (_, day) => 5e9 * day)],
  ])
  return new MetricColumns(days, formulas, base, new Set([...computed, ...gaplessMetrics]))
}

test('prices and what follows from them have no null after their first value, whatever the prices are', () => {
  const columns = columnsWith()
  for (const id of new Set([...computed, ...gaplessMetrics]))
    expect(() => requireNoGap(id, columns.take(id)!, 0, end), id).not.toThrow()
})

test('a hole in the price stops publication, and names metric and day', () => {
  const firstDay = parseDay('2015-01-01') - 1_000
  const failure = expect.objectContaining({
    code: 'metric_incomplete',
    message: 'price has no value on 2015-01-01, but before and after',
    cure: expect.stringContaining('coinstrata fetch'),
  })
  expect(() => requireNoGap('price', columnsWith(1_000).take('price')!, firstDay, end)).toThrow(failure)
})
