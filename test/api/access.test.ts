import { beforeAll, describe, expect, test } from 'vitest'
import { setTier } from '#accounts/commands.ts'
import { CoinstrataError } from '#base/errors.ts'
import { RunJournal } from '#state/run-journal.ts'
import { dataDir, serveOwnFolder, server } from './support/own-service.ts'
import { lastDate, publishSmallGeneration } from './support/small-generation.ts'
import { bearer, headersByTier, keyOf, serve, signIn, temporaryDataDir, withoutLimits } from './support/test-server.ts'

serveOwnFolder({}, publishSmallGeneration)
let pro: Record<string, string>
let enterprise: Record<string, string>

beforeAll(async () => {
  const headers = await headersByTier(dataDir)
  pro = headers.get('pro')!
  enterprise = headers.get('enterprise')!
})

const ask = async (target: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + target, { headers })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const datesOf = ({ body }: Awaited<ReturnType<typeof ask>>): string[] =>
  body.data.map(({ date }: { date: string }) => date)

describe('rows', () => {
  test('are newest first, one hundred unless asked otherwise', async () => {
    const { body } = await ask('/v1/prices?fields=all', pro)
    expect(body.count).toBe(100)
    expect(body.data[0]).toEqual({ date: lastDate, symbol: 'BTC', price: 399, volume: 798, secret_price: 1197 })
    expect(body.data[99]).toMatchObject({ date: '2023-10-28', price: 300 })
  })

  test('with a limit are the newest up to end_date', async () => {
    const answer = await ask('/v1/prices?limit=2&end_date=2023-06-01', pro)
    expect(datesOf(answer)).toEqual(['2023-06-01', '2023-05-31'])
  })

  test('with start_date are the whole range, whatever the limit', async () => {
    const answer = await ask('/v1/prices?limit=1&start_date=2023-03-01&end_date=2023-03-03', pro)
    expect(datesOf(answer)).toEqual(['2023-03-03', '2023-03-02', '2023-03-01'])
  })

  test('begin where anything is known', async () => {
    const answer = await ask('/v1/prices?start_date=2023-01-01&end_date=2023-01-12', pro)
    expect(datesOf(answer)).toEqual(['2023-01-12', '2023-01-11'])
    expect(answer.body.data[1].price).toBe(10)
  })

  test('of weeks and months are those of their newest day', async () => {
    const weeks = await ask('/v1/series?metrics=price&interval=1w&limit=3', pro)
    expect(datesOf(weeks)).toEqual(['2024-02-04', '2024-01-28', '2024-01-21'])
    const months = await ask('/v1/series?metrics=price&interval=1m&start_date=2023-11-15', pro)
    expect(datesOf(months)).toEqual(['2024-02-04', '2024-01-31', '2023-12-31', '2023-11-30'])
  })

  test('of weeks and months are the last level, the sum of a flow and the mean of a rate', async () => {
    // On the n-th day price is n and volume 2n: n is 396 to 399 in February, 365 to 395 in January,
    // 334 to 364 in December.
    const asked = '/v1/series?metrics=price,volume&formula=volume%2Fprice&interval=1m&start_date=2024-01-20'
    expect((await ask(asked, pro)).body.data).toEqual([
      { date: '2024-02-04', price: 399, volume: 4 * 795, formula: 2 },
      { date: '2024-01-31', price: 395, volume: 31 * 760, formula: 2 },
    ])
    const [, lowest] = (await ask(`${asked}&aggregate=min&digits=2`, pro)).body.data
    expect(lowest).toEqual({ date: '2024-01-31', price: 370, volume: 730, formula: 2 })
    // A week is open until its Sunday: the Monday to Wednesday so far, 393 to 395.
    const week = await ask('/v1/prices?interval=1w&limit=1&end_date=2024-01-31&fields=all', pro)
    expect(week.body.data).toEqual([
      { date: '2024-01-31', symbol: 'BTC', price: 395, volume: 6 * 394, secret_price: 1185 },
    ])
  })

  test('of a month that began before the history of a tier have its last level and no sum', async () => {
    // 60 days: from 7 December, the 340th day.
    const { body } = await ask('/v1/prices?interval=1m')
    expect(body.data).toEqual([
      { date: '2024-02-04', symbol: 'BTC', price: 399, volume: 4 * 795 },
      { date: '2024-01-31', symbol: 'BTC', price: 395, volume: 31 * 760 },
      { date: '2023-12-31', symbol: 'BTC', price: 364, volume: null },
    ])
    expect(body.meta.history_limited_to).toBe('2023-12-07')
    const [, , december] = (await ask('/v1/prices?interval=1m&aggregate=first')).body.data
    expect(december).toMatchObject({ price: null, volume: null })
  })

  test('are an empty list with a note where nothing has been imported', async () => {
    for (const list of ['futures/oi', 'etf/aggregate', 'etf/registry', 'oi/exchanges', 'dat/stats']) {
      const { status, body } = await ask(`/v1/${list}`)
      expect([list, status, body.data, body.meta.note]).toEqual([list, 200, [], expect.stringContaining('no data')])
    }
    expect((await ask('/v1/funding/exchange?exchange=binance', pro)).body.data).toEqual([])
  })

  test('say which generation they come from', async () => {
    expect((await ask('/v1/prices')).body.meta.generation).toBe('small')
  })
})

describe('history', () => {
  test('of a caller without a key is the newest 60 days', async () => {
    const answer = await ask('/v1/prices?limit=10000')
    expect([answer.body.count, datesOf(answer)[59]]).toEqual([60, '2023-12-07'])
    expect(answer.body.meta.history_limited_to).toBe('2023-12-07')
  })

  test('says nothing where the request stays within it', async () => {
    expect((await ask('/v1/prices?limit=60')).body.meta.history_limited_to).toBeUndefined()
    expect((await ask('/v1/prices?start_date=2023-12-07')).body.meta.history_limited_to).toBeUndefined()
  })

  test('cuts a range that begins before it', async () => {
    const answer = await ask('/v1/prices?start_date=2023-12-01&end_date=2023-12-08')
    expect(datesOf(answer)).toEqual(['2023-12-08', '2023-12-07'])
    expect(answer.body.meta.history_limited_to).toBe('2023-12-07')
  })

  test.each([
    '/v1/prices?start_date=2023-02-01&end_date=2023-02-28',
    '/v1/prices?end_date=2023-12-06&format=csv',
    '/v1/series?formula=sma(price,7)&end_date=2023-12-06',
    '/v1/cycle-performance?type=halving&end_date=2023-12-06',
    '/v1/series?metrics=price&end_date=2023-12-06&format=parquet',
    '/v1/metrics/latest?end_date=2023-12-06',
    '/v1/prices?cursor=2023-12-06.0',
    '/v1/prices?start_date=2023-02-01&cursor=2023-12-06.0',
  ])('refuses a range that ends before it, with its first day: %s', async (target) => {
    const { status, body } = await ask(target)
    expect([status, body.error.code, body.error.details.first_date]).toEqual([403, 'insufficient_tier', '2023-12-07'])
    expect(body.message).toMatch(/which begins on 2023-12-07: .* key/)
    const whole = await fetch(server.url + target, { headers: pro })
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringMatching(/2023-\d\d-\d\d|day_offset|^PAR1/)])
  })

  test('begins ascending pages also after a cursor before it', async () => {
    const answer = await ask('/v1/prices?start_date=2023-02-01&order=asc&cursor=2023-12-06.0')
    expect([answer.status, datesOf(answer)[0]]).toEqual([200, '2023-12-07'])
  })

  test('comes before the budget, in data and charts', async () => {
    const limited = await serve(dataDir, {
      ...withoutLimits,
      CELLS_PER_MINUTE: '1000',
      CHART_DEMO: 'on',
      TRUST_PROXY: '1',
    })
    try {
      const free = { cookie: await signIn(limited, dataDir, 'free-reader@example.org') }
      // An address that has not spent anything.
      const demo = { 'x-forwarded-for': '203.0.113.1' }
      const read = async (headers: Record<string, string>, target: string, chart?: object) => {
        const response = await fetch(limited.url + target, {
          method: chart ? 'POST' : 'GET',
          headers: { ...headers, 'content-type': 'application/json' },
          body: chart ? JSON.stringify({ metric: 'price', format: 'json', ...chart }) : null,
        })
        const { error, meta } = await response.json()
        const firstDate = error ? error.details.first_date : meta?.history_limited_to
        return [response.status, error?.code, firstDate]
      }
      const path = '/v1/chart/snapshot'
      const spent = [429, 'budget_exceeded', undefined]
      for (const [caller, begin, before] of [
        [free, '2023-02-05', '2023-02-04'],
        [demo, '2023-12-07', '2023-12-06'],
      ] as const) {
        const refused = [403, 'insufficient_tier', begin]
        expect(await read(caller, '/v1/prices?start_date=2023-01-20')).toEqual([200, undefined, begin])
        expect(await read(caller, '/v1/prices?limit=7')).toEqual(spent)
        for (const target of [
          '/v1/prices?',
          '/v1/series?formula=sma(price,7)&',
          '/v1/series?metrics=price&format=csv&',
        ])
          expect(await read(caller, `${target}end_date=${before}`)).toEqual(refused)
      }
      expect(await read(demo, path, { metric: 'volume' })).toEqual(spent)
      const refused = [403, 'insufficient_tier', '2023-12-07']
      expect(await read(demo, path, { end_date: '2023-12-06' })).toEqual(refused)
      expect(await read(demo, `${path}?metric=volume&end_date=2023-12-06`)).toEqual(refused)
    } finally {
      await limited.close()
    }
  })

  test('with a key of tier pro is whole', async () => {
    const { body } = await ask('/v1/prices?limit=10000', pro)
    expect([body.count, body.meta.history_limited_to, body.meta.note]).toEqual([390, undefined, undefined])
    const noteOf = async (dates: string) => (await ask(`/v1/prices?${dates}`, pro)).body.meta.note
    expect(await noteOf('start_date=2024-02-05')).toBe('the newest published day is 2024-02-04')
    expect(await noteOf('end_date=2009-01-02')).toBe('there is no data for these days')
  })

  test('bounds what a formula sees', async () => {
    const [demo, whole] = [
      await ask('/v1/series?formula=cumsum(price)&limit=1'),
      await ask('/v1/series?formula=cumsum(price)&limit=1', pro),
    ]
    // 340 + … + 399, and 10 + … + 399
    expect([demo.body.data[0].formula, whole.body.data[0].formula]).toEqual([22_170, 79_755])
    expect(demo.body.meta.history_limited_to).toBe('2023-12-07')
    expect(whole.body.meta.history_limited_to).toBeUndefined()
    const empty = await ask('/v1/series?formula=shift(price,60)')
    expect([empty.body.data, empty.body.meta.history_limited_to]).toEqual([[], '2023-12-07'])
    expect(empty.body.meta.note).toBe('it has no value on any day that you can see')
  })
})

describe('cycles', () => {
  const performance = '/v1/cycle-performance?type=halving&limit=10000'
  // Days 151 and 365 are the first of the cycles, day 340 the first that a caller without a key
  // sees.
  const cycle = (target: string, headers?: Record<string, string>) =>
    ask(target, headers).then(({ body }) => [
      body.data.length,
      body.data.map(({ cycle_1, cycle_2 }: Record<string, number | null>) => [cycle_1, cycle_2]),
      body.meta.history_limited_to,
    ])

  test('are laid over each other by the price of their first day', async () => {
    const [count, rows, limited] = await cycle(performance, pro)
    expect([count, rows[0], rows[34], rows[213], limited]).toEqual([
      214,
      [1, 1],
      [185 / 151, 399 / 365],
      [364 / 151, null],
      undefined,
    ])
  })

  test('show of each only days of the history of the tier', async () => {
    const [count, rows, limited] = await cycle(performance)
    // 25 days of the first and 35 of the second make 60.
    expect([count, rows[0], rows[35], rows[59], limited]).toEqual([
      60,
      [null, 1],
      [340 / 151, null],
      [364 / 151, null],
      '2023-12-07',
    ])
    const [few, cut] = await cycle('/v1/cycle-performance?type=halving&start_date=2023-12-30&end_date=2024-01-02')
    expect([few, cut]).toEqual([
      4,
      [
        [null, 1],
        [null, 366 / 365],
        [363 / 151, null],
        [364 / 151, null],
      ],
    ])
  })

  test('have boundaries that everybody sees, and of which dates choose', async () => {
    const cyclesOf = async (query: string) =>
      (await ask(`/v1/cycle-boundaries${query}`)).body.data.map((row: { cycle: number }) => row.cycle)
    expect(await cyclesOf('')).toEqual([2, 1])
    expect(await cyclesOf('?limit=1')).toEqual([2])
    expect(await cyclesOf('?end_date=2023-12-31')).toEqual([1])
    expect(await cyclesOf('?start_date=2024-01-01&limit=1')).toEqual([2])
    expect(await cyclesOf('?start_date=2023-12-31&limit=1')).toEqual([2, 1])
    expect(await cyclesOf('?end_date=2023-05-31')).toEqual([])
    expect([await cyclesOf('?offset=1'), await cyclesOf('?limit=1&offset=1&order=asc')]).toEqual([[1], [1]])
    expect([await cyclesOf('?order=asc'), await cyclesOf('?limit=1&order=asc')]).toEqual([[1, 2], [2]])
    expect((await ask('/v1/cycle-boundaries?limit=1')).body.meta.next_offset).toBe(1)
    expect((await ask('/v1/cycle-boundaries?limit=2')).body.meta.next_offset).toBeUndefined()
  })
})

describe('grades', () => {
  test('above that of the caller are left out and named', async () => {
    const { body } = await ask('/v1/prices?limit=1&fields=all')
    expect(body.data).toEqual([{ date: lastDate, symbol: 'BTC', price: 399, volume: 798 }])
    expect(body.meta).toMatchObject({ withheld: ['secret_price'], withheld_tier: 'pro' })
    // What sources of market data ask for stands in every answer.
    expect(body.meta.attribution).toBe('Data by One (https://one.example); Data by Two')
  })

  test('of all fields of an endpoint above that of the caller refuse it', async () => {
    const refused = await ask('/v1/holder/profit')
    expect([refused.status, refused.body.error]).toMatchObject([
      401,
      { code: 'missing_api_key', details: { needed: 'pro' } },
    ])
    expect((await ask('/v1/holder/profit', pro)).status).toBe(200)
  })

  test('2 is for enterprise alone', async () => {
    expect((await ask('/v1/series?metrics=density', pro)).body.error.details.needed).toBe('enterprise')
    expect((await ask('/v1/series?metrics=density&limit=1', enterprise)).body.data).toEqual([
      { date: lastDate, density: 1995 },
    ])
    const mixed = await ask('/v1/series?metrics=price,density&limit=1', pro)
    expect([mixed.body.data, mixed.body.meta.withheld]).toEqual([[{ date: lastDate, price: 399 }], ['density']])
  })

  test('of a formula are those of the metrics in it', async () => {
    expect((await ask('/v1/series?formula=price%2Bdensity', pro)).status).toBe(403)
    const { body } = await ask('/v1/series?metrics=price&formula=density*2&limit=1', pro)
    expect(body.meta.withheld).toEqual(['formula'])
  })

  test('do not hide definitions', async () => {
    expect((await ask('/v1/metrics/density')).body.data[0]).toMatchObject({ id: 'density', grade: 2 })
    expect((await ask('/v1/metrics?variants=all')).body.count).toBe(7)
    expect((await ask('/v1/metrics?variants=all&active_only=true')).body.count).toBe(6)
  })
})

describe('keys', () => {
  test.each([
    ['Bearer nonsense', 'unknown'],
    [`Bearer cs_000000000000_${'0'.repeat(48)}`, 'unknown'],
    ['Basic dXNlcjpwYXNz', 'must read'],
    ['Bearer', 'must read'],
  ])('%s is refused everywhere', async (authorization, reason) => {
    for (const target of ['/v1/prices', '/v1/metrics', '/docs', '/nowhere']) {
      const response = await fetch(server.url + target, { headers: { authorization } })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await response.json()).toMatchObject({
        error: { code: 'invalid_api_key' },
        message: expect.stringContaining(reason),
      })
    }
  })

  test('are needed for single exchanges', async () => {
    expect((await ask('/v1/oi/exchange?exchange=okx')).body.error.code).toBe('missing_api_key')
  })

  test('of a free account have no access', async () => {
    const free = bearer(await keyOf(dataDir, 'pro', 'free@example.org'))
    await setTier({ DATA_DIR: dataDir }, 'free@example.org', 'free')
    const { status, body } = await ask('/v1/prices', free)
    expect([status, body.error.code]).toEqual([403, 'insufficient_tier'])
  })

  test('make answers private', async () => {
    const [demo, keyed] = [await ask('/v1/prices'), await ask('/v1/prices', pro)]
    expect([demo, keyed].map(({ headers }) => headers.get('cache-control'))).toEqual([
      'public, max-age=0, s-maxage=4, stale-while-revalidate=4',
      'private, no-cache',
    ])
    expect(demo.headers.get('vary')).toBe('Authorization, X-API-Key, Cookie, Accept, Accept-Encoding')
    expect(demo.headers.get('etag')).not.toBe(keyed.headers.get('etag'))
    // A browser would ask again in the background for what it has just loaded.
    const script = await ask('/v1/prices', { 'sec-fetch-dest': 'empty' })
    expect(script.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=4')
  })
})

test('a table that the generation does not have gives no rows', async () => {
  const { status, body } = await ask('/v1/cost-basis', enterprise)
  expect([status, body.count]).toEqual([200, 0])
})

describe('open access', () => {
  test('allows everything to everyone on this machine, but no broken key', async () => {
    const open = await serve(dataDir, { ACCESS: 'open' })
    try {
      const answer = await fetch(`${open.url}/v1/series?metrics=density&limit=10000`)
      expect([answer.status, (await answer.json()).count, answer.headers.get('ratelimit')]).toEqual([200, 390, null])
      expect(answer.headers.get('cache-control')).toBe('public, no-cache')
      expect((await fetch(`${open.url}/v1/oi/exchange?exchange=okx`)).status).toBe(200)
      expect((await fetch(`${open.url}/v1/prices`, { headers: bearer('cs_x') })).status).toBe(401)
    } finally {
      await open.close()
    }
  })

  test('does not listen on the network unless told twice', async () => {
    await expect(serve(dataDir, { ACCESS: 'open', HOST: '0.0.0.0' })).rejects.toThrow(CoinstrataError)
    const open = await serve(dataDir, { ACCESS: 'open', HOST: '0.0.0.0', OPEN_TO_NETWORK: 'true' })
    await open.close()
  })
})

test('before the first publication everything answers 503', async () => {
  const empty = temporaryDataDir()
  const early = await serve(empty.dataDir)
  try {
    const told = async (): Promise<string> => (await (await fetch(`${early.url}/v1/prices`)).json()).message
    const [health, prices] = [await fetch(`${early.url}/health`), await fetch(`${early.url}/v1/prices`)]
    expect([health.status, (await health.json()).status]).toEqual([503, 'data_not_ready'])
    expect([prices.status, (await prices.json()).error.code]).toEqual([503, 'data_not_ready'])
    expect([prices.headers.get('retry-after'), await told()]).toEqual([
      '15',
      expect.stringContaining('run "coinstrata'),
    ])
    const journal = new RunJournal(empty.dataDir)
    const run = journal.begin('update')
    expect(await told()).toMatch(/^no data is published yet, and the first update is running: try again/)
    journal.end(run, 'ok', null)
    expect(await told()).toContain('run "coinstrata update"')
    journal.close()
    await publishSmallGeneration(empty.dataDir)
    expect((await fetch(`${early.url}/v1/prices`)).status).toBe(200)
    expect(await (await fetch(`${early.url}/health`)).json()).toMatchObject({
      // Its newest block is of long ago.
      status: 'stale',
      generation: 'small',
      tip_height: 57_600,
    })
  } finally {
    await early.close()
    empty.remove()
  }
})
