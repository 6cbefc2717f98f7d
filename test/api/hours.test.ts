import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { expectHoursAddUp } from '#test/support/hour-sums.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { firstDay, lastDay } from './support/served-chain.ts'

serveChain()

type Row = Readonly<Record<string, unknown>>

const request = (query: string, tier: 'demo' | 'pro' = 'pro') =>
  fetch(`${server.url}/v1/series?interval=1h&${query}`, { headers: keys.get(tier) ?? {} })

async function ask(query: string, tier?: 'demo' | 'pro') {
  const response = await request(query, tier)
  const { data, meta, message, error } = await response.json()
  return { status: response.status, data: (data ?? []) as Row[], meta, message, error }
}

test('hours add up to days, and blocks to hours', async () => {
  const found = await expectHoursAddUp(chain.dataDir)
  expect(found).toMatchObject({ days: lastDay - firstDay + 1 })
  expect(found.metrics).toBeGreaterThan(12)
  expect(found.hours).toBeGreaterThan(found.days)
})

test('rows are newest first, with the day and the beginning of the hour, as far as the last published day', async () => {
  const { status, data, meta } = await ask('metrics=blocks_mined,block_height&limit=30')
  expect(status).toBe(200)
  expect(data).toHaveLength(30)
  expect(data[0]).toMatchObject({ date: isoDate(lastDay), time: `${isoDate(lastDay)}T23:00:00.000Z` })
  expect(data[24]).toMatchObject({ date: isoDate(lastDay - 1), time: `${isoDate(lastDay - 1)}T23:00:00.000Z` })
  expect(meta.next_cursor).toBe(`${isoDate(lastDay - 1)}.6`)
  const { data: next } = await ask(`metrics=blocks_mined,block_height&limit=30&cursor=${meta.next_cursor}`)
  expect(next[0]).toMatchObject({ time: `${isoDate(lastDay - 1)}T17:00:00.000Z` })
  const both = await ask('metrics=blocks_mined,block_height&limit=60')
  expect([...data, ...next]).toEqual(both.data)
  const asc = await ask('metrics=blocks_mined,block_height&limit=30&order=asc')
  expect(asc.data).toEqual(data.toReversed())
})

test('hours without a block have flows of 0, carried levels and no ratios', async () => {
  const range = `start_date=${isoDate(firstDay)}&end_date=${isoDate(firstDay + 20)}&order=asc`
  const { data } = await ask(`metrics=blocks_mined,difficulty,block_size_mean,block_height&${range}`)
  expect(data).toHaveLength(21 * 24)
  const first = data.findIndex(({ blocks_mined }) => Number(blocks_mined) > 0)
  const empty = data.findIndex(({ blocks_mined }, row) => row > first && blocks_mined === 0)
  const { difficulty, block_height } = data[empty - 1]!
  expect(difficulty).toBeGreaterThan(0)
  expect(data[empty]).toMatchObject({ block_size_mean: null, difficulty, block_height })
  expect(data[first]).toMatchObject({ block_size_mean: expect.any(Number) })
  // The hours before the first block of a range continue the day before it.
  const later = await ask(`metrics=difficulty,blocks_mined&${range.replace(isoDate(firstDay), isoDate(firstDay + 5))}`)
  expect(later.data[0]).toMatchObject({ blocks_mined: 0, difficulty })
})

test('formulas are evaluated in each hour, and pages ascend over days', async () => {
  const range = `start_date=${isoDate(firstDay + 30)}&order=asc&limit=5`
  const formula = encodeURIComponent('size / blocks_mined')
  const { data, meta } = await ask(`metrics=size,blocks_mined&formula=${formula}&${range}`)
  for (const row of data) {
    expect(row.formula).toBe(row.blocks_mined === 0 ? null : Number(row.size) / Number(row.blocks_mined))
  }
  expect(data[0]).toMatchObject({ time: `${isoDate(firstDay + 30)}T00:00:00.000Z` })
  expect(meta.next_cursor).toBeUndefined()
})

test('CSV and Parquet have the same rows', async () => {
  const query = 'metrics=tx_count,supply_sats&limit=50'
  const { data } = await ask(query)
  const csv = await (await request(`${query}&format=csv`)).text()
  const written = data.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, String(cell)])))
  expect(parseCsv(csv, { columns: true })).toEqual(written)
  const file = path.join(chain.dataDir, 'hours.parquet')
  writeFileSync(file, new Uint8Array(await (await request(`${query}&format=parquet`)).arrayBuffer()))
  expect(await rowsOf(`SELECT typeof(time), time, tx_count FROM '${file}' LIMIT 2`)).toEqual(
    data
      .slice(0, 2)
      .map(({ time, tx_count }) => ['TIMESTAMP', String(time).replace('T', ' ').replace('.000Z', ''), `${tx_count}.0`]),
  )
})

test('a metric without hours is refused with the intervals that it has', async () => {
  const refused = await ask('metrics=tx_count,mvrv_1y_2y')
  expect(refused).toMatchObject({
    status: 400,
    error: { code: 'invalid_parameter', details: { parameter: 'interval', allowed: ['1d', '1w', '1m', '1y'] } },
  })
  expect(refused.message).toBe(
    "parameter 'interval': 'mvrv_1y_2y' has no values by 1h; its intervals are 1d, 1w, 1m, 1y",
  )
  expect(await ask('formula=sma(fees,3)')).toMatchObject({
    status: 400,
    message: expect.stringContaining('count days'),
  })
  const prices = await fetch(`${server.url}/v1/prices?interval=1h`)
  expect(prices.status).toBe(400)
})

test('a caller sees the hours of the days of its tier', async () => {
  const { data, meta } = await ask('metrics=tx_count&limit=10000', 'demo')
  expect(data).toHaveLength(60 * 24)
  expect(meta.history_limited_to).toBe(isoDate(lastDay - 59))
  expect(data.at(-1)).toMatchObject({ time: `${isoDate(lastDay - 59)}T00:00:00.000Z` })
})

test('the definition of a metric names its intervals', async () => {
  const intervals = async (id: string): Promise<unknown> => {
    const response = await fetch(`${server.url}/v1/metrics/${id}?fields=intervals`)
    return (await response.json()).data[0].intervals
  }
  expect(await intervals('fees')).toEqual(['block', '1h', '1d', '1w', '1m', '1y'])
  expect(await intervals('tx_per_second')).toEqual(['1d', '1w', '1m', '1y'])
  expect(await intervals('cost_basis_distribution')).toEqual([])
  expect(await rowsOf(`SELECT intervals FROM ${publishedTable(chain.dataDir, 'catalogue')} WHERE id = 'nvt'`)).toEqual([
    ['[1d, 1w, 1m, 1y]'],
  ])
})

async function draw(query: string) {
  const response = await fetch(`${server.url}/v1/chart/snapshot?${query}`, { headers: keys.get('pro')! })
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, body: type.includes('json') ? await response.json() : await response.text() }
}

test('charts of hours have the values of the series, and the hours on their axis', async () => {
  const range = `start_date=${isoDate(lastDay - 1)}&end_date=${isoDate(lastDay)}`
  const { data } = await ask(`metrics=tx_count,fees&${range}&order=asc`)
  const rows = await draw(`metrics=tx_count,fees&interval=1h&${range}&format=rows`)
  expect(rows.body.data).toEqual(data.map(({ time, tx_count, fees }) => ({ time, tx_count, fees })))
  const metadata = await draw(`metric=tx_count&interval=hour&${range}&format=json`)
  expect(metadata.body).toMatchObject({
    x: { first: isoDate(lastDay - 1), last: isoDate(lastDay) },
    series: [{ last: { date: isoDate(lastDay), time: `${isoDate(lastDay)}T23:00:00.000Z` }, count: 48 }],
  })
  const svg = await draw(`metric=tx_count&interval=hour&${range}&format=svg`)
  for (const label of ['06:00', '12:00', '18:00']) expect(svg.body).toContain(`>${label}<`)
  expect(svg.body).toContain('Hourly, ')
})

test('charts of hours show thirty days unless they are asked for others, up to ten thousand hours', async () => {
  expect((await draw('metric=tx_count&interval=hour&format=json')).body.series[0].count).toBe(30 * 24)
  const all = await draw('metric=tx_count&interval=hour&range=all&format=json')
  expect(all).toMatchObject({ status: 400, body: { error: { details: { parameter: 'start_date' } } } })
})

test('charts without hours are refused', async () => {
  const parameter = async (query: string): Promise<unknown> => {
    const { status, body } = await draw(`${query}&interval=1h&format=json`)
    return [status, body.error?.details.parameter]
  }
  expect(await parameter('metric=mvrv_1y_2y')).toEqual([400, 'interval'])
  expect(await parameter('template=cycle_perf_halving')).toEqual([400, 'interval'])
  const windows = await fetch(`${server.url}/v1/chart/snapshot`, {
    method: 'POST',
    headers: { ...keys.get('pro')!, 'content-type': 'application/json' },
    body: JSON.stringify({ metric: 'fees', interval: '1h', formulas: [{ expression: 'sma(m1, 3)' }], format: 'json' }),
  })
  expect(await windows.json()).toMatchObject({ error: { details: { parameter: 'formulas' } } })
})
