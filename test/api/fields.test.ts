import { parse as parseCsv } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { keys, serveChain, server } from './support/chain-service.ts'

serveChain()

async function ask(target: string, tier: 'demo' | 'pro' | 'enterprise' = 'enterprise') {
  const response = await fetch(`${server.url}/v1/${target}`, { headers: keys.get(tier)! })
  const body = await response.json()
  const names = new Set((body.data ?? []).flatMap((row: object) => Object.keys(row)))
  return { status: response.status, names: [...names], data: body.data, meta: body.meta, message: body.message }
}

/** As the interface names them, for its clients. */
const named: Readonly<Record<string, string>> = {
  prices:
    'date symbol price open high low close volume market_cap drawdown realized_vol_1w realized_vol_2w realized_vol_1m realized_vol_3m realized_vol_6m realized_vol_1y',
  coindays:
    'date coindays_destroyed binary_cdd supply_adjusted_cdd liveliness vaultedness dormancy dormancy_flow net_coindays coindays_accumulated transferred_price transfer_volume',
  'cohort/metrics/lth': 'date date_processed cohort supply realized_cap realized_price',
  blockchain: 'date block_height blocks_mined',
  'etf/registry': 'ticker name issuer country launch_date fee_percent status',
  'etf/ticker?ticker=IBIT': 'date btc_holdings net_flow_btc cumulative_flow_btc aum_usd realized_cap premium',
  'futures/oi': 'date total_oi_usd oi_delta_usd oi_delta_pct exchange_count',
  'dat/entity?id=2':
    'date btc_amount total_current_value_usd net_flow_btc cumulative_flow_btc percentage_of_total_supply market_share_pct',
  'dat/registry': 'id name ticker type country first_date',
  'metrics/mvrv':
    'id name short_description description category unit endpoint field grade formula variant source first_date style scale related',
}

test.each(Object.entries(named))('rows of %s hold the fields that the interface names', async (target, fields) => {
  expect((await ask(target)).names).toEqual(fields.split(' '))
})

test('fields=all answers all that the catalogue or the published table has', async () => {
  const { data } = await ask('metrics?fields=field,endpoint')
  const served = data.filter(({ endpoint }: { endpoint: string }) => endpoint === 'prices')
  // The close is the price, which the interface names twice.
  const expected = ['date', 'symbol', 'close', ...served.map(({ field }: { field: string }) => field)]
  expect(expected.length).toBeGreaterThan(50)
  expect((await ask('prices?fields=all&limit=1')).names.sort()).toEqual(expected.sort())
  expect((await ask('etf/ticker?ticker=IBIT&fields=all&limit=1')).names).toEqual([
    ...['date', 'ticker', 'btc_holdings', 'estimated', 'net_flow_btc', 'net_flow_usd', 'cumulative_flow_btc'],
    ...['aum_usd', 'realized_cap', 'premium', 'source'],
  ])
  expect((await ask('metrics/mvrv?fields=all')).names).toEqual(expect.arrayContaining(['formula', 'aliases', 'active']))
})

test('the definition of a metric of one exchange, fund or company has the whole address of its values', async () => {
  const { data } = await ask('metrics?variants=all&fields=id,endpoint,field&limit=10000')
  const members = data.filter(({ endpoint }: { endpoint: string }) => endpoint.includes('?'))
  expect(members.length).toBeGreaterThan(100)
  let compared = 0
  // A twentieth of them, of each kind.
  for (const { id, endpoint, field } of members.filter((_: unknown, i: number) => i % 20 === 0)) {
    const { status, data } = await ask(`${endpoint}&fields=${field}&limit=1`)
    expect([endpoint, status]).toEqual([endpoint, 200])
    // Some have no rows.
    if (data.length === 0) continue
    const [same] = (await ask(`series?metrics=${id}&start_date=${data[0].date}&limit=1&order=asc`)).data
    expect([endpoint, data[0][field]]).toEqual([endpoint, same[id]])
    compared++
  }
  expect(compared).toBeGreaterThan(3)
})

test('fields named are answered in that order, after those that tell rows apart', async () => {
  expect((await ask('prices?fields=volume,close,price_sma_20&limit=1')).names).toEqual([
    'date',
    'volume',
    'close',
    'price_sma_20',
  ])
  expect((await ask('prices?fields=close,date,close&limit=1')).names).toEqual(['date', 'close'])
  expect((await ask('cost-basis?fields=supply&limit=1')).names).toEqual(['date', 'bin', 'supply'])
  expect((await ask('series?metrics=price,mvrv&fields=mvrv&limit=1')).names).toEqual(['date', 'mvrv'])
  expect((await ask('metrics?q=mvrv&fields=name')).names).toEqual(['id', 'name'])
  expect((await ask('prices?fields=symbol&limit=2')).data).toEqual([
    { date: expect.any(String), symbol: 'BTC' },
    { date: expect.any(String), symbol: 'BTC' },
  ])
})

test('values are the same whichever fields are asked for', async () => {
  const [all, one] = [
    await ask('holder/valuation?fields=all&limit=3'),
    await ask('holder/valuation?fields=mvrv&limit=3'),
  ]
  expect(all.data.map(({ date, mvrv }: { date: string; mvrv: number }) => ({ date, mvrv }))).toEqual(one.data)
})

test('files hold the fields of rows', async () => {
  const csv = async (target: string) => {
    const response = await fetch(`${server.url}/v1/${target}`, { headers: keys.get('enterprise')! })
    return parseCsv(await response.text())[0]
  }
  expect(await csv('prices?format=csv&limit=1')).toEqual(named.prices?.split(' '))
  expect(await csv('prices?format=csv&limit=1&fields=close')).toEqual(['date', 'close'])
})

describe('a field that there is not', () => {
  test.each(Object.values(endpoints).map(({ path }) => path))('is refused by %s', async (path) => {
    const target = path
      .replace('/v1/', '')
      .replace('{cohort}', 'lth')
      .replace('{metric}', 'fees')
      .replace('{metric_id}', 'mvrv')
      .replace('{id}', '2')
    const needed = { ticker: 'IBIT', exchange: 'binance', id: '2', metrics: 'price', metric: 'price', measure: 'ever' }
    const query = new URLSearchParams({ fields: 'nonsense' })
    for (const [name, value] of Object.entries(needed)) {
      const declared = Object.values(endpoints).find((one) => one.path === path)!.query.shape
      if (name in declared) query.set(name, value)
    }
    const { status, message } = await ask(`${target}?${query}`)
    expect([status, message]).toEqual([400, expect.stringContaining("parameter 'fields'")])
  })

  test('with the name that was meant', async () => {
    expect((await ask('prices?fields=closee')).message).toContain("did you mean 'close'?")
  })
})

test('only fields that are asked for count as withheld', async () => {
  expect((await ask('prices', 'demo')).meta.withheld).toBeUndefined()
  const { meta } = await ask('metrics/latest?fields=price,sopr', 'demo')
  expect(meta).toMatchObject({ withheld: ['sopr'], withheld_tier: 'pro' })
  expect((await ask('metrics/latest?fields=price', 'demo')).meta).not.toHaveProperty('withheld')
})

test('thirty days of prices are small', async () => {
  const bytes = async (query: string) => (await (await fetch(`${server.url}/v1/prices?limit=30${query}`)).text()).length
  const [usual, all] = [await bytes(''), await bytes('&fields=all')]
  expect(usual).toBeLessThan(15_000)
  expect(usual * 4).toBeLessThan(all)
})
