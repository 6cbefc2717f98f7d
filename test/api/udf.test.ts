import { expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { startOfPeriod } from '#contract/intervals.ts'
import type { Tier } from '#contract/tiers.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { firstDay, lastDay } from './support/served-chain.ts'
import { bearer, keyOf, serve, withoutLimits } from './support/test-server.ts'

serveChain()

const numbers = z.array(z.number())
/** Arrays hold numbers only: clients draw null as 0. */
const bars = z.strictObject({
  s: z.literal('ok'),
  t: numbers,
  o: numbers,
  h: numbers,
  l: numbers,
  c: numbers,
  v: numbers.optional(),
})
const noData = z.strictObject({ s: z.literal('no_data'), nextTime: z.int().optional() })
const failure = z.object({
  s: z.literal('error'),
  errmsg: z.string().min(10),
  success: z.literal(false),
  error: z.object({ code: z.string() }),
})
const rows = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])))

type Query = Readonly<Record<string, string | number>>
const seconds = (day: number): number => 86_400 * day
const always = { from: 0, to: seconds(lastDay + 1) }

async function send(path: string, query: Query, tier: Tier = 'enterprise', url = server.url) {
  const text = Object.entries(query).map(([name, value]) => [name, String(value)])
  return fetch(`${url}/v1/${path}?${new URLSearchParams(text)}`, { headers: keys.get(tier) ?? {} })
}
const ask = async (path: string, query: Query, tier?: Tier): Promise<unknown> =>
  (await send(`udf/${path}`, query, tier)).json()
const history = async (query: Query, tier?: Tier) =>
  bars.parse(await ask('history', { resolution: '1D', ...query }, tier))
const nothing = async (query: Query, tier?: Tier) =>
  noData.parse(await ask('history', { resolution: '1D', ...query }, tier))
async function refusal(path: string, query: Query, tier?: Tier) {
  const response = await send(`udf/${path}`, query, tier)
  const { errmsg, error } = failure.parse(await response.json())
  return { status: response.status, code: error.code, message: errmsg }
}
async function series(query: Query, tier?: Tier) {
  const response = await send('series', { start_date: '2009-01-01', order: 'asc', ...query }, tier)
  const { data } = z.object({ data: rows }).parse(await response.json())
  return data
}
const definitions = async () => {
  const { data } = await (await send('metrics', { variants: 'all', fields: 'id,endpoint,grade,first_date' })).json()
  return z
    .array(z.object({ id: z.string(), endpoint: z.string(), grade: z.number(), first_date: z.string().nullable() }))
    .parse(data)
    .filter(({ endpoint, first_date }) => endpoint !== 'cost-basis' && first_date !== null)
}
/** Expected bars of a metric's rows. */
const known = (found: z.infer<typeof rows>, id: string) => found.flatMap((row) => (row[id] === null ? [] : [row]))
const timeOf = ({ date }: z.infer<typeof rows>[number]): number => seconds(parseDay(String(date)))

test('bars are the values of /v1/series to the last digit, oldest first, without those that are unknown', async () => {
  const all = (await definitions()).map(({ id }) => id)
  // The first has no value on 212 days between others.
  const ids = ['mvrv_price_minus_1sd', 'realized_pl_ratio_24h', 'supply_sats', 'realized_vol_1w', 'fees']
  const chosen = [...ids, ...all.filter((_, i) => i % 40 === 0)]
  let withGaps = 0
  for (let i = 0; i < chosen.length; i += 50) {
    const some = chosen.slice(i, i + 50)
    const found = await series({ metrics: [...new Set(some)].join() })
    for (const id of some) {
      const rows = known(found, id)
      const { t, o, h, l, c, v } = await history({ symbol: id, ...always })
      expect([t, c], id).toEqual([rows.map(timeOf), rows.map((row) => row[id])])
      if (id !== 'price') expect([o, h, l], id).toEqual([c, c, c])
      expect(v, id).toEqual(id === 'price' ? expect.any(Array) : id === 'volume' ? c : undefined)
      if (t.length < (t.at(-1)! - t[0]!) / 86_400 + 1) withGaps++
    }
  }
  expect(chosen.length).toBeGreaterThan(90)
  expect(withGaps).toBeGreaterThan(3)
})

test('a price has its candles and volume, by the hour, day, week and month', async () => {
  const wanted = 'open,high,low,price,volume'
  for (const [codes, interval] of [
    [['D', '1D'], '1d'],
    [['W', '1W'], '1w'],
    [['M', '1M'], '1m'],
  ] as const) {
    const rows = known(await series({ metrics: wanted, interval }), 'price')
    for (const resolution of codes) {
      const { t, o, h, l, c, v } = await history({ symbol: 'price', resolution, ...always })
      expect(t).toEqual(rows.map(({ date }) => seconds(startOfPeriod(parseDay(String(date)), interval))))
      expect([o, h, l, c, v]).toEqual(wanted.split(',').map((name) => rows.map((row) => row[name])))
      expect(h[5]).toBeGreaterThan(o[5]!)
    }
  }
  const days = known(await series({ metrics: 'price' }), 'price')
  const weekly = await history({ symbol: 'price', resolution: '1W', ...always })
  expect(new Set(weekly.t.map((time) => new Date(1000 * time).getUTCDay()))).toEqual(new Set([1]))
  const monthly = await history({ symbol: 'price', resolution: '1M', ...always })
  expect(monthly.t.map((time) => new Date(1000 * time).toISOString().slice(7))).toEqual(
    monthly.t.map(() => '-01T00:00:00.000Z'),
  )
  // A month worked out by hand.
  const march = days.filter(({ date }) => String(date).startsWith('2009-08')).map(({ price }) => Number(price))
  const place = monthly.t.indexOf(Date.UTC(2009, 7) / 1000)
  expect(monthly.c[place]).toBe(march.at(-1))
  expect(monthly.h[place]).toBeCloseTo(1.02 * Math.max(...march), 9)
  expect(monthly.l[place]).toBeCloseTo(0.97 * Math.min(...march), 9)
})

test('hours are those of /v1/series, at most 10,000 of them up to the end', async () => {
  const found = await series({ metrics: 'fees,difficulty', interval: '1h', start_date: isoDate(lastDay - 9) })
  for (const symbol of ['fees', 'difficulty']) {
    const { t, c } = await history({ symbol, resolution: '60', from: seconds(lastDay - 9), to: seconds(lastDay + 1) })
    expect([t, c]).toEqual([found.map(({ time }) => Date.parse(String(time)) / 1000), found.map((row) => row[symbol])])
  }
  const to = seconds(lastDay) + 5 * 3600
  const part = await history({ symbol: 'fees', resolution: '60', countback: 7, from: 0, to })
  expect(part.t).toEqual(Array.from({ length: 7 }, (_, i) => to - 3600 * (7 - i)))
  const most = await history({ symbol: 'fees', resolution: '60', ...always })
  expect([most.t.length, most.t.at(-1)]).toEqual([10_000, seconds(lastDay + 1) - 3600])
  // Without hours, the refusal is that of /v1/series.
  const refused = await refusal('history', { symbol: 'mvrv_z', resolution: '60', ...always })
  const { error } = await (await send('series', { metrics: 'mvrv_z', interval: '1h' })).json()
  expect(refused).toMatchObject({ status: 400, code: error.code, message: error.message })
})

test('countback goes before from, and to is exclusive to the second', async () => {
  const to = seconds(lastDay - 20)
  const days = (from: number, end: number) => Array.from({ length: end - from }, (_, i) => seconds(from + i))
  const of = async (query: Query) => (await history({ symbol: 'fees', ...query })).t
  expect(await of({ countback: 3, from: seconds(lastDay - 200), to })).toEqual(days(lastDay - 23, lastDay - 20))
  expect(await of({ countback: 3, from: to, to })).toEqual(days(lastDay - 23, lastDay - 20))
  expect(await of({ countback: 3, to: to + 1 })).toEqual(days(lastDay - 22, lastDay - 19))
  expect(await of({ from: seconds(lastDay - 22), to })).toEqual(days(lastDay - 22, lastDay - 20))
  expect(await of({ from: seconds(lastDay - 22) + 1, to })).toEqual(days(lastDay - 21, lastDay - 20))
  expect(await of({ from: seconds(lastDay - 22) + 1, to, countback: 0 })).toEqual(days(lastDay - 21, lastDay - 20))
  expect(await of({ from: -1e9, to })).toEqual(days(firstDay, lastDay - 20))
  expect(await of({ to: seconds(firstDay + 2) })).toEqual(days(firstDay, firstDay + 2))
  // A week or month is whole if it begins before the end, and is left out if it does not.
  const [monday] = days(startOfPeriod(lastDay - 20, '1w'), lastDay)
  const whole = await history({ symbol: 'fees', resolution: 'W', countback: 1, to: monday! + 1 })
  const week = await series({ metrics: 'fees', interval: '1w' })
  expect([whole.t, whole.c]).toEqual([
    [monday],
    [week.find((row) => startOfPeriod(timeOf(row) / 86_400, '1w') === monday! / 86_400)!.fees],
  ])
  expect((await history({ symbol: 'fees', resolution: 'W', countback: 1, to: monday! })).t).toEqual([
    monday! - 7 * 86_400,
  ])
  const month = Date.UTC(2009, 8) / 1000
  const { t } = await history({ symbol: 'fees', resolution: 'M', from: Date.UTC(2009, 5) / 1000, to: month })
  const months = (...numbers: number[]) => numbers.map((number) => Date.UTC(2009, number) / 1000)
  expect(t).toEqual(months(5, 6, 7))
  expect((await history({ symbol: 'fees', resolution: 'M', countback: 2, to: month + 1 })).t).toEqual(months(7, 8))
})

test('a range without bars says where older ones are, unless there are none', async () => {
  const found = await series({ metrics: 'mvrv_price_minus_1sd' })
  const values = found.map((row) => row.mvrv_price_minus_1sd)
  const last = values.findIndex(
    (value, i) => value !== null && values.slice(i + 1, i + 151).every((one) => one === null),
  )
  const before = timeOf(found[last]!)
  for (const gap of [
    { from: before + 86_400, to: before + 50 * 86_400 },
    { from: before + 100 * 86_400, to: before + 101 * 86_400 },
  ]) {
    expect(await nothing({ symbol: 'mvrv_price_minus_1sd', ...gap })).toEqual({ s: 'no_data', nextTime: before })
  }
  // Further back than the requested bars.
  const back = await history({ symbol: 'mvrv_price_minus_1sd', countback: 2, to: before + 150 * 86_400 })
  expect(back.t.at(-1)).toBe(before)
  const newest = { s: 'no_data', nextTime: seconds(lastDay) }
  expect(await nothing({ symbol: 'fees', from: seconds(lastDay + 1), to: seconds(lastDay + 90) })).toEqual(newest)
  expect(await nothing({ symbol: 'fees', from: seconds(lastDay + 400), to: 999_999_999_999 })).toEqual(newest)
  expect(await nothing({ symbol: 'fees', from: seconds(lastDay), to: seconds(lastDay - 3) })).toMatchObject({
    nextTime: seconds(lastDay - 4),
  })
  for (const to of [seconds(firstDay), 0, -5, -999_999_999_999]) {
    expect(await nothing({ symbol: 'fees', countback: 300, from: -999_999_999_999, to })).toEqual({ s: 'no_data' })
    expect(await nothing({ symbol: 'fees', resolution: '60', countback: 300, to })).toEqual({ s: 'no_data' })
  }
  const monday = seconds(startOfPeriod(firstDay, '1w'))
  expect(await nothing({ symbol: 'fees', resolution: '1W', countback: 300, to: monday })).toEqual({ s: 'no_data' })
  // Days before the first price.
  expect(await nothing({ symbol: 'price', countback: 300, to: seconds(firstDay + 40) })).toEqual({ s: 'no_data' })
  expect((await history({ symbol: 'price', countback: 300, to: seconds(firstDay + 41) })).t).toHaveLength(1)
})

test('a caller sees the history of the tier, before which there is nothing', async () => {
  const first = seconds(lastDay - 59)
  for (const resolution of ['1D', '60']) {
    const { t } = await history({ symbol: 'fees', resolution, ...always }, 'demo')
    expect([t[0], t.length]).toEqual([first, resolution === '1D' ? 60 : 60 * 24])
    expect((await history({ symbol: 'fees', resolution, countback: 5, to: first + 1 }, 'demo')).t).toEqual([first])
    for (const to of [first, first - 1, first - seconds(3), 0]) {
      const query = { symbol: 'fees', resolution, countback: 300, to }
      expect(await nothing(query, 'demo')).toEqual({ s: 'no_data' })
      if (to > 0) expect((await history(query, 'pro')).t.at(-1)).toBeLessThan(first)
    }
  }
  const seen = await series({ metrics: 'fees', interval: '1w' }, 'demo')
  const weeks = await history({ symbol: 'fees', resolution: '1W', ...always }, 'demo')
  expect(weeks.c).toEqual(known(seen, 'fees').map((row) => row.fees))
})

test('metrics above the tier are refused as by /v1/series', async () => {
  const above = (await definitions()).filter(({ grade }) => grade > 0)
  const of = (grade: number) => above.find((one) => one.grade === grade)!.id
  for (const [symbol, tier] of [
    [of(1), 'demo'],
    [of(2), 'demo'],
    [of(2), 'pro'],
  ] as const) {
    for (const to of [seconds(lastDay + 1), seconds(firstDay + 100)]) {
      const refused = await refusal('history', { symbol, resolution: '1D', countback: 10, to }, tier)
      const response = await send('series', { metrics: symbol }, tier)
      expect(refused).toMatchObject({ status: response.status, message: (await response.json()).message })
      expect(refused.status).toBe(tier === 'demo' ? 401 : 403)
    }
  }
  expect((await history({ symbol: of(1), ...always }, 'pro')).t.length).toBeGreaterThan(60)
})

test('unknown symbols and parameters that cannot be read are refused with the words of UDF', async () => {
  const right = { symbol: 'price', resolution: '1D', ...always }
  const unknown = await refusal('history', { ...right, symbol: 'realised_prise' })
  expect(unknown).toMatchObject({ status: 404, code: 'not_found', message: expect.stringContaining('realized_price') })
  expect(await refusal('symbols', { symbol: 'realised_prise' })).toMatchObject(unknown)
  for (const wrong of [
    { symbol: 'price,mvrv' },
    { symbol: '' },
    { symbol: 'COINSTRATA:' },
    { symbol: 'NYSE:price' },
    { symbol: 'cost_basis_distribution' },
    { symbol: "price'; DROP TABLE x; --" },
    { symbol: '__proto__' },
    { symbol: '€' },
    { symbol: 'x'.repeat(101) },
    { resolution: '5' },
    { resolution: '1Y' },
    { resolution: 'toString' },
    { resolution: '' },
    { from: 'NaN' },
    { from: '1e9' },
    { to: '' },
    { to: '9'.repeat(13) },
    { to: 'Infinity' },
    { countback: '-1' },
    { countback: '1.5' },
    { countback: '9'.repeat(30) },
  ]) {
    const { status, message } = await refusal('history', { ...right, ...wrong })
    expect([400, 404], `${JSON.stringify(wrong)}: ${message}`).toContain(status)
  }
  const { to, ...rest } = right
  expect(await refusal('history', rest)).toMatchObject({ status: 400, message: "parameter 'to' is missing" })
  expect(await refusal('symbols', {})).toMatchObject({ status: 400, message: "parameter 'symbol' is missing" })
  expect((await history({ ...right, countback: 999_999_999 })).t).toHaveLength(lastDay - firstDay - 39)
  const twice = await fetch(`${server.url}/v1/udf/history?to=${to}&to=1&symbol=price&resolution=1D`)
  expect([twice.status, failure.parse(await twice.json()).errmsg]).toEqual([
    400,
    "parameter 'to' is given more than once: give it once",
  ])
  for (const path of ['quotes', 'marks', 'time', 'symbols/x', '']) {
    expect((await refusal(path, {})).status, path).toBe(404)
  }
  // Later clients send more.
  const more = { firstDataRequest: 'true', currencyCode: 'USD', unitId: 'x', format: 'csv', fields: 'x' }
  expect(await history({ ...right, ...more })).toEqual(await history(right))
})

const described = z.looseObject({
  name: z.string(),
  ticker: z.string(),
  minmov: z.literal(1),
  pricescale: z.int().min(1),
  session: z.literal('24x7'),
  timezone: z.literal('Etc/UTC'),
  format: z.enum(['price', 'volume']),
  has_intraday: z.boolean(),
  supported_resolutions: z.array(z.string()).min(3),
})

test('every offered resolution of a symbol has bars, with or without the name of the exchange', async () => {
  for (const symbol of ['price', 'mvrv', 'fees', 'supply_sats', 'hash_rate_1d', 'market_cap']) {
    const found = described.parse(await ask('symbols', { symbol }))
    expect(found).toMatchObject({ name: symbol, ticker: symbol, full_name: `COINSTRATA:${symbol}` })
    expect(found.has_intraday).toBe(found.supported_resolutions.includes('60'))
    // This chain has no prices by the hour.
    const offered = found.supported_resolutions.filter((one) => one !== '60' || !/^(price|market_cap)$/.test(symbol))
    for (const resolution of offered) {
      expect((await history({ symbol, resolution, countback: 2, ...always })).t, symbol).toHaveLength(2)
    }
    for (const other of [symbol.toUpperCase(), `COINSTRATA:${symbol}`, `coinstrata:${symbol.toUpperCase()}`]) {
      expect(await ask('symbols', { symbol: other })).toEqual(found)
      const query = { resolution: '1W', ...always }
      expect(await history({ symbol: other, ...query })).toEqual(await history({ symbol, ...query }))
    }
  }
  expect(described.parse(await ask('symbols', { symbol: 'price' }))).toMatchObject({
    description: 'Price (USD per coin)',
    type: 'market',
    pricescale: 100,
    format: 'price',
    visible_plots_set: 'ohlcv',
  })
  expect(described.parse(await ask('symbols', { symbol: 'fees' }))).toMatchObject({
    pricescale: 100_000_000,
    format: 'volume',
    visible_plots_set: 'c',
  })
})

test('a search finds metrics by words, of a type, and as many as wanted', async () => {
  const search = async (query: Query) =>
    z
      .array(
        z.strictObject({
          symbol: z.string(),
          ticker: z.string(),
          full_name: z.string(),
          description: z.string(),
          exchange: z.literal('COINSTRATA'),
          type: z.string(),
        }),
      )
      .parse(await ask('search', query))
  const [first] = await search({ query: 'MVRV', type: '', exchange: '', limit: 30 })
  expect(first).toEqual({
    symbol: 'mvrv',
    ticker: 'mvrv',
    full_name: 'COINSTRATA:mvrv',
    description: 'MVRV (ratio)',
    exchange: 'COINSTRATA',
    type: 'valuation',
  })
  expect((await search({ query: 'COINSTRATA:MVRV' }))[0]).toEqual(first)
  const ids = async (query: Query) => (await search(query)).map(({ symbol }) => symbol)
  expect(await ids({ query: 'WHAT MINERS EARN', limit: 10 })).toContain('miner_revenue')
  expect(await ids({ query: 'xyzzy plugh' })).toEqual([])
  expect(await ids({ query: 'cost basis distribution' })).not.toContain('cost_basis_distribution')
  expect((await ids({ query: 'price', limit: 3 })).length).toBe(3)
  expect(await ids({ query: 'price', limit: 0 })).toEqual([])
  const { symbols_types: types } = z
    .looseObject({ symbols_types: z.array(z.object({ name: z.string(), value: z.string() })) })
    .parse(await ask('config', {}))
  expect(types[0]).toEqual({ name: 'all', value: '' })
  expect(types.length).toBeGreaterThan(10)
  for (const { value } of types) {
    const found = await search({ type: value, limit: 100 })
    expect(found.length, value).toBeGreaterThan(value === '' ? 99 : 0)
    if (value !== '') expect(new Set(found.map(({ type }) => type))).toEqual(new Set([value]))
    const [{ symbol } = { symbol: '' }] = found
    expect(described.parse(await ask('symbols', { symbol })).name).toBe(symbol)
  }
  for (const wrong of [{ query: 'x'.repeat(201) }, { limit: '-1' }, { limit: 'all' }]) {
    expect(await refusal('search', wrong)).toMatchObject({ status: 400 })
  }
})

test('any page may ask, answers can be cached, and only GET is served', async () => {
  for (const path of ['config', 'symbols?symbol=price', 'search?query=a', 'history?symbol=fees&resolution=D&to=1e9']) {
    const { headers } = await fetch(`${server.url}/v1/udf/${path}`, { headers: { origin: 'https://example.org' } })
    expect(headers.get('access-control-allow-origin'), path).toBe('*')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const [name] = path.split('?')
    const preflight = await fetch(`${server.url}/v1/udf/${name}`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('Authorization'),
    ])
    const posted = await fetch(`${server.url}/v1/udf/${name}`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow'), failure.parse(await posted.json()).error.code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ])
  }
  const url = `${server.url}/v1/udf/history?symbol=fees&resolution=D&to=${always.to}`
  const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip', accept: 'text/csv' } })
  const tag = answer.headers.get('etag') ?? ''
  expect([answer.headers.get('content-encoding'), bars.parse(await answer.json()).t.length]).toEqual(['gzip', 60])
  const again = await fetch(url, { headers: { 'if-none-match': tag, accept: 'text/csv' } })
  expect(again.status).toBe(304)
})

test('requests count as others do, by the minute, by the day and by values', async () => {
  const limited = await serve(chain.dataDir, { ...withoutLimits, REQUESTS_PER_MINUTE: '3', CELLS_PER_MINUTE: '100000' })
  try {
    const headers = { ...bearer(await keyOf(chain.dataDir, 'enterprise', 'counted@example.org')) }
    const cells = async (path: string) => {
      const { headers: answered } = await fetch(`${limited.url}/v1/${path}`, { headers })
      return Number(/"cells";r=(\d+)/.exec(answered.get('ratelimit') ?? '')?.[1])
    }
    const whole = await cells('health')
    expect(whole).toBeNaN()
    const before = await cells('series?metrics=price&limit=1')
    const query = `symbol=fees&resolution=1D&countback=400&to=${always.to}`
    const after = await cells(`udf/history?${query}`)
    const bySeries = await cells('series?metrics=fees&limit=401')
    expect([before - after, after - bySeries]).toEqual([802, 802])
    await cells(`udf/history?${query}&a`)
    await cells(`udf/history?${query}&b`)
    const response = await fetch(`${limited.url}/v1/udf/history?${query}`, { headers })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.any(String)])
    expect(failure.parse(await response.json()).error.code).toBe('rate_limited')
  } finally {
    await limited.close()
  }
})
