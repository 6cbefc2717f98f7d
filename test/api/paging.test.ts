import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { firstDay, lastDay } from './support/served-chain.ts'

serveChain()

type Row = Readonly<Record<string, unknown>>

async function ask(target: string) {
  const response = await fetch(`${server.url}/v1/${target}`, { headers: keys.get('enterprise')! })
  const { data, meta, message } = await response.json()
  return {
    status: response.status,
    data: (data ?? []) as Row[],
    next: meta?.next_cursor as string | undefined,
    message,
  }
}

/** All rows, page by page. */
async function all(target: string) {
  const pages: Row[][] = []
  let cursor: string | undefined
  do {
    const { data, next } = await ask(cursor === undefined ? target : `${target}&cursor=${cursor}`)
    pages.push(data)
    cursor = next
  } while (cursor !== undefined)
  return { pages: pages.map(({ length }) => length), rows: pages.flat() }
}

const range = `start_date=${isoDate(lastDay - 30)}&end_date=${isoDate(lastDay)}`

test('order turns rows in time, and leaves those that there are', async () => {
  for (const target of [
    'prices?limit=7',
    `prices?${range}`,
    'series?metrics=price&interval=1w&limit=5',
    'etf/ticker?ticker=IBIT&limit=5',
    'utxo/history?limit=20',
    'dat/company/3/holdings?limit=9',
  ]) {
    const [usual, asc, desc] = [await ask(target), await ask(`${target}&order=asc`), await ask(`${target}&order=desc`)]
    expect(usual.data.length, target).toBeGreaterThan(1)
    expect(desc.data, target).toEqual(usual.data)
    expect(asc.data, target).toEqual(usual.data.toReversed())
  }
})

test('of each day the prices of cost bases ascend, in either order', async () => {
  const [asc, desc] = [await ask(`cost-basis?${range}&order=asc`), await ask(`cost-basis?${range}`)]
  const placesOf = (rows: Row[]) => rows.map(({ date, bin }) => [String(date), Number(bin)] as const)
  const byDay = (sign: number) => (a: readonly [string, number], b: readonly [string, number]) =>
    sign * a[0].localeCompare(b[0]) || a[1] - b[1]
  expect(placesOf(asc.data)).toEqual(placesOf(asc.data).toSorted(byDay(1)))
  expect(placesOf(desc.data)).toEqual(placesOf(desc.data).toSorted(byDay(-1)))
})

test.each(['', '&order=asc'])('cursors lead through more rows than one answer holds, once each%s', async (order) => {
  const [[count]] = (await rowsOf(`SELECT count(*) FROM ${publishedTable(chain.dataDir, 'cost_basis')}`)) as [[string]]
  const { rows, pages } = await all(`cost-basis?start_date=${isoDate(firstDay)}&fields=supply_sats${order}`)
  expect(Number(count)).toBeGreaterThan(10_000)
  expect(pages.slice(0, -1).every((length) => length === 10_000)).toBe(true)
  expect(rows.length).toBe(Number(count))
  expect(new Set(rows.map(({ date, bin }) => `${date} ${bin}`)).size).toBe(rows.length)
  const dates = rows.map(({ date }) => String(date))
  expect(dates).toEqual(order === '' ? dates.toSorted().toReversed() : dates.toSorted())
})

test.each(['', '&order=asc'])('without start_date pages of limit rows lead back to the first day%s', async (order) => {
  const end = isoDate(firstDay + 100)
  const { rows, pages } = await all(`blockchain?end_date=${end}&limit=30${order}`)
  expect(pages.slice(0, 3)).toEqual([30, 30, 30])
  const whole = await ask(`blockchain?end_date=${end}&limit=10000`)
  expect(rows.map(({ date }) => date).toSorted()).toEqual(whole.data.map(({ date }) => date).toSorted())
})

test('one day of cost bases can be paged by bins', async () => {
  const [whole, paged] = [await all('cost-basis?limit=10000'), await all('cost-basis?limit=3')]
  expect(paged.pages.length).toBeGreaterThan(1)
  expect(paged.rows).toEqual(whole.rows)
  expect(new Set(whole.rows.map(({ date }) => date)).size).toBe(1)
})

test('a range of cost bases is answered whole, each day as it is by itself', async () => {
  const [first, last] = [isoDate(lastDay - 3), isoDate(lastDay - 1)]
  const { data } = await ask(`cost-basis?start_date=${first}&end_date=${last}`)
  const days: Row[][] = []
  for (const ago of [1, 2, 3]) days.push((await ask(`cost-basis?limit=10000&date=${isoDate(lastDay - ago)}`)).data)
  expect(data).toEqual(days.flat())
  expect((await ask(`cost-basis?date=${first}&end_date=${last}`)).status).toBe(400)
})

test('a row more is asked for only to tell that there are more', async () => {
  const { data, next } = await ask('prices?limit=10000')
  expect(next).toBeUndefined()
  expect((await ask(`prices?limit=${data.length}`)).next).toBeUndefined()
  expect((await ask(`prices?limit=${data.length - 1}`)).next).toBe(`${data.at(-1)?.date}.0`)
})

test.each(['x', '2024-02-30.0', '2024-01-01', '2024-01-01.-1'])('no cursor: %s', async (cursor) => {
  expect(await ask(`prices?cursor=${cursor}`)).toMatchObject({
    status: 400,
    message: expect.stringContaining('meta.next_cursor'),
  })
})

test('as many days of creation as clients ask for', async () => {
  expect((await ask('utxo/history?limit=50000')).status).toBe(200)
  expect((await ask('utxo/history?limit=50001')).message).toContain('50000')
  expect((await ask('prices?limit=10001')).status).toBe(400)
})

test.each([
  ['prices?symbol=btc&limit=1', 'prices?limit=1'],
  ['etf/ticker?ticker=ibit&limit=1', 'etf/ticker?ticker=IBIT&limit=1'],
  ['funding/exchange?exchange=Binance&limit=1', 'funding/exchange?exchange=binance&limit=1'],
  ['metrics?active_only=True&fields=id', 'metrics?active_only=true&fields=id'],
  ['metrics?active_only=1&fields=id', 'metrics?active_only=true&fields=id'],
  ['metrics?active_only=0&fields=id', 'metrics?fields=id'],
])('%s is the same as %s', async (one, other) => {
  const [answer, expected] = [await ask(one), await ask(other)]
  expect(answer.data.length).toBeGreaterThan(0)
  expect(answer.data).toEqual(expected.data)
})

test('a key may come as X-API-Key', async () => {
  const key = keys.get('pro')!.authorization!.replace('Bearer ', '')
  const other = keys.get('enterprise')!.authorization!
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/v1/holder/profit?limit=1`, { headers })).status
  expect(await statusWith({ 'x-api-key': key })).toBe(200)
  expect(await statusWith({ 'x-api-key': key, authorization: `Bearer ${key}` })).toBe(200)
  expect(await statusWith({ 'x-api-key': key, authorization: other })).toBe(400)
  expect(await statusWith({ 'x-api-key': 'cs_nobody' })).toBe(401)
  expect(await statusWith({ 'x-api-key': `Bearer ${key}` })).toBe(401)
  expect(await statusWith({})).toBe(401)
})

const fetchAs = (tier: 'demo' | 'enterprise', target: string) =>
  fetch(`${server.url}/v1/${target}`, { headers: keys.get(tier)! })
const whole = `cost-basis?start_date=${isoDate(firstDay)}`
const countBins = async () =>
  Number((await rowsOf(`SELECT count(*) FROM ${publishedTable(chain.dataDir, 'cost_basis')}`))[0]?.[0])

test('files from a start date on without a limit have all rows', async () => {
  const count = await countBins()
  expect(count).toBeGreaterThan(10_000)
  const csv = (await (await fetchAs('enterprise', `${whole}&format=csv`)).text()).trimEnd().split('\r\n')
  expect(csv).toHaveLength(1 + count)
  const parquet = await fetchAs('enterprise', `${whole}&format=parquet`)
  const file = path.join(chain.dataDir, 'whole.parquet')
  writeFileSync(file, Buffer.from(await parquet.arrayBuffer()))
  expect(await rowsOf(`SELECT count(*) FROM '${file}'`)).toEqual([[String(count)]])
  const { data, next } = await ask(whole)
  expect([data.length, next !== undefined]).toEqual([10_000, true])
})

test('a cut CSV ends in a line that has more fields than the header, and says why', async () => {
  const read = async (tier: 'demo' | 'enterprise', target: string) => {
    const lines = (await (await fetchAs(tier, `${target}&format=csv`)).text()).trimEnd().split('\r\n')
    const [header = '', last = ''] = [lines[0], lines.at(-1)]
    return { rows: lines.length - 1, last, extra: last.split(',').length - header.split(',').length }
  }
  const bins = await read('enterprise', `${whole}&limit=10000`)
  expect([bins.rows, bins.extra]).toEqual([10_001, 1])
  expect(bins.last).toMatch(/^"This file is cut: only the first 10000 rows: cursor=\d{4}-\d\d-\d\d\.\d+ continues",+$/)
  const demo = await read('demo', `prices?start_date=${isoDate(firstDay)}`)
  expect([demo.rows, demo.extra]).toEqual([61, 1])
  expect(demo.last).toContain(`no days before ${isoDate(lastDay - 59)} below tier pro`)
  expect((await read('demo', 'series?metrics=price,sopr&limit=2')).last).toContain('no sopr below tier pro')
  // These have what was asked for.
  for (const target of ['prices?limit=7', 'prices?order=asc', `prices?${range}`])
    expect((await read('enterprise', target)).last, target).toMatch(/^\d{4}-\d\d-\d\d,/)
})

test('strict refuses what would be answered in part', async () => {
  const refusal = async (tier: 'demo' | 'enterprise', target: string) => {
    const { status, data, next, message } = await fetchAs(tier, `${target}&strict=true`).then(async (response) => {
      const { data: rows, meta, message: text, error } = await response.json().catch(() => ({}))
      return { status: response.status, data: rows, next: meta?.next_cursor, message: text ?? error?.code }
    })
    return [status, data?.length ?? 0, next !== undefined, message ?? '']
  }
  const first = isoDate(lastDay - 59)
  expect(await refusal('demo', `prices?start_date=${isoDate(firstDay)}`)).toEqual([
    403,
    0,
    false,
    `with strict=true this is refused, since only a part could be answered: no days before ${first} below tier pro`,
  ])
  expect((await refusal('demo', 'series?metrics=price,sopr&limit=2')).slice(0, 2)).toEqual([403, 0])
  expect((await refusal('enterprise', whole)).slice(0, 2)).toEqual([400, 0])
  expect((await refusal('enterprise', `${whole}&format=csv&limit=10000`)).slice(0, 2)).toEqual([400, 0])
  expect((await refusal('enterprise', 'prices?order=asc')).slice(0, 2)).toEqual([400, 0])
  // A limit asks for a page, whose next one is named.
  expect(await refusal('enterprise', `${whole}&limit=10000`)).toEqual([200, 10_000, true, ''])
  expect((await refusal('enterprise', 'prices?limit=7')).slice(0, 2)).toEqual([200, 7])
  expect((await refusal('enterprise', `prices?${range}`)).slice(0, 2)).toEqual([200, 31])
  expect((await fetchAs('enterprise', `${whole}&format=csv&strict=true`)).status).toBe(200)
})

test('CSV begins with a byte order mark on request, which Excel needs', async () => {
  const bytes = async (target: string) =>
    new Uint8Array(await (await fetchAs('demo', target)).arrayBuffer()).subarray(0, 4)
  expect([...(await bytes('prices?limit=1&format=csv&bom=true'))]).toEqual([0xef, 0xbb, 0xbf, 'd'.charCodeAt(0)])
  expect([...(await bytes('prices?limit=1&format=csv'))]).toEqual([...'date'].map((letter) => letter.charCodeAt(0)))
  expect([...(await bytes('prices?limit=1&bom=true'))]).toEqual([...'{"su'].map((letter) => letter.charCodeAt(0)))
})

test('cycles have by default the fields of the interface, and others on request', async () => {
  const fieldsOf = async (target: string) => Object.keys((await ask(target)).data[0] ?? {})
  const running = ['date', 'day_offset', 'cycle_perf_halving', 'cycle_perf_ath', 'cycle_perf_low']
  expect((await fieldsOf('cycle-performance?limit=1')).toSorted()).toEqual(running.toSorted())
  expect(await fieldsOf('cycle-performance?limit=1&fields=all')).toEqual(
    expect.arrayContaining([...running, 'halving_epoch']),
  )
  const bounds = ['cycle', 'family', 'start_date', 'end_date', 'duration_days', 'start_height', 'start_price']
  expect(await fieldsOf('cycle-boundaries?limit=1')).toEqual(bounds)
  expect(await fieldsOf('cycle-boundaries?limit=1&fields=all')).toEqual([...bounds, 'provisional'])
})

test('a weak tag in If-Range never combines ranges', async () => {
  const url = `${server.url}/v1/tables/prices.parquet`
  const headers = { ...keys.get('enterprise')!, Range: 'bytes=0-3' }
  const tag = (await fetch(url, { method: 'HEAD', headers: keys.get('enterprise')! })).headers.get('ETag')!
  expect((await fetch(url, { headers: { ...headers, 'If-Range': tag } })).status).toBe(206)
  expect((await fetch(url, { headers: { ...headers, 'If-Range': `W/${tag}` } })).status).toBe(200)
})
