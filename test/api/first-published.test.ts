import { cpSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tier } from '#contract/tiers.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { addFirstValues, appendFirstValues, type FirstValues } from '#test/support/first-values.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { headersByTier, serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer
let headers: ReadonlyMap<Tier, Record<string, string>>

/** Values of metrics that each generation was the first to publish; the last two are kept. */
const generations: readonly (readonly [id: string, created_at: string, last_date: string, first: FirstValues])[] = [
  ['g1', '2024-01-30T01:00:00Z', '2024-01-29', []],
  ['g2', '2024-01-31T01:00:00.5Z', '2024-01-30', [['price', '2024-01-30', 1_000]]],
  [
    'g3',
    '2024-02-01T01:00:00Z',
    '2024-01-31',
    [
      ['price', '2024-01-31', 1_001],
      ['secret_price', '2024-01-31', 3_003],
      ['volume', '2024-01-30', 12.5],
    ],
  ],
  ['g4', '2024-02-02T01:00:00Z', '2024-02-01', [['price', '2024-02-01', 1_002]]],
  ['g5', '2024-02-03T01:00:00Z', '2024-02-02', [['price', '2024-02-02', 1_003]]],
  ['g6', '2024-02-05T01:00:00Z', '2024-02-04', []],
]

beforeAll(async () => {
  for (const [id, created_at, last_date, first] of generations) {
    await publishSmallGeneration(dataDir, id, { created_at, last_date })
    if (first.length === 0) continue
    await addFirstValues(dataDir, id, first)
    await appendFirstValues(dataDir)
  }
  for (const id of ['g1', 'g2', 'g3', 'g4']) rmSync(path.join(dataDir, 'published', id), { recursive: true })
  server = await serve(dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
  headers = await headersByTier(dataDir)
})
afterAll(async () => {
  await server?.close()
  remove()
})

async function ask(target: string, tier: Tier = 'pro') {
  const response = await fetch(server.url + target, { headers: headers.get(tier)! })
  return { status: response.status, etag: response.headers.get('etag'), body: await response.json() }
}

test('before the generations that are kept, as_of answers with the values that were published first by then', async () => {
  const series = (as_of: string) => ask(`/v1/series?metrics=price,volume&as_of=${as_of}`)
  const { status, body } = await series('2024-02-01T01:00:00Z')
  expect(status).toBe(200)
  expect(body.data).toEqual([
    { date: '2024-01-31', price: 1_001, volume: null },
    { date: '2024-01-30', price: 1_000, volume: 12.5 },
  ])
  expect(body.meta).toMatchObject({ generation: 'g3', as_of_source: 'first_published' })
  // A moment before, the third had not been published.
  const before = await series('2024-02-01T00:59:59.999Z')
  expect(before.body.data).toEqual([{ date: '2024-01-30', price: 1_000, volume: null }])
  expect(before.body.meta).toMatchObject({ generation: 'g2', as_of_source: 'first_published' })
  expect((await series('2024-01-31T01:00:00.500Z')).body.meta.generation).toBe('g2')
  // A date is its end, and a month later nothing is published between.
  const between = await series('2024-02-02')
  expect(between.body.data.map(({ price }: { price: number }) => price)).toEqual([1_002, 1_001, 1_000])
  expect(between.body.meta.generation).toBe('g4')
  expect((await ask('/v1/series?metrics=price&as_of=2024-02-02&start_date=2024-02-01')).body.data).toEqual([
    { date: '2024-02-01', price: 1_002 },
  ])
})

test('those that are kept answer as before', async () => {
  const { body } = await ask('/v1/series?metrics=price&limit=1&as_of=2024-02-03')
  expect(body.meta.as_of_source).toBeUndefined()
  expect([body.meta.generation, body.data]).toEqual(['g5', [{ date: '2024-02-02', price: 397 }]])
  expect((await ask('/v1/series?metrics=price&limit=1')).body.meta.as_of_source).toBeUndefined()
})

test('endpoints of daily metrics answer too, in every format, each tier with what it may see', async () => {
  const { body } = await ask('/v1/prices?as_of=2024-02-01')
  expect(body.data).toMatchObject([
    { date: '2024-01-31', price: 1_001 },
    { date: '2024-01-30', price: 1_000 },
  ])
  const csv = await fetch(`${server.url}/v1/series?metrics=price&as_of=2024-02-01&format=csv`, {
    headers: headers.get('pro')!,
  })
  expect(await csv.text()).toBe('date,price\r\n2024-01-31,1001\r\n2024-01-30,1000\r\n')
  expect(JSON.parse(csv.headers.get('x-coinstrata-meta') ?? '')).toMatchObject({ as_of_source: 'first_published' })
  expect((await ask('/v1/series?metrics=secret_price&as_of=2024-02-01', 'demo')).body.error.code).toBe(
    'missing_api_key',
  )
  expect((await ask('/v1/series?metrics=secret_price&as_of=2024-02-01')).body.data).toEqual([
    { date: '2024-01-31', secret_price: 3_003 },
  ])
  expect((await ask('/v1/series?metrics=never&as_of=2024-02-01')).body.data).toEqual([])
})

test('what would need other values is refused', async () => {
  for (const [query, parameter] of [
    ['formula=sma(price,200)', 'formula'],
    ['metrics=price&interval=1w', 'interval'],
    ['metrics=price&interval=1h', 'interval'],
  ]) {
    const { status, body } = await ask(`/v1/series?${query}&as_of=2024-02-01`)
    expect([query, status, body.error.details.parameter]).toEqual([query, 400, parameter])
  }
  for (const target of [
    '/v1/series?metrics=price&as_of=2024-01-31T01:00:00.499Z',
    '/v1/series?metrics=price&as_of=2023-05-01',
    '/v1/prices?generation=g3',
    '/v1/cycles?as_of=2024-02-01',
    '/v1/revisions?metric=price&as_of=2024-02-01',
    '/v1/tables/metrics_market.parquet?as_of=2024-02-01',
    '/v1/chart/snapshot?metric=price&format=json&as_of=2024-02-01',
  ]) {
    const { status, body } = await ask(target)
    expect([target, status, body.error?.code]).toEqual([target, 404, 'not_found'])
  }
  expect((await ask('/v1/series?metrics=price&generation=g5&as_of=2024-02-01')).status).toBe(400)
})

test('times between two publications have the same answer, which is found again by its ETag', async () => {
  const [one, other] = [await ask('/v1/prices?as_of=2024-02-01'), await ask('/v1/prices?as_of=2024-02-01')]
  expect(other).toEqual({ ...one, body: { ...one.body, timestamp: other.body.timestamp } })
  const many = Array.from({ length: 50 }, (_, i) =>
    ask(`/v1/series?metrics=price&as_of=2024-02-01T02:00:${String(i + 10)}Z`),
  )
  for (const { body } of await Promise.all(many)) expect(body.data).toHaveLength(2)
})

test('a damaged file is refused, and one that was set aside is not read', async () => {
  const other = `${dataDir}-damaged`
  cpSync(dataDir, other, { recursive: true, verbatimSymlinks: true })
  const file = path.join(firstPublishedFolder(other), '2024-01.parquet')
  const undo = flipBit(file)
  const damaged = await serve(other, withoutLimits)
  const read = async (target = 'metrics=price&as_of=2024-02-02') => {
    const response = await fetch(`${damaged.url}/v1/series?${target}`)
    return { status: response.status, body: await response.json() }
  }
  try {
    const { status, body } = await read()
    expect([status, body.error.code]).toEqual([503, 'data_damaged'])
    expect(body.message).toContain('2024-01')
    undo()
    // More times than stay open, so that each is read from the files again.
    const targets = ['2024-01-31', '2024-02-01', '2024-02-02'].map((day) => `metrics=price,volume&as_of=${day}`)
    const answers = async () => Promise.all(targets.map(async (target) => (await read(target)).body.data))
    const right = await answers()
    expect(right.map((rows) => rows.length)).toEqual([1, 2, 3])
    const { size } = statSync(file)
    let refusals = 0
    for (let i = 0; i < 40; i++) {
      const flipBack = flipBit(file, Math.floor(((i + 0.5) / 40) * size), 1 << (i % 8))
      const refused = [503, 'data_damaged']
      for (const [j, target] of targets.entries()) {
        const { status: now, body: answer } = await read(target)
        // Values read before are in memory.
        const wanted = now === 200 ? [200, right[j]] : refused
        expect([now, answer.data ?? answer.error.code], `flip ${i} of ${target}`).toEqual(wanted)
        if (now !== 200) refusals++
      }
      flipBack()
    }
    expect(refusals).toBeGreaterThan(40)
    expect(await answers()).toEqual(right)
  } finally {
    await damaged.close()
  }
  // Another service has nothing of it in memory.
  renameSync(file, `${file}.damaged`)
  const restarted = await serve(other, withoutLimits)
  try {
    const { data } = await (await fetch(`${restarted.url}/v1/series?metrics=price&as_of=2024-02-02`)).json()
    expect(data).toEqual([{ date: '2024-02-01', price: 1_002 }])
  } finally {
    await restarted.close()
    rmSync(other, { recursive: true })
  }
})
