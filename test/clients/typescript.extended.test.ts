import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isoDate } from '#base/days.ts'
import type * as client from '#clients/typescript/client.ts'
import { chain, keys, serveChain, server } from '#test/api/support/chain-service.ts'
import { firstDay } from '#test/api/support/served-chain.ts'
import { serve } from '#test/api/support/test-server.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

serveChain()

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-client-'))
let Client: typeof client.Coinstrata
let RequestError: typeof client.RequestError
const keyOf = (tier: 'pro' | 'enterprise') => keys.get(tier)!.authorization!.replace('Bearer ', '')

beforeAll(async () => {
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', path.join(root, 'clients/typescript'), '--outDir', folder])
  ;({ Coinstrata: Client, RequestError } = await import(pathToFileURL(path.join(folder, 'client.js')).href))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('rows have the requested columns with their types', async () => {
  const service = new Client({ url: server.url, key: keyOf('pro') })
  const { data, meta } = await service.get('/v1/prices', { limit: 3 }, ['close', 'volume'])
  const closes: (number | null | undefined)[] = data.map(({ close }) => close)
  const dates: string[] = data.map(({ date }) => date)
  expect([closes.length, dates.length, meta.generation.length > 0]).toEqual([3, 3, true])
  expect(Object.keys(data[0] ?? {})).toEqual(['date', 'close', 'volume'])
  const [usual] = (await service.get('/v1/prices', { limit: 1 })).data
  expect(usual?.market_cap).toBeGreaterThan(0)
  const [series] = (await service.get('/v1/series', { metrics: 'price,mvrv', limit: 1 })).data
  expect(series?.price).toBe(usual?.price)
  const [fund] = (await service.get('/v1/etf/registry', { limit: 1 })).data
  const issuer: string | null | undefined = fund?.issuer
  expect(issuer).toBeTruthy()
  const [definition] = (await service.get('/v1/metrics/{metric_id}', { metric_id: 'mvrv' })).data
  expect(definition?.name).toBe('MVRV')
})

test('unknown fields do not compile, and the service refuses them', async () => {
  const service = new Client({ url: server.url, key: keyOf('pro') })
  const refusal = { status: 400, code: 'invalid_parameter', details: { parameter: 'fields' } }
  // @ts-expect-error: a typing error in the name of a column
  await expect(service.get('/v1/prices', {}, ['date', 'clsoe'])).rejects.toMatchObject(refusal)
  // @ts-expect-error: a field of another endpoint
  await expect(service.get('/v1/etf/registry', {}, ['close'])).rejects.toMatchObject(refusal)
  // @ts-expect-error: a metric of another endpoint
  await expect(service.rows('/v1/coindays', {}, ['mvrv']).next()).rejects.toMatchObject(refusal)
  // @ts-expect-error: the rows have no such field
  expect((await service.get('/v1/prices', { limit: 1 })).data[0]?.clsoe).toBeUndefined()
  const [row] = (await service.get('/v1/prices', { limit: 1 }, ['ath', 'close'])).data
  const ath: number | null | undefined = row?.ath
  expect(ath).toBeGreaterThan(0)
  const [whole] = (await service.get('/v1/prices', { limit: 1 }, ['all'])).data
  expect(whole?.ath).toBe(ath)
})

test('it draws charts', async () => {
  const png = await new Client({ url: server.url, key: keyOf('pro') }).chart({ metric: 'price', days: 30 })
  expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG')
})

test('it reads all pages', async () => {
  const [[count]] = (await rowsOf(`SELECT count(*) FROM ${publishedTable(chain.dataDir, 'cost_basis')}`)) as [[string]]
  const service = new Client({ url: server.url, key: keyOf('enterprise') })
  let [rows, sats] = [0, 0]
  for await (const row of service.rows('/v1/cost-basis', { start_date: isoDate(firstDay) }, ['supply_sats'])) {
    rows++
    sats += row.supply_sats ?? 0
  }
  expect(rows).toBe(Number(count))
  expect([rows > 10_000, sats > 0]).toEqual([true, true])
})

test('rows fail if the tier does not see all of them, unless a part is accepted', async () => {
  const service = new Client({ url: server.url })
  const all = { metrics: 'price', start_date: isoDate(firstDay) }
  await expect(service.rows('/v1/series', all).next()).rejects.toMatchObject({
    name: 'PartialAnswerError',
    message: expect.stringMatching(
      /^\/v1\/series answers only a part to this caller: no days before \d{4}-\d\d-\d\d\. /,
    ),
    meta: { history_limited_to: expect.any(String) },
  })
  const some = { metrics: 'price,sopr', limit: 3 }
  await expect(service.rows('/v1/series', some).next()).rejects.toMatchObject({
    message: expect.stringContaining('no sopr below tier pro'),
    meta: { withheld: ['sopr'], withheld_tier: 'pro' },
  })
  let days = 0
  for await (const _ of service.rows('/v1/series', all, undefined, { partial: true })) days++
  expect(days).toBe(60)
  // A key of tier pro sees the whole history.
  const { value } = await new Client({ url: server.url, key: keyOf('pro') }).rows('/v1/series', all).next()
  expect(value?.price).toBeGreaterThan(0)
})

test('if a limit is exceeded, it waits as requested and tries again, or fails if it may not wait', async () => {
  const limited = await serve(chain.dataDir, { REQUESTS_PER_MINUTE: '2' })
  // The server's rate limit reads this clock.
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const hasty = new Client({ url: limited.url, maxWait: 0 })
    const failures: unknown[] = []
    for (let i = 0; i < 3; i++)
      await hasty.get('/v1/prices', { limit: 1 }).catch((error: unknown) => failures.push(error))
    expect(failures).toEqual([expect.objectContaining({ status: 429, code: 'rate_limited' })])
    expect(failures[0]).toBeInstanceOf(RequestError)

    // The limit's window ends in half a second.
    vi.setSystemTime(Date.now() + 59_500)
    setTimeout(() => vi.setSystemTime(Date.now() + 1_000), 100)
    const begin = performance.now()
    const { data } = await new Client({ url: limited.url }).get('/v1/prices', { limit: 1 })
    expect(data).toHaveLength(1)
    expect(performance.now() - begin).toBeGreaterThan(990)
  } finally {
    vi.useRealTimers()
    await limited.close()
  }
  // Typed `string | undefined`, which exactOptionalPropertyTypes rejects for `key?: string`.
  const without = new Client({ url: server.url, key: process.env.COINSTRATA_NO_SUCH_KEY })
  await expect(without.get('/v1/holder/profit')).rejects.toMatchObject({ status: 401, code: 'missing_api_key' })
})

test('an unchanged answer is not sent again, and a service that does not answer is a RequestError', async () => {
  const service = new Client({ url: server.url })
  const fetched = vi.spyOn(globalThis, 'fetch')
  try {
    const query = { metrics: 'price', limit: 2 }
    const first = await service.get('/v1/series', query)
    expect(await service.get('/v1/series', query)).toEqual(first)
    const statuses = fetched.mock.settledResults.map(({ value }) => value.status)
    expect(statuses).toEqual([200, 304])
  } finally {
    fetched.mockRestore()
  }
  // Nothing listens on port 1.
  await expect(new Client({ url: 'http://127.0.0.1:1' }).get('/v1/prices')).rejects.toMatchObject({
    name: 'RequestError',
    status: 0,
    code: 'unreachable',
    message: expect.stringContaining('127.0.0.1:1'),
  })
})

test('the programs of its README run as they stand there, but for the address', async () => {
  const readme = readFileSync(path.join(root, 'clients/typescript/README.md'), 'utf8')
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(folder, path.join(folder, 'node_modules/coinstrata-client'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', exports: './client.js' }))
  const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g)]
  expect(programs).toHaveLength(3)
  for (const [i, [, program = '', printed = '']] of programs.entries()) {
    const file = path.join(folder, `readme-${i}.ts`)
    writeFileSync(file, program.replace('http://127.0.0.1:3000', server.url))
    const env = { ...process.env, COINSTRATA_API_KEY: keyOf('enterprise') }
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
    if (printed) expect(stdout).toBe(printed)
    else expect(stdout).toMatch(/^\d{4}-\d\d-\d\d [\d.]+\n\d+ days on which/)
  }
})
