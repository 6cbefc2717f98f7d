import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DuckDBListValue, DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api'
import { parse as parseCsv } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import type { Tier } from '#contract/tiers.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { objectsOf } from '#test/support/published.ts'
import { documented, keys as headers, server } from './chain-service.ts'

/** Requests with what each tier gets: by its number, the status. 200 for all unless named. */
type Case = readonly [path: string, statuses?: Partial<Record<Tier, number>>]
export const requests: readonly Case[] = [
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
  ['/v1/addresses/labels?label=Bank%2C%20NA%2FA%2BB&limit=3'],
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
/** An answer with a thousand columns, which takes as long as twenty others. */
export const isWide = ([request]: Case): boolean => request === '/v1/metrics/latest?cohorts=true'
/** No price falls far enough here to make a low, and the first epoch began without a price. */
const withoutRows = [
  '/v1/revisions?metric=price',
  '/v1/cycle-performance?type=halving&limit=10000',
  '/v1/cycle-performance?type=low',
]

export const templateOf = (request: string): string => {
  const [target] = request.split('?')
  const known = Object.values(endpoints).map(({ path: template }) => template)
  const exact = known.find((template) => template === target)
  return exact ?? known.find((template) => new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(target!))!
}

/** Compares the answers to a tier in JSON, CSV and Parquet with each other and with `/docs`. */
export function testAnswers(tier: 'demo' | 'pro' | 'enterprise', asked: readonly Case[] = requests): void {
  describe(`tier ${tier}`, () => {
    test.each(asked.map(([request, statuses]) => ({ request, statuses })))(
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
        const [rows = '', cut] = (await csv.text()).split('"This file is cut: ')
        expect(cut !== undefined).toBe('history_limited_to' in body.meta || 'withheld' in body.meta)
        const lines = parseCsv<Record<string, string>>(rows, { columns: true, skip_empty_lines: true })
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
}

/** Proxies answer 502 for much more. */
const bytesOfHeaders = ({ headers }: Response): number =>
  [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

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
