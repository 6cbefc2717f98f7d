import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DuckDBListValue, DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api'
import { parse as parseCsv } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { rows } from '#contract/rows.ts'
import type { Tier } from '#contract/tiers.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { objectsOf, publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, documented, keys as headers, serveChain, server } from './support/chain-service.ts'

serveChain()

/** Requests with what each tier gets: by its number, the status. 200 for all unless named. */
type Case = readonly [path: string, statuses?: Partial<Record<Tier, number>>]
const requests: readonly Case[] = [
  ['/v1/today'],
  ['/v1/prices'],
  ['/v1/prices?symbol=BTC&limit=3'],
  ['/v1/prices?fields=all&limit=2'],
  ['/v1/etf/ticker?ticker=IBIT&fields=all&limit=2'],
  ['/v1/prices?start_date=2010-01-01&end_date=2010-01-31'],
  ['/v1/holder/supply?limit=10000'],
  ['/v1/holder/valuation?limit=10000'],
  ['/v1/holder/profit?limit=2', { demo: 401 }],
  ['/v1/holder/valuation?fields=all&limit=1'],
  ...['24h', '1d_1w', '1w_1m', '1m_3m', '3m_6m', '6m_12m', '1y_2y', '2y_3y', '3y_5y', '5y_7y', '7y_10y', '10y_plus']
    .concat('lth', 'sth')
    .map((cohort): Case => [`/v1/cohort/metrics/${cohort}?limit=2`]),
  ['/v1/cohort/metrics/y2009', { demo: 404, pro: 404, enterprise: 404 }],
  ['/v1/utxo/history?limit=10000'],
  ['/v1/utxo/history?date_processed=2010-02-01&cohort_start=2009-06-01&cohort_end=2009-06-30'],
  ['/v1/coindays'],
  ['/v1/blockchain'],
  ['/v1/addresses?fields=all'],
  ['/v1/addresses/estimates?measure=over_0_01&limit=400'],
  ['/v1/addresses/labels?limit=10000&fields=all'],
  ['/v1/addresses/labels?label=Fund&limit=3'],
  ['/v1/addresses/labels?label=Fond', { demo: 404, pro: 404, enterprise: 404 }],
  ['/v1/blockchain/block_height'],
  ['/v1/blockchain/blocks_mined?limit=1'],
  ['/v1/blocks?limit=10000&fields=all'],
  ['/v1/pools?limit=10'],
  ['/v1/cycle-performance'],
  ['/v1/cycle-performance?type=halving&limit=10000'],
  ['/v1/cycle-performance?type=low'],
  ['/v1/cycle-boundaries'],
  ['/v1/cycle-boundaries?family=ath'],
  ['/v1/etf/aggregate'],
  ['/v1/etf/registry'],
  ['/v1/etf/ticker?ticker=IBIT'],
  ['/v1/etf/ticker?ticker=NOPE', { demo: 404, pro: 404, enterprise: 404 }],
  ['/v1/futures/oi'],
  ['/v1/funding/aggregate'],
  ['/v1/funding/exchange?exchange=binance', { demo: 401 }],
  ['/v1/funding/exchange?exchange=nyse', { demo: 401, pro: 404, enterprise: 404 }],
  ['/v1/funding/exchanges'],
  ['/v1/oi/exchange?exchange=okx', { demo: 401 }],
  ['/v1/oi/exchanges?limit=2'],
  ['/v1/dat/aggregate'],
  ['/v1/dat/registry?limit=5'],
  ['/v1/dat/entity?id=2'],
  ['/v1/dat/entity?id=999999', { demo: 404, pro: 404, enterprise: 404 }],
  ['/v1/dat/company/3/holdings'],
  ['/v1/dat/stats'],
  ['/v1/metrics'],
  ['/v1/metrics?active_only=true'],
  ['/v1/metrics/categories'],
  ['/v1/metrics/mvrv'],
  ['/v1/metrics/latest'],
  ['/v1/metrics/latest?cohorts=true'],
  ['/v1/metrics/index'],
  ['/v1/metrics/percentiles'],
  ['/v1/metrics/percentiles?metrics=mvrv,sopr'],
  ['/v1/metrics/percentiles?metrics=sopr', { demo: 401 }],
  ['/v1/metrics/percentiles?fields=all&period=day'],
  ['/v1/series?metrics=price&digits=3'],
  ['/v1/series?metrics=price,sopr&formula=price%2Fsma(price,7)&limit=20'],
  ['/v1/series?metrics=sopr', { demo: 401 }],
  ['/v1/series?formula=realized_supply_density_5', { demo: 401, pro: 403 }],
  ['/v1/series?metrics=circulating_supply&interval=1m&limit=5'],
  ['/v1/series?metrics=tx_count,price&interval=1h&limit=30'],
  ['/v1/revisions?metric=price'],
  ['/v1/tables'],
  ['/v1/proof?limit=10000'],
  ['/v1/cost-basis?limit=10000', { demo: 401, pro: 403 }],
]
/** No price falls far enough here to make a low, and the first epoch began without a price. */
const withoutRows = [
  '/v1/revisions?metric=price',
  '/v1/cycle-performance?type=halving&limit=10000',
  '/v1/cycle-performance?type=low',
]
const tiers = ['demo', 'pro', 'enterprise'] as const

const templateOf = (request: string): string => {
  const [target] = request.split('?')
  const known = Object.values(endpoints).map(({ path: template }) => template)
  const exact = known.find((template) => template === target)
  return exact ?? known.find((template) => new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(target!))!
}

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

describe.each(tiers)('tier %s', (tier) => {
  test.each(requests.map(([request, statuses]) => ({ request, statuses })))(
    '$request',
    async ({ request, statuses }) => {
      const expected = statuses?.[tier] ?? 200
      const ask = (format: string) =>
        fetch(`${server.url}${request}${request.includes('?') ? '&' : '?'}format=${format}`, {
          headers: headers.get(tier)!,
        })
      const json = await ask('json')
      const text = await json.text()
      expect(json.status, text).toBe(expected)
      const body = JSON.parse(text)
      expect(documented.problem('get', templateOf(request), json.status, body)).toBeUndefined()
      const [csv, parquet] = [await ask('csv'), await ask('parquet')]
      expect([csv.status, parquet.status]).toEqual([expected, expected])
      for (const answer of [json, csv, parquet]) expect(bytesOfHeaders(answer)).toBeLessThan(4_000)
      if (expected !== 200) {
        expect(await csv.json()).toMatchObject({ success: false, error: { code: body.error.code } })
        expect((await parquet.json()).message).toBe(body.message)
        return
      }
      expect(body.count).toBe(body.data.length)
      expect(body.count > 0).toBe(!withoutRows.includes(request))
      const lines = parseCsv<Record<string, string>>(await csv.text(), { columns: true, skip_empty_lines: true })
      const texts = body.data.map((row: object) => textsOf(row, lines[0] ?? {}))
      expectSame(lines, texts)
      const names = new Set(Object.keys(lines[0] ?? {}))
      const unnamed = body.data.flatMap((row: object) => Object.keys(row).filter((name) => !names.has(name)))
      expect(unnamed).toEqual([])
      expectSame(await parquetTexts(await parquet.arrayBuffer(), body.data.length > 0), texts)
      if (body.data.length > 0) await requireNotes(request, Object.keys(lines[0] ?? {}))
      const { withheld_more = 0, withheld, ...meta } = JSON.parse(csv.headers.get('x-coinstrata-meta')!)
      expect({ ...body.meta, withheld: undefined }).toEqual({ ...meta, withheld: undefined })
      expect((withheld?.length ?? 0) + withheld_more).toBe(body.meta.withheld?.length ?? 0)
    },
  )
})

/** Proxies answer 502 for much more. */
const bytesOfHeaders = ({ headers }: Response): number =>
  [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

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

test('values of every metric are those of the Parquet tables', async () => {
  const expected = await publishedValues()
  expect(expected.size).toBeGreaterThan(1000)
  let compared = 0
  const different: string[] = []
  for (let start = 0; start < expected.size; start += 50) {
    const some = [...expected].slice(start, start + 50)
    const ids = some.map(([id]) => id).join(',')
    const url = `${server.url}/v1/series?metrics=${ids}&start_date=2009-01-03`
    const { data } = await (await fetch(url, { headers: headers.get('enterprise')! })).json()
    const served = new Map<string, Record<string, number | null>>(data.map((row: { date: string }) => [row.date, row]))
    for (const [id, values] of some) {
      for (const [date, value] of values) {
        const answered = served.get(date)?.[id] ?? null
        if (!Object.is(answered, value)) different.push(`${id} on ${date} is ${answered}, published ${value}`)
        if (value !== null) compared++
      }
    }
  }
  expect(different).toEqual([])
  expect(compared).toBeGreaterThan(20_000)
})

/**
 * By the id of every metric with a daily column, its values on 25 days as the Parquet tables have
 * them.
 */
async function publishedValues(): Promise<Map<string, [date: string, value: number | null][]>> {
  const catalogue = await rowsOf(
    `SELECT id, table_name, column_name, cohort FROM ${publishedTable(chain.dataDir, 'catalogue')}
     WHERE table_name <> 'cost_basis'`,
  )
  const values = new Map<string, [string, number | null][]>()
  // One query for each table: one for each cohort would take most of the time.
  for (const [table, metrics] of Map.groupBy(catalogue, ([, name]) => name!)) {
    const columns = [...new Set(metrics.map(([, , column]) => column!))]
    const from = publishedTable(chain.dataDir, table)
    const ofCohort = table === 'cohorts' ? 'cohort' : 'NULL'
    const days = await rowsOf(
      `SELECT ${ofCohort} AS cohort, date, ${columns.map((column) => `"${column}"::DOUBLE`).join(', ')} FROM ${from}
       WHERE date IN (SELECT date FROM (SELECT DISTINCT date FROM ${from}) ORDER BY hash(date) LIMIT 25)`,
    )
    const byCohort = Map.groupBy(days, ([cohort]) => cohort)
    for (const [id, , column, cohort] of metrics) {
      const place = 2 + columns.indexOf(column!)
      const known = byCohort.get(cohort ?? null) ?? []
      values.set(
        id!,
        known.map((day) => [day[1]!, day[place] == null ? null : Number(day[place])]),
      )
    }
  }
  return values
}

/** Looks cell by cell only where the rows as one text differ: that takes a tenth of the time. */
function expectSame(rows: readonly object[], expected: readonly object[]): void {
  if (JSON.stringify(rows) !== JSON.stringify(expected)) expect(rows).toEqual(expected)
}

/** A row as CSV shows it, with the columns of `like`. */
function textsOf(row: object, like: object): Record<string, string> {
  const values = new Map<string, unknown>(Object.entries(row))
  return Object.fromEntries(Object.keys(like).map((name) => [name, textOf(values.get(name) ?? null)]))
}

function textOf(value: unknown): string {
  if (value === null) return ''
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** The answer in Parquet tells what each column is: of metrics what the catalogue does. */
async function requireNotes(request: string, names: readonly string[]): Promise<void> {
  const { notes, fields } = await notesIn(parquetFile)
  expect(fields.map(({ name, metadata }) => [name, metadata])).toEqual(names.map((name) => [name, notes.columns[name]]))
  expect(notes.table).toBe(templateOf(request).replace('/v1/', ''))
  const expected = metricTold.get(request)
  if (expected) expect(notes.columns).toMatchObject(expected)
}

const metricTold = new Map([
  [
    '/v1/series?metrics=price,sopr&formula=price%2Fsma(price,7)&limit=20',
    { price: { title: 'Price', unit: 'USD' }, formula: { formula: 'price/sma(price,7)' } },
  ],
])

const parquetFile = path.join(os.tmpdir(), `coinstrata-test-${process.pid}.parquet`)

async function parquetTexts(bytes: ArrayBuffer, hasRows: boolean): Promise<Record<string, string>[]> {
  const file = parquetFile
  writeFileSync(file, Buffer.from(bytes))
  expect(readFileSync(file).subarray(0, 4).toString()).toBe('PAR1')
  if (!hasRows) return []
  const rows = await objectsOf(`FROM '${file}'`)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellText(value)])))
}

function cellText(value: DuckDBValue): string {
  if (value === null) return ''
  if (value instanceof DuckDBTimestampValue) return new Date(Number(value.micros) / 1000).toISOString()
  return value instanceof DuckDBListValue ? value.items.join(' ') : String(value)
}
