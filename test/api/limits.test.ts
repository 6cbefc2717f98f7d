import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiSettings } from '#api/settings.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { bearer, keyOf, serve, type TestServer, temporaryDataDir } from './support/test-server.ts'

let folder: ReturnType<typeof temporaryDataDir>
const servers: TestServer[] = []

beforeEach(async () => {
  folder = temporaryDataDir()
  await publishSmallGeneration(folder.dataDir)
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  folder.remove()
})

async function start(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const server = await serve(folder.dataDir, settings)
  servers.push(server)
  return server
}

async function statuses(count: number, ask: () => Promise<Response>): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < count; i++) {
    const response = await ask()
    await response.text()
    found.push(response.status)
  }
  return found
}

const times = (count: number, status: number): number[] => new Array<number>(count).fill(status)

describe('in a minute', () => {
  test('exactly 100 requests of a caller to an endpoint pass', async () => {
    const { url } = await start()
    const ask = () => fetch(`${url}/v1/prices?limit=1`)
    expect(await statuses(100, ask)).toEqual(times(100, 200))
    const refused = await ask()
    const body = await refused.json()
    const wait = Number(refused.headers.get('retry-after'))
    expect([refused.status, body.error.code, body.retry_after]).toEqual([429, 'rate_limited', wait])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(Number(refused.headers.get('x-ratelimit-reset')) - Date.now() / 1000).toBeLessThanOrEqual(61)
    expect((await fetch(`${url}/v1/blockchain?limit=1`)).status).toBe(200)
    expect((await fetch(`${url}/v1/blockchain/block_height?limit=1`)).status).toBe(200)
  })

  test('exactly 50 requests pass to the UTXO history', async () => {
    const { url } = await start()
    // Its table is not there, which is no refusal.
    const found = await statuses(51, () => fetch(`${url}/v1/utxo/history?start_date=2099-01-01`))
    expect(found).toEqual([...times(50, 200), 429])
  })

  test('refused requests of every kind count, and the window is the template of the path', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '4' })
    const asked = ['mvrv', 'price', 'nope', 'price?limit=x', 'price']
    const found: number[] = []
    for (const id of asked) found.push((await fetch(`${url}/v1/metrics/${id}`)).status)
    expect(found).toEqual([404, 200, 404, 400, 429])
    expect(await statuses(5, () => fetch(`${url}/nowhere`))).toEqual([404, 404, 404, 404, 429])
    const broken = await statuses(5, () => fetch(`${url}/v1/coindays`, { headers: bearer('cs_broken') }))
    expect(broken).toEqual([401, 401, 401, 401, 429])
  })

  test('accounts and addresses do not touch each other', async () => {
    const [one, two] = [
      await keyOf(folder.dataDir, 'pro', 'one@example.org'),
      await keyOf(folder.dataDir, 'pro', 'two@example.org'),
    ]
    const { url } = await start({ REQUESTS_PER_MINUTE: '3' })
    const ask =
      (headers = {}) =>
      () =>
        fetch(`${url}/v1/prices?limit=1`, { headers })
    expect(await statuses(4, ask(bearer(one)))).toEqual([200, 200, 200, 429])
    expect(await statuses(4, ask(bearer(two)))).toEqual([200, 200, 200, 429])
    expect(await statuses(4, ask())).toEqual([200, 200, 200, 429])
  })

  test('the keys of one account are one caller', async () => {
    const first = await keyOf(folder.dataDir, 'pro', 'one@example.org')
    const { createKey } = await import('#accounts/commands.ts')
    const second = (await createKey({ DATA_DIR: folder.dataDir }, 'one@example.org', 'other')).split('\n')[0]!
    const { url } = await start({ REQUESTS_PER_MINUTE: '2' })
    const found = [first, second, first].map(async (key) => fetch(`${url}/v1/prices`, { headers: bearer(key) }))
    expect((await Promise.all(found)).map(({ status }) => status).sort()).toEqual([200, 200, 429])
  })

  test('a made-up X-Forwarded-For is no other address', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3' })
    let n = 0
    const ask = () =>
      fetch(`${url}/v1/prices`, { headers: { 'x-forwarded-for': `203.0.113.${n++}`, forwarded: `for=203.0.113.${n}` } })
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 429])
  })

  test('what a proxy passes on that is no address is not taken for one', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' })
    let n = 0
    const ask = () => fetch(`${url}/v1/prices`, { headers: { 'x-forwarded-for': `nobody-${n++}` } })
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 429])
  })

  test('behind one trusted proxy the address before it counts, and nothing that the caller adds', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' })
    let n = 0
    const from = (address: string) => () =>
      fetch(`${url}/v1/prices`, { headers: { 'x-forwarded-for': `198.51.100.${n++}, ${address}` } })
    expect(await statuses(4, from('203.0.113.1'))).toEqual([200, 200, 200, 429])
    expect(await statuses(1, from('203.0.113.2'))).toEqual([200])
    const near = ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1:ffff::3', '2001:db8:1:1::4']
    const found = await Promise.all(near.map((address) => from(address)()))
    expect(found.filter(({ status }) => status === 429)).toHaveLength(1)
    expect(await statuses(1, from('2001:db8:1:2::1'))).toEqual([200])
  })

  test.each([
    [
      'a port',
      (address: string) => ({ 'x-forwarded-for': address.includes(':') ? `[${address}]:443` : `${address}:51432` }),
    ],
    ['brackets', (address: string) => ({ 'x-forwarded-for': address.includes(':') ? `[${address}]` : address })],
    [
      'RFC 7239',
      (address: string) => ({ forwarded: `proto=https;For="${address.includes(':') ? `[${address}]:9` : address}"` }),
    ],
  ])('an address that a proxy passes on with %s is one caller', async (_, headersFor) => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' })
    for (const address of ['203.0.113.1', '203.0.113.2', '2001:db8:1:1::1']) {
      const ask = () => fetch(`${url}/v1/prices`, { headers: headersFor(address) })
      expect([address, await statuses(4, ask)]).toEqual([address, [200, 200, 200, 429]])
    }
  })

  test('a trusted proxy that names itself with a port is not the caller', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '127.0.0.1,10.0.0.0/8' })
    const from = (address: string) => () =>
      fetch(`${url}/v1/prices`, { headers: { 'x-forwarded-for': `${address}:80, 10.1.2.3:443` } })
    expect(await statuses(4, from('203.0.113.1'))).toEqual([200, 200, 200, 429])
    expect(await statuses(1, from('203.0.113.2'))).toEqual([200])
  })

  test('of two headers, only X-Forwarded-For counts', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' })
    let n = 0
    const ask = () =>
      fetch(`${url}/v1/prices`, { headers: { 'x-forwarded-for': '203.0.113.1', forwarded: `for=198.51.100.${n++}` } })
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 429])
  })

  test('counts survive a restart', async () => {
    const first = await start({ REQUESTS_PER_MINUTE: '3' })
    expect(await statuses(2, () => fetch(`${first.url}/v1/prices`))).toEqual([200, 200])
    await servers.pop()!.close()
    const second = await start({ REQUESTS_PER_MINUTE: '3' })
    expect(await statuses(2, () => fetch(`${second.url}/v1/prices`))).toEqual([200, 429])
  })

  test('every limited answer announces what is left, unless shared caches may give it to others', async () => {
    const { url } = await start()
    const headers = bearer(await keyOf(folder.dataDir, 'pro'))
    const made = await fetch(`${url}/v1/prices`, { headers })
    const cells = Number(
      /"day";r=9999;t=\d+, "cells";r=(\d+);t=(?:59|60), "renders";r=30;t=0$/.exec(
        made.headers.get('ratelimit') ?? '',
      )?.[1],
    )
    const { data } = await made.json()
    // The usual budget, less the cells of the answer.
    expect(cells).toBeGreaterThanOrEqual(50_000_000 - data.length * Object.keys(data[0]).length)
    expect(cells).toBeLessThanOrEqual(50_000_000)
    expect(made.headers.get('ratelimit-policy')).toMatch(/"cells";q=50000000;w=60, "renders";q=30;w=60$/)
    const { headers: second } = await fetch(`${url}/v1/prices`, { headers })
    expect(second.get('ratelimit')).toMatch(/^"minute";r=98;t=(59|60), "day";r=9998;t=\d{1,5}$/)
    expect(second.get('ratelimit-policy')).toBe('"minute";q=100;w=60, "day";q=10000;w=86400')
    expect([second.get('x-ratelimit-limit'), second.get('x-ratelimit-remaining')]).toEqual(['100', '98'])
    expect((await fetch(`${url}/health`)).headers.get('ratelimit')).toBeNull()

    const names = (answer: Response) => [...answer.headers.keys()].filter((name) => name.includes('ratelimit'))
    // Read for the first time, from the cache, and unchanged.
    const etag = (await fetch(`${url}/v1/coindays`)).headers.get('etag') ?? ''
    for (const known of ['', etag]) {
      const answer = await fetch(`${url}/v1/coindays`, { headers: { 'if-none-match': known } })
      expect([answer.status, names(answer)]).toEqual([known === '' ? 200 : 304, []])
    }
    const refused = await fetch(`${url}/v1/series?metrics=nupl`)
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([401, expect.stringContaining('"minute";r=99')])
  })
})

describe('on a day', () => {
  test('a quota holds over all endpoints and across a restart', async () => {
    const key = await keyOf(folder.dataDir, 'pro')
    const settings = { PRO_DAILY_REQUESTS: '5' }
    const first = await start(settings)
    const headers = bearer(key)
    for (const target of ['prices', 'coindays', 'blockchain']) await fetch(`${first.url}/v1/${target}`, { headers })
    await servers.pop()!.close()
    const { url } = await start(settings)
    expect(await statuses(2, () => fetch(`${url}/v1/metrics`, { headers }))).toEqual([200, 200])
    const refused = await fetch(`${url}/v1/metrics`, { headers })
    const body = await refused.json()
    const untilMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400)
    expect([refused.status, body.error.code]).toEqual([429, 'quota_exceeded'])
    expect(Math.abs(body.retry_after - untilMidnight)).toBeLessThanOrEqual(2)
    expect(refused.headers.get('ratelimit-policy')).toContain('"day";q=5;w=86400')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('98')
    expect((await fetch(`${url}/v1/metrics`)).status).toBe(200)
  })

  test('refusals of the minute do not use it up', async () => {
    const { url } = await start({ REQUESTS_PER_MINUTE: '2', DEMO_DAILY_REQUESTS: '3' })
    expect(await statuses(4, () => fetch(`${url}/v1/prices`))).toEqual([200, 200, 429, 429])
    expect((await fetch(`${url}/v1/coindays`)).status).toBe(200)
    const refused = await fetch(`${url}/v1/coindays`)
    expect((await refused.json()).error.code).toBe('quota_exceeded')
  })

  test('paid tiers have 10,000 and 100,000', () => {
    const settings = apiSettings.parse({})
    expect([settings.PRO_DAILY_REQUESTS, settings.ENTERPRISE_DAILY_REQUESTS]).toEqual([10_000, 100_000])
  })

  test('addresses are forgotten when it is over', async () => {
    await start()
    await servers.pop()!.close()
    const database = new DatabaseSync(path.join(folder.dataDir, 'state', 'limits.db'))
    const insert = database.prepare('INSERT INTO counters VALUES (?, ?, ?, 1)')
    for (const caller of ['address 203.0.113.1', 'account 1']) insert.run('day', caller, Date.now() - 1000)
    database.close()
    await start()
    await servers.pop()!.close()
    const again = new DatabaseSync(path.join(folder.dataDir, 'state', 'limits.db'))
    expect(again.prepare('SELECT caller FROM counters').all()).toEqual([{ caller: 'account 1' }])
    again.close()
  })
})
