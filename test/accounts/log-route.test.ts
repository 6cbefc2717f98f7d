import { beforeAll, expect, test } from 'vitest'
import { createKey, createResetLink, printAccountLog, setTier } from '#accounts/commands.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { bearer, signIn } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

serveOwnFolder({ TRUST_PROXY: '1', SIGN_UP: 'open' })
let documented: Documented
beforeAll(async () => {
  documented = await Documented.read(server.url)
})

const address = '2001:db8::7'
const place = () => ({ DATA_DIR: dataDir, SIGN_UP: 'open' as const })

test('owners and the operator read what was changed, when, by whom and from where; nobody else does', async () => {
  const began = Date.now()
  const visitor = new Visitor(server, documented, { 'x-forwarded-for': address })
  visitor.cookie = await signIn(server, dataDir, 'owner@example.org', 'pro')
  const { id, key } = (await visitor.post('/v1/keys', { name: 'laptop' })).answer.data[0]!
  await visitor.delete(`/v1/keys/${id}`)
  await setTier(place(), 'owner@example.org', 'enterprise')
  await createResetLink(place(), { url: 'http://x', isConfigured: true }, 'owner@example.org', undefined, false)
  const { data } = (await visitor.get('/v1/account/log')).answer
  expect(data.map(({ change, detail, actor, address: from }) => [change, detail.trim(), actor, from])).toEqual([
    ['link to set a password created', '', 'operator', null],
    ['tier set', 'enterprise', 'operator', null],
    ['key revoked', `${id} (laptop)`, 'user', address],
    ['key created', `${id} (laptop)`, 'user', address],
    ['account created', 'tier pro', 'operator', null],
  ])
  for (const { created_at } of data) {
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now())
  }
  expect(JSON.stringify(data)).not.toContain(key)

  const other = new Visitor(server, documented)
  other.cookie = await signIn(server, dataDir, 'other@example.org', 'pro')
  expect((await other.get('/v1/account/log')).answer.data).toHaveLength(1)
  expect((await new Visitor(server, documented).get('/v1/account/log')).status).toBe(401)
  const [own = ''] = (await createKey(place(), 'other@example.org', 'x')).split('\n')
  expect((await fetch(`${server.url}/v1/account/log`, { headers: bearer(own) })).status).toBe(401)

  const all = await printAccountLog(place())
  expect(all.split('\n')[0]).toMatch(/^time +account +by +from +change$/)
  expect(all).toMatch(new RegExp(`owner@example.org +user +${address} +key revoked ${id} \\(laptop\\)\\n`))
  expect(all).toContain('other@example.org')
  const one = await printAccountLog(place(), 'owner@example.org')
  expect(one.trim().split('\n')).toHaveLength(1 + data.length)
  expect(one).not.toContain('other@example.org')
  await expect(printAccountLog(place(), 'nobody@example.org')).rejects.toThrow('there is no account')
})

test('what anybody does with the address of an account is in its log, too', async () => {
  const stranger = new Visitor(server, documented, { 'x-forwarded-for': '203.0.113.9' })
  const body = { email: 'new@example.org', password: 'correct horse battery' }
  for (let i = 0; i < 2; i++) expect((await stranger.post('/v1/accounts', body)).status).toBe(202)
  await stranger.post('/v1/sessions', body)
  const { data } = (await stranger.get('/v1/account/log')).answer
  const line = { change: 'account requested', actor: 'user', address: '203.0.113.9' }
  expect(data).toMatchObject([line, line])
  // Control characters of names reach no terminal.
  await setTier(place(), 'new@example.org', 'pro')
  await stranger.post('/v1/keys', { name: 'a\u001b[31mb' })
  expect(await printAccountLog(place(), 'new@example.org')).not.toContain('\u001b')
})
