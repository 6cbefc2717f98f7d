import { expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { defineMetrics, withKinds } from '#compute/catalogue/definition.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { defaultAggregates } from '#contract/metric-kinds.ts'
import { networks } from '#ingest/chain/networks.ts'
import { inferKind } from '#sql/formula/kind.ts'

const cohorts = listCohorts({ days: Int32Array.of(14_247) }, 210_000, 14_247 + 5000)
const { definitions, formulas } = createCatalogue(networks.mainnet, cohorts)
const byId = new Map(definitions.map((metric) => [metric.id, metric]))

test('a formula decides the kind of its metric, but for these', () => {
  const ofFormula = new Map([...formulas].map(([id, formula]) => [id, inferKind(formula, (of) => byId.get(of)!.kind)]))
  const others = definitions.filter(({ id, kind }) => (ofFormula.get(id) ?? kind) !== kind)
  expect(others.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    // By hand.
    'return_1d rate',
    'return_asia rate',
    'return_europe rate',
    'return_america rate',
    'coindays_created flow',
    // By unit: what happened in a day, by the second.
    'tx_per_second rate',
    'hash_rate_1d rate',
  ])
})

test('measured flows and rates', () => {
  const measured = definitions.filter(({ from, formula }) => formula === undefined && !from?.key)
  const of = (kind: string): string => measured.flatMap((metric) => (metric.kind === kind ? [metric.id] : [])).join(' ')
  expect(of('flow')).toBe(
    [
      'volume spent_outputs_under_1h blocks_mined tx_count_with_coinbase outputs size weight op_return_outputs segwit_outputs taproot_outputs fees_sats',
      'version_1_transactions version_2_transactions version_3_transactions locked_transactions replaceable_transactions segwit_transactions',
      'taproot_transactions one_to_one_transactions consolidation_transactions batch_transactions coinjoin_like_transactions',
      'inscription_transactions runestone_transactions op_return_transactions several_op_return_transactions adjusted_sats dust_outputs',
      'op_return_bytes large_op_return_outputs omni_outputs empty_blocks',
      'issuance_sats work spent_output_price_distribution oi_delta_usd oi_delta_btc etf_net_flow_btc etf_net_flow_usd dat_net_change_btc',
    ].join(' '),
  )
  expect(of('rate')).toBe(
    [
      'asol msol block_interval_median fee_median',
      'fee_p10 fee_p25 fee_p75 fee_p90',
      ...['fee_rate', 'created_value', 'spent_value', 'transfer_value'].map((id) =>
        ['p10', 'p25', 'median', 'p75', 'p90'].map((quantile) => `${id}_${quantile}`).join(' '),
      ),
      'block_interval_max pool_count pool_top3_percent pool_herfindahl pool_unknown_percent',
      'active_addresses sending_addresses receiving_addresses avg_funding_rate funding_annualized funding_spread oi_delta_percent',
    ].join(' '),
  )
})

test('measures of a cohort are of the kind of those of all coins', () => {
  const spent = [
    'spent_volume',
    'spent_outputs',
    'realized_profit',
    'realized_pl',
    'coindays_destroyed',
    'spent_cost_1h',
  ]
  const held = ['supply', 'realized_cap', 'mvrv', 'nupl', 'unrealized_pl', 'utxo_count', 'supply_change_30d']
  const findKinds = (measures: readonly string[]) =>
    new Set(measures.flatMap((id) => [byId.get(`${id}_y2010`)?.kind, byId.get(`sth_${id}`)?.kind]))
  expect(findKinds(spent)).toEqual(new Set(['flow']))
  expect(findKinds(held)).toEqual(new Set(['level']))
  expect(findKinds(['sopr', 'asopr', 'dormancy', 'realized_pl_ratio'])).toEqual(new Set(['rate']))
})

test('what is measured in shares, ages or speeds never adds up', () => {
  const units = new Set(definitions.filter(({ kind }) => kind === 'flow').map(({ unit }) => unit))
  expect([...units].sort()).toEqual(
    ['BTC', 'USD', 'USD-days', 'bytes', 'coin-days', 'count', 'hashes', 'sats', 'weight units'].sort(),
  )
  expect(byId.get('hash_rate_1d')?.kind).toBe('rate')
  expect(byId.get('tx_per_second')?.kind).toBe('rate')
})

test('a week of a level is its last value and of a flow the sum, but for these', () => {
  const others = definitions.filter(({ kind, aggregate }) => kind !== 'rate' && aggregate !== defaultAggregates[kind])
  expect(others.map(({ id, aggregate }) => `${id} ${aggregate}`)).toEqual([
    'open first',
    'high max',
    'low min',
    'hash_ribbon_buy_signal max',
  ])
})

test('a week of a rate is its formula, but for these', () => {
  const others = definitions.filter(
    ({ kind, aggregate, formula }) => kind === 'rate' && formula && aggregate !== 'formula',
  )
  const ids = others.flatMap(({ id, aggregate }) => (id.includes('sell_side_risk_ratio') ? [] : [`${id} ${aggregate}`]))
  expect(ids).toEqual([
    // A flow over the level of its own day, or one day over others.
    'volume_to_market_cap mean',
    'return_1d mean',
    'return_asia mean',
    'return_europe mean',
    'return_america mean',
    'nvt_price mean',
    'velocity_glassnode mean',
    'puell_multiple mean',
    'vocdd mean',
    'rpv_ratio mean',
    'supply_adjusted_cdd mean',
    'tx_per_second mean',
    'fee_median_usd mean',
    'inflation_rate_annualized mean',
    'hash_rate_1d mean',
  ])
  const measured = definitions.filter(
    ({ kind, aggregate, formula }) => kind === 'rate' && !formula && aggregate !== 'mean',
  )
  expect(measured.map(({ id, aggregate }) => `${id} ${aggregate}`)).toEqual([
    'block_interval_max max',
    'pool_count counts',
    'pool_top3_percent counts',
    'pool_herfindahl counts',
    'pool_unknown_percent counts',
  ])
})

test('a metric cannot come without a kind', () => {
  const [unknown] = defineMetrics('market', [{ id: 'a', name: 'A', unit: 'USD', description: 'A.', formula: 'b' }])
  expect(() => withKinds([unknown!], [])).toThrow('kind of a is not known')
})
