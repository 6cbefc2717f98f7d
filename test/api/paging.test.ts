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
