import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createKey,
  createTrialKey,
  listAccounts,
  listKeys,
  revokeKey,
  setTier,
} from '#api/accounts/commands.ts'
import { openServices } from '#api/accounts/services.ts'
import { CoinstrataError } from '#root/errors.ts'
import { Documented } from './support/documented.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { bearer, serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer
let documented: Documented

beforeAll(async () => {
  await publishSmallGeneration(dataDir)
  server = await serve(dataDir, withoutLimits)
  documented = await Documented.read(server.url)
})
afterAll(async () => {
  await server?.close()
  remove()
})

const password = 'correct horse battery'
type Method = 'get' | 'post' | 'delete'

/** Asks as a browser with that cookie would, and checks the answer against the document. */
async function ask(method: Method, target: string, { body, cookie = '' }: { body?: unknown; cookie?: string } = {}) {
  const response = await fetch(server.url + target, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  const template = target.replace(/^\/v1\/keys\/.+/, '/v1/keys/{id}')
  expect(documented.problem(method, template, response.status, answer)).toBeUndefined()
  return { status: response.status, answer, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

const signUp = (email: string) => ask('post', '/v1/accounts', { body: { email, password } })

describe('over HTTP', () => {
  test('signing up makes a free account and signs in', async () => {
    const { status, answer, cookie } = await signUp('New@Example.org')
    expect([status, answer.data[0]]).toMatchObject([201, { email: 'new@example.org', tier: 'free' }])
    expect((await ask('get', '/v1/account', { cookie })).answer.data[0].email).toBe('new@example.org')
    expect((await signUp('new@example.org')).answer.error.code).toBe('account_exists')
  })

  test('the session cookie is for this site and no script', async () => {
    const body = JSON.stringify({ email: 'cookie@example.org', password })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/v1/accounts`, { method: 'post', headers, body })
    expect(response.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Strict$/)
    const other = { ...headers, 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${server.url}/v1/sessions`, { method: 'post', headers: other, body })).status).toBe(403)
  })

  test('signing in needs the right password', async () => {
    await signUp('in@example.org')
    const wrong = await ask('post', '/v1/sessions', { body: { email: 'in@example.org', password: 'wrong' } })
    const nobody = await ask('post', '/v1/sessions', { body: { email: 'out@example.org', password } })
    expect([wrong.status, wrong.answer.message]).toEqual([401, nobody.answer.message])
    const { status, cookie } = await ask('post', '/v1/sessions', { body: { email: 'in@example.org', password } })
    expect(status).toBe(201)
    expect((await ask('delete', '/v1/sessions/current', { cookie })).status).toBe(200)
    expect((await ask('get', '/v1/account', { cookie })).answer.error.code).toBe('invalid_credentials')
  })

  test('a signed-in free account sees 365 days and cannot create keys', async () => {
    const { cookie } = await signUp('free@example.org')
    const response = await fetch(`${server.url}/v1/prices?limit=10000`, { headers: { cookie } })
    expect((await response.json()).count).toBe(365)
    const refused = await ask('post', '/v1/keys', { body: { name: 'x' }, cookie })
    expect([refused.status, refused.answer.error.code]).toEqual([403, 'insufficient_tier'])
  })

  test('keys are created, shown once, listed, used and revoked', async () => {
    const { cookie } = await signUp('keys@example.org')
    await setTier(dataDir, 'keys@example.org', 'pro')
    const created = await ask('post', '/v1/keys', { body: { name: 'laptop', expires_in_days: 7 }, cookie })
    const { id, key, expires_at } = created.answer.data[0]
    expect([created.status, key.startsWith(`${id}_`)]).toEqual([201, true])
    expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(7)
    expect((await fetch(`${server.url}/v1/holder/profit`, { headers: bearer(key) })).status).toBe(200)

    const listed = await ask('get', '/v1/keys', { cookie })
    expect(listed.answer.data).toMatchObject([{ id, name: 'laptop', revoked_at: null }])
    expect(Date.now() - Date.parse(listed.answer.data[0].last_used_at)).toBeLessThan(60_000)
    expect(JSON.stringify(listed.answer)).not.toContain(key)

    expect((await ask('delete', `/v1/keys/${id}`, { cookie })).answer.data[0].revoked_at).not.toBeNull()
    const refused = await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })
    expect([refused.status, (await refused.json()).message]).toEqual([401, expect.stringContaining('revoked')])
    expect((await ask('delete', `/v1/keys/${id}`, { cookie })).status).toBe(404)
  })

  test('nobody reaches the keys of another account', async () => {
    const [one, two] = [await signUp('one@example.org'), await signUp('two@example.org')]
    await setTier(dataDir, 'one@example.org', 'pro')
    const { answer } = await ask('post', '/v1/keys', { body: { name: 'mine' }, cookie: one.cookie })
    const { id, key } = answer.data[0]
    expect((await ask('delete', `/v1/keys/${id}`, { cookie: two.cookie })).status).toBe(404)
    expect((await ask('get', '/v1/keys', { cookie: two.cookie })).answer.data).toEqual([])
    // A key opens data; keys are made by people who are signed in.
    const byKey = await fetch(`${server.url}/v1/keys`, { headers: bearer(key) })
    expect(byKey.status).toBe(401)
  })

  test('usage counts the requests of the day', async () => {
    const { cookie } = await signUp('usage@example.org')
    for (let i = 0; i < 3; i++) await fetch(`${server.url}/v1/prices`, { headers: { cookie } })
    const { answer } = await ask('get', '/v1/usage', { cookie })
    expect(answer.data).toEqual([{ date: new Date().toISOString().slice(0, 10), requests: 4 }])
  })

  test.each([
    ['no e-mail address', { email: 'x', password }, "'email'"],
    ['a short password', { email: 'a@example.org', password: 'short' }, 'at least 12'],
    ['a password of another type', { email: 'a@example.org', password: 12 }, "'password'"],
    ['a missing field', { email: 'a@example.org' }, "'password'"],
    ['an unknown field', { email: 'a@example.org', password, tier: 'enterprise' }, "'tier'"],
    ['a list', [], "'body'"],
    ['nothing', null, "'body'"],
  ])('signing up with %s is refused by name', async (_, body, named) => {
    const { status, answer } = await ask('post', '/v1/accounts', { body })
    expect([status, answer.error.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.message).toContain(named)
  })

  test('only JSON is read, and not much of it', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${server.url}/v1/accounts`, { method: 'post', headers, body })
    expect((await post({ 'content-type': 'text/plain' }, '{}')).status).toBe(415)
    expect((await post({ 'content-type': 'application/json' }, '{"email":')).status).toBe(400)
    expect((await post({ 'content-type': 'application/json' }, ' '.repeat(20_000))).status).toBe(413)
  })
})

describe('by command', () => {
  test('accounts are created, listed and given tiers', async () => {
    expect(await createAccount(dataDir, 'cli@example.org', 'enterprise')).toContain('enterprise')
    expect(await setTier(dataDir, 'cli@example.org', 'pro')).toContain('has tier pro now')
    expect(await listAccounts(dataDir)).toMatch(/cli@example\.org +pro/)
    await expect(createAccount(dataDir, 'CLI@example.org', 'pro')).rejects.toThrow(CoinstrataError)
    await expect(createAccount(dataDir, 'cli', 'pro')).rejects.toThrow("'cli' is no e-mail address")
    await expect(setTier(dataDir, 'cli@example.org', 'gold')).rejects.toThrow("'gold' is no tier")
    await expect(setTier(dataDir, 'nobody@example.org', 'pro')).rejects.toThrow('there is no account')
  })

  test('keys are created, listed and revoked, and a running server hears of it', async () => {
    await createAccount(dataDir, 'keys.cli@example.org', 'enterprise')
    const key = (await createKey(dataDir, 'keys.cli@example.org', 'nightly', 30)).split('\n')[0]!
    const id = key.split('_', 2).join('_')
    const status = async () => (await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })).status
    expect(await status()).toBe(200)
    expect(await listKeys(dataDir, 'keys.cli@example.org')).toMatch(new RegExp(`${id} +nightly .*in force until`))
    expect(await revokeKey(dataDir, id)).toContain('is revoked')
    await expect.poll(status, { timeout: 10_000 }).toBe(401)
    await expect(revokeKey(dataDir, id)).rejects.toThrow('no key')
  })

  test('a tier that is taken away closes its keys', async () => {
    await createAccount(dataDir, 'down@example.org', 'pro')
    const key = (await createKey(dataDir, 'down@example.org', 'x')).split('\n')[0]!
    const code = async () =>
      (await (await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })).json()).error?.code
    expect(await code()).toBeUndefined()
    await setTier(dataDir, 'down@example.org', 'free')
    await expect.poll(code, { timeout: 10_000 }).toBe('insufficient_tier')
  })

  test('a trial key opens everything', async () => {
    const headers = bearer(await createTrialKey(dataDir))
    expect((await fetch(`${server.url}/v1/series?metrics=density`, { headers })).status).toBe(200)
    expect((await fetch(`${server.url}/v1/prices`, { headers: bearer(await createTrialKey(dataDir)) })).status).toBe(
      200,
    )
  })
})

test('an expired key says so', () => {
  const services = openServices(dataDir)
  const { key } = services.keys.create(1, 'old', Date.UTC(2024, 0, 31))
  expect(services.keys.check(key)).toEqual({ problem: 'expired', at: Date.UTC(2024, 0, 31) })
  expect(services.keys.check(key, Date.UTC(2024, 0, 30))).toMatchObject({ accountId: 1 })
  expect(services.keys.check(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toEqual({ problem: 'unknown' })
  services.close()
})

test('neither keys nor passwords are stored, and only the operator can read the file', async () => {
  await createAccount(dataDir, 'secret@example.org', 'pro', password)
  const key = (await createKey(dataDir, 'secret@example.org', 'x')).split('\n')[0]!
  const files = ['accounts.db', 'accounts.db-wal'].map((name) => path.join(dataDir, 'state', name)).filter(existsSync)
  const stored = Buffer.concat(files.map((file) => readFileSync(file))).toString('latin1')
  expect(stored).toContain('secret@example.org')
  for (const secret of [key.split('_')[2]!, password]) expect(stored).not.toContain(secret)
  for (const file of files) expect(statSync(file).mode & 0o077).toBe(0)
})
