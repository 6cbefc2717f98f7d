import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createAccount,
  createKey,
  createTrialKey,
  listAccounts,
  listKeys,
  revokeKey,
  setTier,
  trialKey,
} from '#accounts/commands.ts'
import { openAccountStores } from '#accounts/services.ts'
import { CoinstrataError } from '#base/errors.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { bearer, password, signIn } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'
import { temporaryFolder } from '../support/program.ts'

serveOwnFolder({}, publishSmallGeneration)
let documented: Documented

beforeAll(async () => {
  documented = await Documented.read(server.url)
})

/** A browser that has signed in to an account of its own. */
async function signedIn(email: string, tier: 'free' | 'pro' = 'free'): Promise<Visitor> {
  const visitor = new Visitor(server, documented)
  visitor.cookie = await signIn(server, dataDir, email, tier)
  return visitor
}

describe('over HTTP', () => {
  test('a signed-in free account sees 365 days and cannot create keys', async () => {
    const visitor = await signedIn('free@example.org')
    const response = await fetch(`${server.url}/v1/prices?limit=10000`, { headers: { cookie: visitor.cookie } })
    expect((await response.json()).count).toBe(365)
    const refused = await visitor.post('/v1/keys', { name: 'x' })
    expect([refused.status, refused.answer.error?.code]).toEqual([403, 'insufficient_tier'])
  })

  test('keys are created, shown once, listed, used and revoked', async () => {
    const visitor = await signedIn('keys@example.org', 'pro')
    const created = await visitor.post('/v1/keys', { name: 'laptop', expires_in_days: 7 })
    const { id, key, expires_at } = created.answer.data[0]!
    expect([created.status, key.startsWith(`${id}_`)]).toEqual([201, true])
    expect(Math.round((Date.parse(expires_at!) - Date.now()) / 86_400_000)).toBe(7)
    expect((await fetch(`${server.url}/v1/holder/profit`, { headers: bearer(key) })).status).toBe(200)

    const listed = await visitor.get('/v1/keys')
    expect(listed.answer.data).toMatchObject([{ id, name: 'laptop', revoked_at: null, requests_today: 1 }])
    expect(Date.now() - Date.parse(listed.answer.data[0]!.last_used_at!)).toBeLessThan(60_000)
    expect(JSON.stringify(listed.answer)).not.toContain(key)

    const later = (await visitor.post('/v1/keys', { name: 'phone' })).answer.data[0]!
    const both = (await visitor.get('/v1/keys')).answer.data
    expect(both.map(({ requests_today }) => requests_today)).toEqual([0, 1])
    const page = async (query: string) => {
      const response = await fetch(`${server.url}/v1/keys?${query}`, { headers: { cookie: visitor.cookie } })
      const { data = [], meta, error } = await response.json()
      return [data.map((one: { id: string }) => one.id), meta?.next_offset ?? error?.code]
    }
    expect(await page('')).toEqual([[later.id, id], undefined])
    expect(await page('limit=1')).toEqual([[later.id], 1])
    expect(await page('limit=1&offset=1')).toEqual([[id], undefined])
    expect(await page('limit=0')).toEqual([[], 'invalid_parameter'])

    const revoked = (await visitor.delete(`/v1/keys/${id}`)).answer.data[0]!
    expect([revoked.revoked_at === null, revoked.requests_today]).toEqual([false, 1])
    const refused = await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })
    expect([refused.status, (await refused.json()).message]).toEqual([401, expect.stringContaining('revoked')])
    expect((await visitor.delete(`/v1/keys/${id}`)).status).toBe(404)
  })

  test('an account has at most 100 keys in force', async () => {
    const visitor = await signedIn('many@example.org', 'pro')
    const services = await openAccountStores({ DATA_DIR: dataDir })
    const { id } = await services.accounts.require('many@example.org')
    for (let i = 0; i < 99; i++) await services.keys.create(id, `key ${i}`)
    await services.keys.create(id, 'expired', Date.now() - 1)
    await services.close()
    expect((await visitor.post('/v1/keys', { name: 'the last' })).status).toBe(201)
    const refused = await visitor.post('/v1/keys', { name: 'one more' })
    expect([refused.status, refused.answer.error?.code]).toEqual([403, 'forbidden'])
  })

  test('nobody reaches the keys of another account', async () => {
    const [one, two] = [await signedIn('one@example.org', 'pro'), await signedIn('two@example.org', 'pro')]
    const { id, key } = (await one.post('/v1/keys', { name: 'mine' })).answer.data[0]!
    expect((await two.delete(`/v1/keys/${id}`)).status).toBe(404)
    expect((await two.get('/v1/keys')).answer.data).toEqual([])
    // A key opens data; keys are made by people who are signed in, and not beside a key.
    for (const headers of [bearer(key), { ...bearer(key), cookie: one.cookie }]) {
      expect((await fetch(`${server.url}/v1/keys`, { headers })).status).toBe(401)
    }
  })

  test('usage counts the requests of the day, by key and endpoint', async () => {
    const visitor = await signedIn('usage@example.org', 'pro')
    const { cookie } = visitor
    const { id, key } = (await visitor.post('/v1/keys', { name: 'used' })).answer.data[0]!
    for (let i = 0; i < 3; i++) await fetch(`${server.url}/v1/prices`, { headers: { cookie } })
    for (let i = 0; i < 2; i++) await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })
    await fetch(`${server.url}/v1/coindays?limit=x`, { headers: bearer(key) })
    const date = new Date().toISOString().slice(0, 10)
    expect((await visitor.get('/v1/usage')).answer.data).toEqual([
      { date, key: null, endpoint: '/v1/prices', requests: 3 },
      { date, key: id, endpoint: '/v1/prices', requests: 2 },
      { date, key: null, endpoint: 'GET /v1/usage', requests: 1 },
      { date, key: null, endpoint: 'POST /v1/keys', requests: 1 },
      { date, key: id, endpoint: '/v1/coindays', requests: 1 },
    ])
    // With a key, what it asked itself.
    const own = await fetch(`${server.url}/v1/usage`, { headers: bearer(key) })
    const { data, meta } = await own.json()
    expect(meta.budgets.map(({ budget }: { budget: string }) => budget)).toEqual(['cells', 'renders'])
    expect(data).toEqual([
      { date, key: id, endpoint: '/v1/prices', requests: 2 },
      { date, key: id, endpoint: '/v1/coindays', requests: 1 },
      { date, key: id, endpoint: 'GET /v1/usage', requests: 1 },
    ])
    expect((await fetch(`${server.url}/v1/usage`)).status).toBe(401)
    const account = (await visitor.get('/v1/account')).answer.data[0]!
    expect([account.requests_today, account.requests_per_day]).toEqual([10, 1_000_000])
    // Nobody else's, also where one id begins with the other.
    expect((await (await signedIn('nothing@example.org')).get('/v1/usage')).answer.data).toHaveLength(1)
  })
})

describe('by command', () => {
  test('accounts are created, listed and given tiers', async () => {
    expect(await createAccount({ DATA_DIR: dataDir }, 'cli@example.org', 'enterprise')).toContain('enterprise')
    expect(await setTier({ DATA_DIR: dataDir }, 'cli@example.org', 'pro')).toContain('now has tier pro')
    expect(await listAccounts({ DATA_DIR: dataDir })).toMatch(/cli@example\.org +pro/)
    await expect(createAccount({ DATA_DIR: dataDir }, 'CLI@example.org', 'pro')).rejects.toThrow(CoinstrataError)
    await expect(createAccount({ DATA_DIR: dataDir }, 'cli', 'pro')).rejects.toThrow("'cli' is not an e-mail address")
    await expect(createAccount({ DATA_DIR: dataDir }, 'weak@example.org', 'pro', 'Password1234')).rejects.toThrow(
      'most common',
    )
    await expect(createAccount({ DATA_DIR: dataDir }, 'weak@example.org', 'pro', 'short')).rejects.toThrow(
      'fewer than 12',
    )
    await expect(setTier({ DATA_DIR: dataDir }, 'cli@example.org', 'gold')).rejects.toThrow("'gold' is not a tier")
    await expect(setTier({ DATA_DIR: dataDir }, 'nobody@example.org', 'pro')).rejects.toThrow('there is no account')
  })

  test('keys are created, listed and revoked, and a running server hears of it', async () => {
    await createAccount({ DATA_DIR: dataDir }, 'keys.cli@example.org', 'enterprise')
    const key = (await createKey({ DATA_DIR: dataDir }, 'keys.cli@example.org', 'nightly', 30)).split('\n')[0]!
    const id = key.split('_', 2).join('_')
    const status = async () => (await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })).status
    expect(await status()).toBe(200)
    expect(await listKeys({ DATA_DIR: dataDir }, 'keys.cli@example.org')).toMatch(
      new RegExp(`${id} +nightly .*valid until`),
    )
    expect(await revokeKey({ DATA_DIR: dataDir }, id)).toBe(`key ${id} (nightly) is revoked\n`)
    await expect.poll(status, { timeout: 10_000 }).toBe(401)
    await expect(revokeKey({ DATA_DIR: dataDir }, id)).rejects.toThrow('no valid key')
  })

  test('an account of tier free is given no key, and its operator is told what to do', async () => {
    await createAccount({ DATA_DIR: dataDir }, 'free.cli@example.org', 'free')
    await expect(createKey({ DATA_DIR: dataDir }, 'free.cli@example.org', 'x')).rejects.toMatchObject({
      code: 'invalid_argument',
      cure: expect.stringContaining('accounts set-tier free.cli@example.org pro'),
    })
    expect(await listKeys({ DATA_DIR: dataDir }, 'free.cli@example.org')).not.toContain('cs_')
  })

  test('a tier that is taken away closes its keys', async () => {
    await createAccount({ DATA_DIR: dataDir }, 'down@example.org', 'pro')
    const key = (await createKey({ DATA_DIR: dataDir }, 'down@example.org', 'x')).split('\n')[0]!
    const code = async () =>
      (await (await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })).json()).error?.code
    expect(await code()).toBeUndefined()
    await setTier({ DATA_DIR: dataDir }, 'down@example.org', 'free')
    await expect.poll(code, { timeout: 10_000 }).toBe('insufficient_tier')
  })

  test('a trial key opens everything', async () => {
    const headers = bearer(await createTrialKey({ DATA_DIR: dataDir }))
    expect((await fetch(`${server.url}/v1/series?metrics=density`, { headers })).status).toBe(200)
    expect(
      (await fetch(`${server.url}/v1/prices`, { headers: bearer(await createTrialKey({ DATA_DIR: dataDir })) })).status,
    ).toBe(200)
  })
})

test('a trial key is made once, and again only after it is no longer valid', async () => {
  const place = { DATA_DIR: temporaryFolder('trial-key') }
  onTestFinished(() => rmSync(place.DATA_DIR, { recursive: true }))
  const made = await trialKey(place)
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  expect([made, await trialKey(place)]).toEqual([{ key: expect.stringMatching(/^cs_/) }, { validUntil: until }])
  if ('key' in made) await revokeKey(place, made.key.split('_', 2).join('_'))
  expect(await trialKey(place)).toEqual({ key: expect.stringMatching(/^cs_/) })
})

test('an expired key says so', async () => {
  const services = await openAccountStores({ DATA_DIR: dataDir })
  const { key } = (await services.keys.create(1, 'old', Date.UTC(2024, 0, 31)))!
  expect(await services.keys.check(key)).toEqual({ problem: 'expired', at: Date.UTC(2024, 0, 31) })
  expect(await services.keys.check(key, undefined, Date.UTC(2024, 0, 30))).toMatchObject({ accountId: 1 })
  expect(await services.keys.check(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toEqual({
    problem: 'unknown',
  })
  await services.close()
})

test('neither keys nor passwords are stored, and only the operator can read the file', async () => {
  await createAccount({ DATA_DIR: dataDir }, 'secret@example.org', 'pro', password)
  const key = (await createKey({ DATA_DIR: dataDir }, 'secret@example.org', 'x')).split('\n')[0]!
  const files = ['accounts.db', 'accounts.db-wal'].map((name) => path.join(dataDir, 'state', name)).filter(existsSync)
  const stored = Buffer.concat(files.map((file) => readFileSync(file))).toString('latin1')
  expect(stored).toContain('secret@example.org')
  for (const secret of [key.split('_')[2]!, password]) expect(stored).not.toContain(secret)
  for (const file of files) expect(statSync(file).mode & 0o077).toBe(0)
})
