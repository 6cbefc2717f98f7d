import { describe, expect, test } from 'vitest'
import { searchMetrics } from '#mcp/answers/search.ts'
import { synonyms } from '#mcp/answers/synonyms.ts'
import { catalogue } from '../support/mainnet-catalogue.ts'

const search = (query: string, most = 5): string[] => searchMetrics(catalogue.metrics, query, most).map(({ id }) => id)

test('every synonym means metrics that there are', () => {
  const unknown = synonyms.flatMap(([, ids]) => ids).filter((id) => !catalogue.find(id))
  expect(unknown).toEqual([])
})

describe('a search finds what is meant', () => {
  test.each([
    ['mvrv', 'mvrv'],
    ['MVRV Z-Score', 'mvrv_z'],
    ['realized price', 'realized_price'],
    ['is Bitcoin overvalued right now?', 'mvrv'],
    ['long-term holders supply', 'lth_supply'],
    ['what did short term holders pay', 'sth_realized_price'],
    ['HODL waves', 'supply_percent_1y_2y'],
    ['old coins moving', 'revived_supply_1y'],
    ['fear and greed', 'nupl'],
    ['200 week moving average', 'price_sma_1400'],
    ['hashrate', 'hash_rate_7d'],
    ['miners capitulation', 'hash_ribbon'],
    ['leverage in futures', 'total_oi_usd'],
    ['ETF flows', 'etf_net_flow_usd'],
    ['microstrategy treasury', 'dat_public_company_btc'],
    ['transaction fees', 'fees'],
    ['supply 1y_2y', 'supply_1y_2y'],
    ['URPD', 'cost_basis_distribution'],
    ['stock to flow', 'stock_to_flow'],
    ['funding rate', 'avg_funding_rate'],
  ])('%s', (query, id) => {
    expect(search(query)).toContain(id)
  })
})

test('the metric of an exact id comes first, before its variants', () => {
  for (const id of ['price', 'mvrv', 'sopr', 'supply_10y_plus', 'lth_supply']) expect(search(id, 1), id).toEqual([id])
})

test('words that mean nothing here find nothing', () => {
  expect(search('xyzzy qwerty')).toEqual([])
  expect(search('the of')).toEqual([])
  expect(search('???')).toEqual([])
})
