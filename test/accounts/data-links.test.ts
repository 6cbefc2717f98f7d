import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { createAccount, createKey, setTier } from '#accounts/commands.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { bearer, cheapPasswords, serve, signIn, temporaryDataDir, withoutLimits } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

serveOwnFolder({}, publishSmallGeneration)
let documented: Documented
beforeAll(async () => {
  documented = await Documented.read(server.url)
})

const request = '/v1/series?metrics=price,density&start_date=2024-02-01&order=asc'

async function signedIn(email: string, tier: 'free' | 'pro' | 'enterprise' = 'pro'): Promise<Visitor> {
  const visitor = new Visitor(server, documented)
  visitor.cookie = await signIn(server, dataDir, email, tier)
  return visitor
}

/** A link to the request, or to another; `url` without its ending. */
async function newLink(visitor: Visitor, limits: object = {}) {
  const { status, answer } = await visitor.post('/v1/keys', { name: 'sheet', limits: { request, ...limits } })
  expect(status).toBe(201)
  const { key, ...link } = answer.data[0]!
  const url = `${server.url}/p/${key}`
  return { ...link, key, csv_url: `${url}.csv`, parquet_url: `${url}.parquet` }
}

const change = (sql: string): void => {
  const database = new DatabaseSync(path.join(dataDir, 'state/accounts.db'))
  database.exec(sql)
  database.close()
}

test('a link gives its table as CSV and as Parquet, without a key', async () => {
  const owner = await signedIn('owner@example.org')
  const link = await newLink(owner)
  expect(link.key).toMatch(/^cd_[0-9a-f]{12}_[0-9a-f]{48}$/)
  const response = await fetch(link.csv_url)
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/)
  const rows = 'date,price\r\n2024-02-01,396\r\n2024-02-02,397\r\n2024-02-03,398\r\n2024-02-04,399\r\n'
  expect(await response.text()).toBe(`${rows}"This file is cut: no density below tier enterprise",,\r\n`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  })
  const etag = response.headers.get('etag')!
  expect((await fetch(link.csv_url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await fetch(link.csv_url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(link.csv_url, { method: 'POST' })).status).toBe(405)
  // Sheets and proxies append parameters of their own.
  expect((await fetch(`${link.csv_url}?format=json&metrics=density`)).headers.get('content-type')).toMatch(/csv/)
  const file = Buffer.from(await (await fetch(link.parquet_url)).arrayBuffer())
  expect([file.toString('latin1', 0, 4), file.toString('latin1', file.length - 4)]).toEqual(['PAR1', 'PAR1'])
  const [listed] = (await owner.get('/v1/keys')).answer.data
  expect(listed).toMatchObject({ id: link.id, name: 'sheet', limits: { request } })
  expect(JSON.stringify(listed)).not.toContain(link.key)
  expect(Math.round((Date.parse(listed!.expires_at!) - Date.now()) / 86_400_000)).toBe(365)
  const usage = (await owner.get('/v1/usage')).answer.data
  expect(usage).toContainEqual(expect.objectContaining({ key: link.id, endpoint: '/v1/series' }))
})

test('who asks does not matter: only the link counts, and it is no key for anything else', async () => {
  const link = await newLink(await signedIn('shared@example.org'))
  const expected = await (await fetch(link.csv_url)).text()
  const { cookie } = await signedIn('big@example.org', 'enterprise')
  const [key = ''] = (await createKey({ DATA_DIR: dataDir }, 'big@example.org', 'x')).split('\n')
  for (const headers of [{ cookie }, bearer(key), bearer('cs_x'), { accept: 'application/json' }])
    expect(await (await fetch(link.csv_url, { headers })).text()).toBe(expected)
  for (const target of ['/v1/prices', request, '/v1/usage', '/v1/alerts', '/v1/events', `/p/${link.key}.csv`])
    for (const headers of [bearer(link.key), { 'x-api-key': link.key }]) {
      const response = await fetch(server.url + target, { headers })
      expect([target, response.status]).toEqual([target, target.startsWith('/p/') ? 200 : 401])
      await response.body?.cancel()
    }
  // Nor is a key a link.
  for (const text of [key, key.replace('cs_', 'cd_'), link.key.replace('cd_', 'cs_')])
    expect((await fetch(`${server.url}/p/${text}.csv`)).status).toBeOneOf([401, 404])
})

test('a link can be limited to networks', async () => {
  const link = await newLink(await signedIn('networks@example.org'), { networks: ['192.0.2.0/24'] })
  const refused = await fetch(link.csv_url)
  expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'network_not_allowed'])
  const here = await newLink(await signedIn('networks@example.org'), { networks: ['127.0.0.1'] })
  expect((await fetch(here.csv_url)).status).toBe(200)
})

test('a link has the lower of its tier and that of the account', async () => {
  const owner = await signedIn('tiers@example.org', 'enterprise')
  const [whole, lower] = [await newLink(owner), await newLink(owner, { tier: 'pro' })]
  const head = async ({ csv_url }: { csv_url: string }) => (await (await fetch(csv_url)).text()).split('\r\n')[0]
  expect([await head(whole), await head(lower)]).toEqual(['date,price,density', 'date,price'])
  await setTier({ DATA_DIR: dataDir }, 'tiers@example.org', 'pro')
  await expect.poll(() => head(whole), { timeout: 5_000 }).toBe('date,price')
  expect(await head(lower)).toBe('date,price')
  await setTier({ DATA_DIR: dataDir }, 'tiers@example.org', 'free')
  await expect.poll(async () => (await fetch(whole.csv_url)).status, { timeout: 5_000 }).toBe(403)
  // A tier above that of the account has no effect.
  const above = await newLink(await signedIn('pro@example.org'), { tier: 'enterprise' })
  expect(await head(above)).toBe('date,price')
})

test('it ends at once: when it is revoked, expires, or its account is deleted', async () => {
  const owner = await signedIn('ends@example.org')
  const links = [await newLink(owner), await newLink(owner), await newLink(owner)]
  const statuses = () => Promise.all(links.map(async ({ csv_url }) => (await fetch(csv_url)).status))
  expect(await statuses()).toEqual([200, 200, 200])
  const stranger = await signedIn('stranger@example.org')
  expect((await stranger.delete(`/v1/keys/${links[0]!.id}`)).status).toBe(404)
  await owner.delete(`/v1/keys/${links[0]!.id}`)
  change(`UPDATE api_keys SET expires_at = 1 WHERE id = '${links[1]!.id}'`)
  expect((await statuses())[0]).toBe(401)
  await expect.poll(statuses, { timeout: 5_000 }).toEqual([401, 401, 200])
  const wrong = `${server.url}/p/cd_000000000000_${'0'.repeat(48)}.csv`
  const messageOf = async (url: string) => (await (await fetch(url)).json()).message
  expect(await Promise.all([links[0]!.csv_url, links[1]!.csv_url, wrong].map(messageOf))).toEqual([
    expect.stringMatching(/^the link was revoked on 20/),
    'the link expired on 1970-01-01: create a new one',
    'the link is unknown: check that you copied all of it',
  ])
  await owner.delete('/v1/account')
  expect(await statuses()).toEqual([401, 401, 401])
})

test('only its hash is stored, and guesses count for who guesses', async () => {
  const owner = await signedIn('hash@example.org')
  const link = await newLink(owner)
  await fetch(link.csv_url)
  const secret = link.key.split('_')[2]!
  const files = readdirSync(path.join(dataDir, 'state'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)))
  expect(files.some((bytes) => bytes.includes(link.id))).toBe(true)
  expect(files.some((bytes) => bytes.includes(secret))).toBe(false)
  const used = async () => (await owner.get('/v1/account')).answer.data[0]!.requests_today
  const before = await used()
  const guesses = ['.json', '.svg', '', '.csv.csv'].map((ending) => `${link.key}${ending}`)
  for (const name of [...guesses, `${link.id}_${'0'.repeat(48)}.csv`, `cd_${'0'.repeat(12)}_${'0'.repeat(48)}.csv`])
    expect([name, (await fetch(`${server.url}/p/${name}`)).status]).toEqual([name, expect.toBeOneOf([401, 404])])
  expect(await used()).toBe(before + 1)
})

test('it is for data alone, and what the data refuse is refused at once', async () => {
  const owner = await signedIn('wrong@example.org')
  const wrong = [
    '/v1/keys',
    '/v1/status',
    '/v1/tables/metrics_market.parquet',
    '/v1/chart/snapshot?metric=price',
    '/v1/nothing',
    '/v1/../v1/keys',
    'https://example.org/v1/prices',
    '/v1/prices?limit=0',
    '/v1/series?metrics=unknown&nothing=1',
    '/v1/prices?format=csv',
    '/v1/prices#x',
    '/v1/prices ',
  ]
  for (const one of wrong) {
    const { status, answer } = await owner.post('/v1/keys', { name: 'x', limits: { request: one } })
    expect([one, status, answer.error?.code]).toEqual([one, 400, 'invalid_parameter'])
  }
  for (const tier of ['demo', 'free', ''])
    expect((await owner.post('/v1/keys', { name: 'x', limits: { request, tier } })).status).toBe(400)
})

test('links are made by accounts of tier pro who have just given their password', async () => {
  const free = await signedIn('free@example.org', 'free')
  expect((await free.post('/v1/keys', { name: 'x', limits: { request } })).answer.error?.code).toBe('insufficient_tier')
  const owner = await signedIn('again@example.org')
  const [key = ''] = (await createKey({ DATA_DIR: dataDir }, 'again@example.org', 'x')).split('\n')
  const body = JSON.stringify({ name: 'x', limits: { request } })
  const headers = { ...bearer(key), 'content-type': 'application/json' }
  expect((await fetch(`${server.url}/v1/keys`, { method: 'POST', headers, body })).status).toBe(401)
  change('UPDATE sessions SET confirmed_at = 0')
  expect((await owner.post('/v1/keys', { name: 'x', limits: { request } })).answer.error?.code).toBe(
    'confirmation_needed',
  )
})

test('its requests count to the limits of its owner', async () => {
  const limited = await serve(dataDir, { ...withoutLimits, PRO_DAILY_REQUESTS: '4' }, { passwordCost: cheapPasswords })
  await createAccount({ DATA_DIR: dataDir }, 'limits@example.org', 'pro', 'correct horse battery')
  const owner = new Visitor(limited, documented)
  owner.cookie = await signIn(limited, dataDir, 'limits@example.org', 'pro')
  const csv_url = (await newLink(owner)).csv_url.replace(server.url, limited.url)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await fetch(csv_url)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await fetch(`${limited.url}/v1/prices`)).status).toBe(200)
  await limited.close()
})

test('under open access there are no accounts, and no links', async () => {
  const { dataDir: own, remove } = temporaryDataDir()
  await publishSmallGeneration(own)
  const open = await serve(own, { ...withoutLimits, ACCESS: 'open' })
  const answer = await new Visitor(open, documented).post('/v1/keys', { name: 'x', limits: { request } })
  expect([answer.status, answer.answer.error?.code]).toEqual([403, 'forbidden'])
  await open.close()
  remove()
})
