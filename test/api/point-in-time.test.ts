import { existsSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tier } from '#contract/tiers.ts'
import { publishedFolder, removeOldGenerations, rollBackToGeneration, switchToGeneration } from '#sql/generation.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { headersByTier, serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer
let headers: ReadonlyMap<Tier, Record<string, string>>

/**
 * Each corrected the price of the day before the last one that the one before it told, by 1, 10 and
 * so on.
 */
const corrected = (by: number) => (n: number) => (n === 397 ? n + by : n)

beforeAll(async () => {
  const published = [
    ['g1', '2024-02-02T01:00:00Z', '2024-02-01', 0],
    ['g2', '2024-02-03T01:00:00Z', '2024-02-02', 0],
    ['g3', '2024-02-04T01:00:00Z', '2024-02-03', 10],
    ['g4', '2024-02-05T01:00:00Z', '2024-02-04', 100],
  ] as const
  for (const [id, created_at, last_date, by] of published) {
    await publishSmallGeneration(dataDir, id, { created_at, last_date, price: corrected(by) })
  }
  server = await serve(dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
  headers = await headersByTier(dataDir)
})
afterAll(async () => {
  await server?.close()
  remove()
})

async function ask(target: string, tier: Tier = 'pro') {
  const response = await fetch(server.url + target, { headers: headers.get(tier)! })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

test('a generation that is kept answers by its id, and by the time at which it was the newest', async () => {
  const answeredBy = async (query: string) => {
    const { body } = await ask(`/v1/series?metrics=price&limit=1&${query}`)
    return [body.meta?.generation, body.data?.[0]?.date]
  }
  expect(await answeredBy('')).toEqual(['g4', '2024-02-04'])
  expect(await answeredBy('generation=g4')).toEqual(['g4', '2024-02-04'])
  expect(await answeredBy('generation=g2')).toEqual(['g2', '2024-02-02'])
  expect(await answeredBy('as_of=2024-02-03T00:59:59Z')).toEqual(['g1', '2024-02-01'])
  expect(await answeredBy('as_of=2024-02-03T01:00:00Z')).toEqual(['g2', '2024-02-02'])
  expect(await answeredBy('as_of=2024-02-03T02:59:00%2B02:00')).toEqual(['g1', '2024-02-01'])
  // A date is its end.
  expect(await answeredBy('as_of=2024-02-04')).toEqual(['g3', '2024-02-03'])
  expect(await answeredBy('as_of=2100-01-01')).toEqual(['g4', '2024-02-04'])
  const csv = await fetch(`${server.url}/v1/prices?generation=g3&format=csv`)
  expect(JSON.parse(csv.headers.get('x-coinstrata-meta') ?? '')).toMatchObject({ generation: 'g3' })
  expect((await ask('/v1/metrics/price?generation=g2')).body.meta.generation).toBe('g2')
})

test('what is not kept is a 404 that names what is, and nonsense a 400', async () => {
  const missing = await ask('/v1/prices?generation=g0')
  expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found'])
  expect(missing.body.message).toContain('g2 (published 2024-02-03T01:00:00Z)')
  expect(missing.body.error.details.kept).toContainEqual({ id: 'g4', published_at: '2024-02-05T01:00:00Z' })
  expect((await ask('/v1/prices?as_of=2024-02-01')).status).toBe(404)
  for (const query of [
    'generation=..',
    'generation=',
    'as_of=yesterday',
    'as_of=2024-02-30',
    'generation=g1&as_of=2024-02-04',
  ]) {
    expect([query, (await ask(`/v1/prices?${query}`)).status]).toEqual([query, 400])
  }
  // Of no generation.
  expect((await ask('/v1/today?generation=g4')).status).toBe(400)
})

test('history counts from the newest day that is published, whatever generation is asked', async () => {
  const first = async (query: string) => (await ask(`/v1/prices?limit=1000&${query}`, 'demo')).body.data.at(-1).date
  expect(await first('')).toBe('2023-12-07')
  expect(await first('generation=g1')).toBe('2023-12-07')
  const secret = await ask('/v1/series?metrics=nupl&generation=g1', 'demo')
  expect([secret.status, secret.body.error.code]).toEqual([401, 'missing_api_key'])
})

test('revisions are the values that changed between two generations', async () => {
  const { body } = await ask('/v1/revisions?metric=price')
  expect(body.meta).toMatchObject({ generation: 'g4', compared_with: 'g3' })
  const change = { change: 90, change_percent: expect.closeTo((100 * 90) / 407, 9) }
  expect(body.data).toEqual([{ date: '2024-02-02', value_before: 407, value_after: 497, ...change }])

  const others = await ask('/v1/revisions?metric=price&generation=g3&from=g1')
  // The 397th day is not in g1.
  expect([others.body.data, others.body.meta.note]).toEqual([[], 'no value changed'])
  expect((await ask('/v1/revisions?metric=price&generation=g3')).body.data).toMatchObject([{ change: 10 }])
  expect((await ask('/v1/revisions?metric=price&as_of=2024-02-04&from=g2')).body.data).toMatchObject([{ change: 10 }])
  expect((await ask('/v1/revisions?metric=price&end_date=2024-02-01')).body.data).toEqual([])
  expect((await ask('/v1/revisions?metric=price&generation=g1')).body.meta.note).toContain('no generation before g1')
  expect((await ask('/v1/revisions?metric=price&from=g0')).status).toBe(404)
  expect((await ask('/v1/revisions?metric=price&from=g4')).status).toBe(400)
  expect((await ask('/v1/revisions?metric=nupl', 'demo')).status).toBe(401)
  expect((await ask('/v1/revisions?metric=never')).body.meta.note).toBe('no value changed')
})

test('a chart is drawn from the generation that is asked for, and says which', async () => {
  const draw = async (query: string) => {
    const response = await fetch(`${server.url}/v1/chart/snapshot?metric=price&format=json${query}`)
    const { generation, series } = await response.json()
    return [response.headers.get('x-generation'), generation, series[0].last.date]
  }
  expect(await draw('&generation=g2')).toEqual(['g2', 'g2', '2024-02-02'])
  expect(await draw('&as_of=2024-02-04')).toEqual(['g3', 'g3', '2024-02-03'])
  expect(await draw('')).toEqual(['g4', 'g4', '2024-02-04'])
})

test('one that was gone back from answers by its id, but not by the time', async () => {
  rollBackToGeneration(dataDir, 'g3')
  await expect.poll(async () => (await ask('/v1/prices?limit=1')).body.meta.generation).toBe('g3')
  expect((await ask('/v1/prices?as_of=2024-02-05')).body.meta.generation).toBe('g3')
  expect((await ask('/v1/prices?generation=g4')).body.meta.generation).toBe('g4')
  switchToGeneration(dataDir, 'g4')
})

test('one that was read lately is not removed, and one that was removed is not kept', async () => {
  const stands = (id: string): boolean => existsSync(path.join(publishedFolder(dataDir), id))
  expect((await ask('/v1/prices?generation=g1&limit=2')).status).toBe(200)
  // A machine that keeps fewer generations compares with another one: its answer has another ETag.
  const comparison = async () => {
    const { headers, body } = await ask('/v1/revisions?metric=price&generation=g2')
    return [body.meta.compared_with, headers.get('etag')]
  }
  const compared = await comparison()
  expect(compared).toEqual(['g1', expect.any(String)])
  removeOldGenerations(dataDir)
  expect(['g1', 'g2'].map(stands)).toEqual([true, true])
  const mark = path.join(dataDir, 'state', 'reading', 'g1')
  utimesSync(mark, 1, 1)
  removeOldGenerations(dataDir)
  expect([stands('g1'), existsSync(mark), stands('g2')]).toEqual([false, false, true])
  // It is still open.
  expect((await ask('/v1/prices?generation=g1&limit=2')).status).toBe(404)
  expect((await ask('/v1/prices?generation=g1&limit=3')).status).toBe(404)
  const [alone, etag] = await comparison()
  expect(alone).toBeUndefined()
  expect(etag).not.toBe(compared[1])
  rmSync(path.join(publishedFolder(dataDir), 'g2'), { recursive: true })
  expect((await ask('/v1/prices?generation=g2&limit=4')).status).toBe(404)
})

test('a damaged file of the earlier generation is named as such, and the newer one still answers', async () => {
  const compared = '/v1/revisions?metric=nupl&generation=g4&from=g3'
  flipBit(path.join(publishedFolder(dataDir), 'g3', 'metrics_market.parquet'))
  const { status, body } = await ask(`${compared}&limit=5`)
  expect([status, body.error.code]).toEqual([503, 'data_damaged'])
  expect(body.error.message).not.toContain('writing')
  expect((await ask('/v1/series?metrics=price&limit=6')).status).toBe(200)
})
