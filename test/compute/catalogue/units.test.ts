import { describe, expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { cohortWords } from '#compute/catalogue/cohort-words.ts'
import { listCohorts, longTermDays, longTermWeight, smoothFrom, smoothTo } from '#compute/cohorts/cohorts.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import { todayMetrics } from '#contract/tables/today.ts'
import { networks } from '#ingest/chain/networks.ts'
import { evaluateMetric } from '#root/docs/agreement/comparison.ts'

const cohorts = listCohorts({ days: Int32Array.of(14_247) }, 210_000, 14_247 + 5000)
const { definitions } = createCatalogue(networks.mainnet, cohorts)
const byId = indexByIds(definitions)

test('what is in percent says so in its id, but for the volatilities, and all else is a fraction', () => {
  const inPercent = ({ id }: { id: string }): boolean =>
    /(^|_)percent(_|$)/.test(id) || /^realized_vol_\d[wmy]$/.test(id)
  expect(definitions.filter((metric) => inPercent(metric) !== (metric.unit === 'percent')).map(({ id }) => id)).toEqual(
    [],
  )
  expect(definitions.filter(({ id }) => /_pct(_|$)/.test(id)).map(({ id }) => id)).toEqual([])
})

test('the open day has metrics by their ids, in their units', () => {
  const columns = Object.entries(todayMetrics)
  expect(columns.length).toBeGreaterThan(30)
  for (const [id, { unit }] of columns) expect([id, byId.get(id)?.unit]).toEqual([id, unit])
})

test('the same coins are one cohort', () => {
  const ranges = cohorts.flatMap((cohort) => (cohort.kind === 'age' ? [`${cohort.lower}-${cohort.upper}`] : []))
  expect(ranges.filter((range, i) => ranges.indexOf(range) !== i)).toEqual([])
})

test.each([
  ['percent_supply_in_profit', 'supply_in_profit_percent'],
  ['lth_percent_supply_in_loss', 'lth_supply_in_loss_percent'],
  ['percent_supply_in_profit_1y_2y', 'supply_in_profit_percent_1y_2y'],
  ['percent_supply_in_profit_over_10y', 'supply_in_profit_percent_10y_plus'],
  ['mvrv_under_1d', 'mvrv_24h'],
  ['supply_over_10y', 'supply_10y_plus'],
  ['oi_delta_pct', 'oi_delta_percent'],
  ['dat_pct_of_supply', 'dat_supply_percent'],
  ['dat_market_share_pct_1', 'dat_market_share_percent_1'],
  ['etf_dominance', 'etf_dominance_percent'],
])('%s is another id of %s', (old, id) => expect(byId.get(old)?.id).toBe(id))

test('endpoints go on calling renamed metrics as clients know them', () => {
  const fields = ['supply_in_profit_percent', 'oi_delta_percent', 'dat_supply_percent', 'etf_dominance_percent'].map(
    (id) => byId.get(id)?.field,
  )
  expect(fields).toEqual(['percent_supply_in_profit', 'oi_delta_pct', 'pct_of_supply', 'dominance'])
})

test('all coins are exactly 100 percent of the supply', () => {
  const sats = Float64Array.from({ length: 1000 }, (_, day) => 5_000_000_000 * (day + 1) + 7 * day)
  const extract = { days: Array.from(sats, (_, day) => 15_000 + day), series: new Map() }
  expect(new Set(evaluateMetric('supply_percent', extract, new Map([['supply_sats', sats]])))).toEqual(new Set([100]))
})

describe('whole numbers', () => {
  test.each([
    'size',
    'weight',
    'chain_size',
    'tx_count',
    'days_since_ath',
    'days_since_halving',
    'days_since_cycle_low',
  ])('%s', (id) => expect(byId.get(id)?.whole).toBe(true))
})

test('units say what they are of', () => {
  const findUnit = (id: string): string | undefined => byId.get(id)?.unit
  expect(findUnit('difficulty')).toBe('difficulty')
  expect(findUnit('difficulty_sma_9')).toBe('difficulty')
  expect(findUnit('hash_price')).toBe('USD per PH/s per day')
})

test('the words on smooth holders give the curve by which they are counted', () => {
  const { coins } = cohortWords(cohorts.find(({ id }) => id === 'lth_smooth')!)
  expect(coins).toContain(
    `1/(1 + e^(−0.1·(age − ${longTermDays}))), 0 below ${smoothFrom} and 1 above ${smoothTo} days`,
  )
  expect(longTermWeight(165)).toBeCloseTo(1 / (1 + Math.exp(-1)), 15)
  expect([99, 155, 211].map(longTermWeight)).toEqual([0, 0.5, 1])
})
