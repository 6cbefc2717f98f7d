import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { rows } from '#contract/rows.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, documented, keys as headers, serveChain, server } from './support/chain-service.ts'
import { isWide, requests, templateOf, testAnswers } from './support/endpoint-answers.ts'
import { testPublishedValues } from './support/published-values.ts'

serveChain()

test('every endpoint is asked for', () => {
  const asked = new Set(requests.map(([request]) => templateOf(request)))
  expect([...asked].sort(), 'add a request for each of them to `requests`').toEqual(
    Object.values(endpoints)
      .map(({ path: template }) => template)
      .sort(),
  )
})

test('rows of one fund by week are the sums of its flows and its holdings on Sundays', async () => {
  const read = async (query: string) => {
    const response = await fetch(`${server.url}/v1/etf/ticker?ticker=IBIT&fields=all&${query}`, {
      headers: headers.get('pro')!,
    })
    return rows.etfTicker
      .extend({ ticker: z.string() })
      .array()
      .parse((await response.json()).data)
  }
  const days = await read('limit=10000')
  const weeks = await read('limit=3&interval=1w')
  expect(weeks).toHaveLength(3)
  for (const { date, ticker, net_flow_btc, btc_holdings } of weeks.slice(1)) {
    const sunday = days.findIndex((day) => day.date === date)
    expect(new Date(date).getUTCDay()).toBe(0)
    const flow = days.slice(sunday, sunday + 7).reduce((sum, day) => sum + day.net_flow_btc!, 0)
    expect(net_flow_btc).toBeCloseTo(flow, 9)
    expect([ticker, btc_holdings]).toEqual(['IBIT', days[sunday]!.btc_holdings])
  }
  expect(weeks[0]!.date).toBe(days[0]!.date)
  expect((await read('limit=1&interval=1w&aggregate=max'))[0]!.ticker).toBe('IBIT')
})

test('ids of metrics that are the same as another answer with its values, as fields, series and paths', async () => {
  const read = async (request: string) => {
    const response = await fetch(`${server.url}${request}`, { headers: headers.get('enterprise')! })
    const body = await response.json()
    expect(response.status, JSON.stringify(body)).toBe(200)
    return z.array(z.record(z.string(), z.unknown())).parse(body.data)
  }
  const [coinDays] = await read(
    '/v1/coindays?limit=1&fields=transfer_volume,spent_volume,lth_spent_volume_1h,lth_spent_volume',
  )
  expect(coinDays!.transfer_volume).toBeGreaterThan(0)
  expect([coinDays!.transfer_volume, coinDays!.lth_spent_volume_1h]).toEqual([
    coinDays!.spent_volume,
    coinDays!.lth_spent_volume,
  ])
  const [chained] = await read('/v1/blockchain?limit=1&fields=inputs,inputs_per_tx,tx_count')
  expect(chained!.inputs).toBeCloseTo(Number(chained!.inputs_per_tx) * Number(chained!.tx_count), 6)
  expect(await read('/v1/blockchain/inputs?limit=1')).toEqual([{ date: chained!.date, inputs: chained!.inputs }])

  const [price] = await read('/v1/prices?limit=1')
  expect([price!.close, price!.price]).toEqual([price!.price, expect.any(Number)])
  const [all] = await read('/v1/coindays?limit=1&fields=all')
  expect(all).toMatchObject({ spent_volume: coinDays!.spent_volume, transfer_volume: coinDays!.spent_volume })
  expect(all).not.toHaveProperty('coinyears_destroyed')

  const ids = 'sopr_1d_1w,asopr_1d_1w,spent_volume_over_1w,spent_volume_1h_over_1w,revived_supply_1y'
  const series = await read(`/v1/series?limit=10000&metrics=${ids}`)
  expect(series.some((row) => row.asopr_1d_1w !== null)).toBe(true)
  for (const row of series) {
    expect([row.asopr_1d_1w, row.spent_volume_1h_over_1w]).toEqual([row.sopr_1d_1w, row.spent_volume_over_1w])
  }
  const [band] = await read('/v1/cohort/metrics/1d_1w?limit=1&fields=sopr,asopr')
  expect([band!.asopr, band!.sopr]).toEqual([series[0]!.sopr_1d_1w, series[0]!.sopr_1d_1w])
})

test('every endpoint is documented', () => {
  const paths = documented.operations('get')
  for (const { path: template } of Object.values(endpoints)) expect(paths.has(template), template).toBe(true)
})

testAnswers(
  'enterprise',
  requests.filter((request) => !isWide(request)),
)

// endpoints.extended.test.ts checks the contents of the answers to demo and pro.
describe('tier demo', () => {
  test.each(requests.map(([request, statuses]) => ({ request, statuses })))(
    '$request',
    async ({ request, statuses }) => {
      const response = await fetch(server.url + request, { headers: headers.get('demo')! })
      expect([response.status, await response.text()]).toEqual([statuses?.demo ?? 200, expect.any(String)])
    },
  )
})

const newest = async (target: string) => {
  const response = await fetch(`${server.url}/v1/${target}`, { headers: headers.get('enterprise')! })
  return (await response.json()).data
}

test.each([
  ['prices', rows.prices],
  ['holder/supply', rows.holderSupply],
  ['holder/valuation', rows.holderValuation],
  ['holder/profit', rows.holderProfit],
  ['coindays', rows.coindays],
  ['blockchain', rows.blockchain],
] as const)('rows of %s have every field that clients know by name', async (endpoint, { shape }) => {
  const [row] = await newest(`${endpoint}?limit=1`)
  expect(Object.keys(row)).toEqual(expect.arrayContaining(Object.keys(shape)))
})

test('unspent outputs are worth what they cost on the day that is asked for', async () => {
  const date = '2010-02-01'
  const unspent = rows.utxoHistory.array().parse(await newest(`utxo/history?date_processed=${date}&limit=10000`))
  const [{ price }] = await newest(`prices?start_date=${date}&end_date=${date}`)
  expect(price).toBeGreaterThan(0)
  expect(price).not.toBe(1)
  const [[supply] = []] = await rowsOf(
    `SELECT supply_sats FROM ${publishedTable(chain.dataDir, 'cohorts')} WHERE cohort = 'all' AND date = '${date}'`,
  )
  expect(unspent.reduce((sum, { token_amount }) => sum + token_amount, 0)).toBeCloseTo(Number(supply) / 1e8, 6)
  for (const { token_amount, usd_value } of unspent) expect(usd_value! / (token_amount * price)).toBeCloseTo(1, 12)
})

test('coins that one company reports among its own and another tells of are counted once in all totals', async () => {
  const [total] = await newest('dat/aggregate?limit=1&fields=all')
  const entities: { type: string; btc_amount: number; market_share_pct: number }[] = await newest('dat/stats')
  const heldBy = (type: string) => entities.find((one) => one.type === type)?.btc_amount ?? 0
  expect(heldBy('public')).toBeGreaterThan(0)
  expect(heldBy('public')).toBeCloseTo(total.public_company_btc, 6)
  expect(heldBy('private')).toBeCloseTo(total.private_company_btc, 6)
  expect(entities.reduce((sum, { market_share_pct }) => sum + market_share_pct, 0)).toBeCloseTo(100, 6)
})

// The others are in endpoints.extended.test.ts.
testPublishedValues((place) => place % 5 === 0, { metrics: 200, values: 4_000 })
