import { performance } from 'node:perf_hooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createResetLink, createTrialLink } from '#accounts/commands.ts'
import { openAccountStores } from '#accounts/services.ts'
import { linkAddress } from '#api/http/service-address.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { cheapPasswords, password, serve, signIn, withoutLimits } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

serveOwnFolder({ SIGN_UP: 'open', TRUST_PROXY: '1' })
let documented: Documented

beforeAll(async () => {
  documented = await Documented.read(server.url)
})

const visitor = (headers: Readonly<Record<string, string>> = {}) => new Visitor(server, documented, headers)
const settings = { DATA_DIR: dataDir, SIGN_UP: 'invited', HOST: '127.0.0.1', PORT: 3000, BASE_PATH: '' } as const
const linkTo = async (email: string, more: Partial<typeof settings> = {}) =>
  createResetLink({ ...settings, ...more }, linkAddress({ ...settings, ...more }), email, undefined, false)
const tokenIn = (text: string): string => /#link=([\w-]{43})\n/.exec(text)?.[1] ?? ''

describe('signing up', () => {
  test('answers alike whether the address has an account or not, and signs nobody in', async () => {
    const [anew, again] = [visitor(), visitor()]
    const first = await anew.post('/v1/accounts', { email: 'New@Example.org', password })
    const second = await again.post('/v1/accounts', { email: 'New@Example.org', password: 'another long password' })
    const untimed = ({ timestamp: _, ...rest }: Record<string, unknown>) => rest
    expect([first.status, untimed(first.answer)]).toEqual([second.status, untimed(second.answer)])
    expect([...first.headers.keys()]).toEqual([...second.headers.keys()])
    expect([first.status, anew.cookie, again.cookie]).toEqual([202, '', ''])
    // The account stays that of the first.
    const body = { email: 'new@example.org', password }
    expect((await anew.post('/v1/sessions', body)).answer.data[0]).toMatchObject({ email: body.email, tier: 'free' })
    expect((await again.post('/v1/sessions', { ...body, password: 'another long password' })).status).toBe(401)
  })

  test('takes as long either way, and so does signing in', async () => {
    const slow = await serve(dataDir, { ...withoutLimits, SIGN_UP: 'open' }, {})
    const timed = async (path: string, email: string): Promise<number> => {
      const began = performance.now()
      const response = await fetch(slow.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'some long password' }),
      })
      await response.text()
      return performance.now() - began
    }
    try {
      const asked = ['/v1/accounts', '/v1/sessions'].flatMap((path) =>
        ['new@example.org', `${path.length}@example.org`].map((email) => timed(path, email)),
      )
      const times = await Promise.all(asked)
      // Work takes 70 ms or 140; answers come after 350.
      for (const time of times) expect(time).toBeGreaterThanOrEqual(345)
      expect(Math.max(...times)).toBeLessThan(2 * Math.min(...times))
    } finally {
      await slow.close()
    }
  })

  test.each([
    ['no e-mail address', { email: 'x', password }, "'email'"],
    ['a short password', { email: 'a@example.org', password: 'short' }, 'at least 12'],
    ['a common password', { email: 'a@example.org', password: 'QwertyQwerty' }, 'most common'],
    ['its address as password', { email: 'somebody@example.org', password: 'Somebody@example.org' }, 'address'],
    ['few characters', { email: 'a@example.org', password: 'abcabcabcabcabcabc' }, 'different characters'],
    ['a password of another type', { email: 'a@example.org', password: 12 }, "'password'"],
    ['a missing field', { email: 'a@example.org' }, "'password'"],
    ['an unknown field', { email: 'a@example.org', password, tier: 'enterprise' }, "'tier'"],
    ['a list', [], "'body'"],
    ['nothing', null, "'body'"],
  ])('with %s is refused by name', async (_, body, named) => {
    const { status, answer } = await visitor().post('/v1/accounts', body)
    expect([status, answer.error?.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.message).toContain(named)
  })

  test('only JSON is read, and not much of it', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${server.url}/v1/accounts`, { method: 'post', headers, body })
    expect((await post({ 'content-type': 'text/plain' }, '{}')).status).toBe(415)
    expect((await post({ 'content-type': 'application/json' }, '{"email":')).status).toBe(400)
    expect((await post({ 'content-type': 'application/json' }, ' '.repeat(40_000))).status).toBe(413)
  })
})

describe('signing in', () => {
  test('needs the right password', async () => {
    await createAccount({ DATA_DIR: dataDir }, 'in@example.org', 'free', password)
    const guest = visitor()
    const wrong = await guest.post('/v1/sessions', { email: 'in@example.org', password: 'wrong' })
    const nobody = await guest.post('/v1/sessions', { email: 'out@example.org', password })
    const nonsense = await guest.post('/v1/sessions', { email: 'out', password })
    expect([wrong.status, wrong.answer.message]).toEqual([401, nobody.answer.message])
    expect(nonsense.answer.message).toBe(nobody.answer.message)
    expect((await guest.post('/v1/sessions', { email: 'in@example.org', password })).status).toBe(201)
    expect((await guest.delete('/v1/sessions/current')).status).toBe(200)
    expect([guest.cookie, (await guest.get('/v1/account')).answer.error?.code]).toEqual(['', 'invalid_credentials'])
  })

  test('ends the session that the browser had, and takes no token that it brings', async () => {
    const guest = visitor()
    guest.cookie = await signIn(server, dataDir, 'fixed@example.org')
    const before = guest.cookie
    await guest.post('/v1/sessions', { email: 'fixed@example.org', password })
    expect(guest.cookie).not.toBe(before)
    guest.cookie = before
    expect((await guest.get('/v1/account')).status).toBe(401)
    guest.cookie = `coinstrata_session=${'0'.repeat(64)}`
    await guest.post('/v1/sessions', { email: 'fixed@example.org', password })
    expect(guest.cookie).not.toContain('00000000')
  })

  test('sets a cookie for this site and no script, bound to this host over https', async () => {
    await createAccount({ DATA_DIR: dataDir }, 'cookie@example.org', 'free', password)
    const cookieOf = async (headers: Record<string, string>): Promise<string> => {
      const body = JSON.stringify({ email: 'cookie@example.org', password })
      const all = { 'content-type': 'application/json', ...headers }
      const response = await fetch(`${server.url}/v1/sessions`, { method: 'post', headers: all, body })
      return response.headers.getSetCookie()[0] ?? ''
    }
    const plain = await cookieOf({})
    expect(plain).toMatch(
      /^coinstrata_session=[0-9a-f]{64}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    )
    const https = { 'x-forwarded-proto': 'https' }
    const secure = await cookieOf(https)
    expect(secure).toMatch(
      /^__Host-coinstrata_session=\w+; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    )
    // Over https a cookie that a page over http, or another host of the domain, could have set
    // counts for nothing.
    const [pair = ''] = secure.split(';')
    const statusOf = async (cookie: string) =>
      (await fetch(`${server.url}/v1/account`, { headers: { ...https, cookie } })).status
    expect(await statusOf(pair)).toBe(200)
    expect(await statusOf(pair.replace('__Host-', ''))).toBe(401)
  })
})

describe('pages of other sites', () => {
  const cases: readonly (readonly [status: number, headers: Record<string, string>])[] = [
    [403, { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }],
    [403, { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' }],
    [403, { origin: 'https://other.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://127.0.0.1:1' }],
    [200, { 'sec-fetch-site': 'same-origin', origin: 'https://behind.proxy.example' }],
    [200, {}],
  ]
  test('cannot act with the cookie of a visitor', async () => {
    const cookie = await signIn(server, dataDir, 'target@example.org')
    for (const [status, headers] of cases) {
      const response = await fetch(`${server.url}/v1/sessions`, { method: 'DELETE', headers: { cookie, ...headers } })
      expect([headers, response.status]).toEqual([headers, status])
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
    const own = await fetch(`${server.url}/v1/sessions`, { method: 'DELETE', headers: { cookie, origin: server.url } })
    expect(own.status).toBe(200)
  })

  test('are told from this one by its public address, too', async () => {
    const named = await serve(dataDir, withoutLimits, {
      passwordCost: cheapPasswords,
      PUBLIC_URL: 'https://data.example.org/chain',
    })
    const statusFrom = async (origin: string) =>
      (await fetch(`${named.url}/v1/sessions`, { method: 'DELETE', headers: { origin } })).status
    expect([await statusFrom('https://data.example.org'), await statusFrom('https://example.org')]).toEqual([401, 403])
    await named.close()
  })
})

describe('links of the operator', () => {
  test('invite: whoever has the link chooses a password, once', async () => {
    const text = await linkTo('guest@example.org')
    expect(text).toMatch(
      /^http:\/\/127\.0\.0\.1:3000\/account#link=[\w-]{43}\nWith this link guest@example\.org can accept/,
    )
    const token = tokenIn(text)
    const guest = visitor()
    const looked = (await guest.post('/v1/one-time-links/lookup', { token })).answer.data
    expect(looked).toEqual([{ email: 'guest@example.org', is_invitation: true }])
    const weak = await guest.post('/v1/one-time-links', { token, password: '123456789012' })
    expect([weak.status, weak.answer.message]).toEqual([400, expect.stringContaining('most common')])
    const taken = await guest.post('/v1/one-time-links', { token, password })
    expect([taken.status, taken.answer.data]).toEqual([201, [{ email: 'guest@example.org', signed_in: true }]])
    expect((await guest.get('/v1/account')).answer.data[0]).toMatchObject({ has_password: true, tier: 'free' })
    for (const target of ['/v1/one-time-links/lookup', '/v1/one-time-links']) {
      const body = target.endsWith('lookup') ? { token } : { token, password }
      expect((await visitor().post(target, body)).status).toBe(404)
    }
  })

  test('set a new password, which ends all sessions', async () => {
    const before = visitor()
    before.cookie = await signIn(server, dataDir, 'lost@example.org')
    const token = tokenIn(await linkTo('lost@example.org'))
    const guest = visitor()
    expect((await guest.post('/v1/one-time-links/lookup', { token })).answer.data[0]!.is_invitation).toBe(false)
    await guest.post('/v1/one-time-links', { token, password: 'a brand new password' })
    expect((await before.get('/v1/account')).status).toBe(401)
    const signInWith = (given: string) => visitor().post('/v1/sessions', { email: 'lost@example.org', password: given })
    expect([(await signInWith(password)).status, (await signInWith('a brand new password')).status]).toEqual([401, 201])
  })

  test('hold for half an hour, and not beside a newer one', async () => {
    const [older, newer] = [tokenIn(await linkTo('two@example.org')), tokenIn(await linkTo('two@example.org'))]
    const statusOf = async (token: string) => (await visitor().post('/v1/one-time-links/lookup', { token })).status
    expect([await statusOf(older), await statusOf(newer)]).toEqual([404, 200])
    const services = await openAccountStores({ DATA_DIR: dataDir })
    const { id } = await services.accounts.require('two@example.org')
    const link = await services.links.create(id, 'password')
    expect(await services.links.find(link, 'trial')).toBeUndefined()
    const { now } = Date
    Date.now = () => now() + 31 * 60_000
    expect(await services.links.find(link, 'password')).toBeUndefined()
    expect(await services.links.redeem(link, 'password')).toBeUndefined()
    Date.now = now
    expect(await services.links.redeem(link, 'password')).toBe(id)
    await services.close()
  })

  test('invite nobody where sign-up is off, and give no other tier than an account has', async () => {
    const off = { ...settings, SIGN_UP: 'off' } as const
    await expect(createResetLink(off, linkAddress(off), 'nobody@example.org', undefined, false)).rejects.toThrow(
      'SIGN_UP=off',
    )
    expect(
      tokenIn(await createResetLink(settings, linkAddress(settings), 'paid@example.org', 'pro', false)),
    ).toHaveLength(43)
    expect(tokenIn(await createResetLink(off, linkAddress(off), 'paid@example.org', undefined, false))).toHaveLength(43)
    await expect(createResetLink(settings, linkAddress(settings), 'paid@example.org', 'free', false)).rejects.toThrow(
      'account of tier pro',
    )
    const publicly = { ...settings, PUBLIC_URL: 'https://data.example.org', BASE_PATH: '/chain' }
    expect(await linkTo('paid@example.org')).toContain(
      'another address than http://127.0.0.1:3000, set PORT or PUBLIC_URL',
    )
    expect(await createResetLink(publicly, linkAddress(publicly), 'paid@example.org', 'pro', false)).not.toContain(
      'another address',
    )
    expect(await createResetLink(publicly, linkAddress(publicly), 'paid@example.org', 'pro', false)).toMatch(
      /^https:\/\/data\.example\.org\/chain\/account#link=/,
    )
  })
})

test('a trial link signs a browser in once with everything open, and then leads on', async () => {
  const target = server.url + (await createTrialLink({ DATA_DIR: dataDir }))
  const open = (headers = {}, method = 'GET') => fetch(target, { headers, method, redirect: 'manual' })
  expect((await open({}, 'HEAD')).status).toBe(204)
  const first = await open()
  expect([first.status, first.headers.get('location'), first.headers.get('cache-control')]).toEqual([
    303,
    '/',
    'no-store',
  ])
  const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const access = await (await fetch(`${server.url}/v1/access`, { headers: { cookie } })).json()
  expect(access.data[0]).toMatchObject({ tier: 'enterprise', email: 'trial@localhost.localdomain' })
  const used = await open()
  expect([used.status, await used.text()]).toEqual([404, expect.stringContaining('"not_found"')])
  const page = await open({ accept: 'text/html,*/*;q=0.8' })
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<code>npm start</code>')
  expect((await open({ cookie })).status).toBe(303)
})

describe('who may make accounts', () => {
  test.each(['invited', 'off'] as const)('nobody by themselves where sign-up is %s', async (mode) => {
    const closed = await serve(dataDir, { ...withoutLimits, SIGN_UP: mode })
    const guest = new Visitor(closed, documented)
    const refused = await guest.post('/v1/accounts', { email: 'x@example.org', password })
    expect([refused.status, refused.answer.error?.code]).toEqual([403, 'sign_up_closed'])
    const [access] = (await guest.get('/v1/access')).answer.data
    // 127.0.0.1 is no name that passkeys could belong to.
    expect(access).toEqual({
      access: 'tiered',
      tier: 'demo',
      email: null,
      sign_up: mode,
      sign_up_mail: false,
      passkeys: false,
      alert_channels: ['webhook'],
    })
    await closed.close()
  })

  test('nobody needs one under open access', async () => {
    const open = await serve(dataDir, { ...withoutLimits, ACCESS: 'open' })
    const guest = new Visitor(open, documented)
    expect((await guest.get('/v1/access')).answer.data[0]).toMatchObject({ access: 'open', tier: 'enterprise' })
    for (const target of ['/v1/account', '/v1/keys']) expect((await guest.get(target)).status).toBe(403)
    expect((await guest.post('/v1/sessions', { email: 'in@example.org', password })).status).toBe(403)
    await open.close()
  })
})

describe('attempts', () => {
  test('count per network address, also with a cookie', async () => {
    const limits = { ...withoutLimits, REQUESTS_PER_MINUTE: '50', SIGN_UP: 'open', TRUST_PROXY: '1' }
    const limited = await serve(dataDir, limits)
    const services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
    const guest = new Visitor(limited, documented, { 'x-forwarded-for': '198.51.100.7' })
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) {
      const account = await services.accounts.create(`farm${i}@example.org`, 'free')
      guest.cookie = `coinstrata_session=${await services.sessions.start(account?.id ?? 0)}`
      statuses.push((await guest.post('/v1/accounts', { email: `farmed${i}@example.org`, password })).status)
    }
    await services.close()
    // A tenth of 50 requests a minute.
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429, 429])
    await limited.close()
  })

  test('are left where the quota of the day is used up', async () => {
    const limited = await serve(dataDir, { ...withoutLimits, DEMO_DAILY_REQUESTS: '2', TRUST_PROXY: '1' })
    const guest = new Visitor(limited, documented, { 'x-forwarded-for': '198.51.100.9' })
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await guest.get('/v1/access')).status)
    await createAccount({ DATA_DIR: dataDir }, 'late@example.org', 'free', password)
    const body = { email: 'late@example.org', password }
    expect([...statuses, (await guest.post('/v1/sessions', body)).status]).toEqual([200, 200, 429, 201])
    await limited.close()
  })

  test('count per e-mail address, from whatever network', async () => {
    const limited = await serve(dataDir, { ...withoutLimits, REQUESTS_PER_MINUTE: '50', TRUST_PROXY: '1' })
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) {
      const guest = new Visitor(limited, documented, { 'x-forwarded-for': `203.0.113.${i}` })
      const { status, answer } = await guest.post('/v1/sessions', { email: ' Guessed@example.org', password: `${i}` })
      statuses.push(status)
      if (status === 429) expect(answer.retry_after).toBeGreaterThan(800)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    await limited.close()
  })
})
