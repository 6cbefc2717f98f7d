import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishSmallGeneration } from './support/small-generation.ts'
import { serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer

beforeAll(async () => {
  await publishSmallGeneration(dataDir)
  server = await serve(dataDir, withoutLimits)
})
afterAll(async () => {
  await server?.close()
  remove()
})

async function get(target: string) {
  const response = await fetch(server.url + target)
  return { status: response.status, ...(await response.json()) }
}

describe('a search of /v1/metrics', () => {
  const search = (words: string) => get(`/v1/metrics?q=${encodeURIComponent(words)}&fields=all`)

  test('finds a metric by a name that it has elsewhere, without accents and case', async () => {
    const { data, meta } = await search('umsatze')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['volume'])
    expect(data[0].aliases).toEqual(['Elsewhere: Umsätze', 'traded_volume'])
    expect(meta.note).toBeUndefined()
  })

  test('says what is not tracked, and why', async () => {
    const { data, count, meta } = await search('Exchange balances')
    expect({ data, count }).toEqual({ data: [], count: 0 })
    expect(meta.note).toMatch(/^not tracked: balances and flows of exchanges; .+/)
  })

  test('tells the nearest metrics with it', async () => {
    const { data, meta } = await search('fear and greed')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['nupl'])
    expect(meta.note).toMatch(/^not tracked: the fear and greed index/)
  })

  test('repeats letters of any script, in the header of a file too', async () => {
    const words = 'Āж币🚀'
    const csv = await fetch(`${server.url}/v1/metrics?format=csv&q=${encodeURIComponent(words)}`)
    expect(csv.status).toBe(200)
    expect(JSON.parse(csv.headers.get('x-coinstrata-meta')!).note).toBe(`no metric fits '${words}'`)
  })

  test('says that nothing fits', async () => {
    expect((await search('xyzzy')).meta.note).toBe("no metric fits 'xyzzy'")
  })

  test('is refused above 200 characters', async () => {
    expect((await search('a'.repeat(201))).status).toBe(400)
  })
})

test('a search leaves out what has no values where that is asked for', async () => {
  const ids = async (query: string): Promise<string[]> =>
    (await get(`/v1/metrics?${query}`)).data.map(({ id }: { id: string }) => id)
  expect(await ids('q=never')).toEqual(['never'])
  expect(await ids('q=never&active_only=true')).toEqual([])
})

describe('another id of a metric', () => {
  test('answers with the same rows under the id that was asked for', async () => {
    const { data } = await get('/v1/series?metrics=traded_volume,volume&limit=3')
    expect(data).toHaveLength(3)
    for (const row of data) expect(row.traded_volume).toBe(row.volume)
  })

  test('stands in formulas', async () => {
    const { data } = await get('/v1/series?formula=traded_volume%20/%20price&limit=1')
    expect(data[0].formula).toBe(2)
  })

  test('has the definition of the metric', async () => {
    expect((await get('/v1/metrics/traded_volume')).data[0].id).toBe('volume')
  })

  test('is accepted regardless of case and spaces, with its vendor too', async () => {
    const rows = (await get('/v1/series?metrics=Traded%20Volume,volume&limit=3')).data
    for (const row of rows) expect(row['Traded Volume']).toBe(row.volume)
    expect((await get('/v1/series?formula=TradedVolume%20/%20PRICE&limit=1')).data[0].formula).toBe(2)
    expect((await get('/v1/metrics/Elsewhere:%20Ums%C3%A4tze')).data[0].id).toBe('volume')
  })

  test('is refused with the ids of the metrics that share it', async () => {
    const { status, error } = await get('/v1/series?metrics=shared%20name')
    expect([status, error.code, error.details.allowed]).toEqual([400, 'invalid_parameter', ['block_height', 'never']])
    expect(error.message).toContain('block_height, never')
  })

  test('names metrics of charts', async () => {
    const open = await serve(dataDir, { ...withoutLimits, ACCESS: 'open' })
    try {
      const draw = async (metric: string) => {
        const response = await fetch(`${open.url}/v1/chart/snapshot?metric=${metric}&format=json`)
        return JSON.stringify(await response.json())
      }
      expect(await draw('Traded%20Volume')).toContain('"id":"volume"')
      expect(await draw('Shared%20Name')).toContain('"allowed":["block_height","never"]')
    } finally {
      await open.close()
    }
  })

  test('gives way to the exact id of another metric', async () => {
    expect((await get('/v1/metrics/price')).data[0].id).toBe('price')
  })
})

describe('an unknown id is answered with', () => {
  test('what a search finds', async () => {
    const { status, error } = await get('/v1/metrics/Umsaetze%20traded%20volum')
    expect([status, error.details.suggestion]).toEqual([404, 'volume'])
    expect((await get('/v1/series?formula=blok_height')).error.details.suggestion).toBe('block_height')
  })

  test('the reason if it is not tracked', async () => {
    expect((await get('/v1/metrics/exchange_balance')).error.message).toMatch(
      /^there is no metric 'exchange_balance'; not tracked: balances and flows of exchanges;/,
    )
  })
})
