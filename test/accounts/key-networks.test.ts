import { beforeAll, expect, test } from 'vitest'
import { createAccount, listKeys } from '#accounts/commands.ts'
import { openAccountStores } from '#accounts/services.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { bearer, signIn, withoutLimits } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'
import { http } from '../mcp/support/clients.ts'
import { serveTools } from '../mcp/support/tool-service.ts'

serveOwnFolder({ TRUST_PROXY: '1' }, publishSmallGeneration)
let documented: Documented
beforeAll(async () => {
  documented = await Documented.read(server.url)
})

const networks = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/48']

/** A key that is limited to them, of an account of its own. */
async function limitedKey(email: string) {
  const visitor = new Visitor(server, documented)
  visitor.cookie = await signIn(server, dataDir, email, 'pro')
  const { status, answer } = await visitor.post('/v1/keys', { name: 'office', limits: { networks } })
  expect(status).toBe(201)
  return { visitor, ...answer.data[0]! }
}

/** Status and code of a request as a proxy forwards it. */
async function ask(key: string, address: string, path = '/v1/prices?limit=1') {
  const response = await fetch(server.url + path, { headers: { ...bearer(key), 'x-forwarded-for': address } })
  const { error } = await response.json()
  return [response.status, error?.code]
}

test('a key opens data from its networks, and is refused elsewhere', async () => {
  const { visitor, key, id } = await limitedKey('office@example.org')
  expect((await visitor.get('/v1/keys')).answer.data).toMatchObject([{ id, limits: { networks } }])
  const inside = ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.9', '198.51.100.7', '2001:db8::', '2001:DB8:0:ffff::1']
  for (const address of [...inside, '192.0.2.9:443', '[2001:db8::1]:443'])
    expect([address, ...(await ask(key, address))]).toEqual([address, 200, undefined])
  const used = (await visitor.get('/v1/account')).answer.data[0]!.requests_today
  const outside = ['192.0.3.0', '198.51.100.8', '::ffff:198.51.100.8', '2001:db8:1::', '::1', '::192.0.2.9', '0.0.0.0']
  // The address of the connection counts where the header holds none.
  for (const address of [...outside, 'unknown', '192.0.2.9, 203.0.113.1', 'fe80::1%192.0.2.1', ''])
    expect([address, ...(await ask(key, address))]).toEqual([address, 403, 'network_not_allowed'])
  for (const path of ['/v1/usage', '/v1/events', '/v1/chart/snapshot?metric=price', '/v1/alerts', '/v1/nothing'])
    expect([path, ...(await ask(key, '203.0.113.1', path))]).toEqual([path, 403, 'network_not_allowed'])
  // Somebody elsewhere does not use up the owner's requests.
  expect((await visitor.get('/v1/account')).answer.data[0]!.requests_today).toBe(used + 1)
  const unlimited = (await visitor.post('/v1/keys', { name: 'anywhere' })).answer.data[0]!
  expect([unlimited.limits, ...(await ask(unlimited.key, '203.0.113.1'))]).toEqual([null, 200, undefined])
})

test('only who has the whole key learns that it is limited, and not before that it has ended', async () => {
  const { visitor, key, id } = await limitedKey('whole@example.org')
  const guessed = `${id}_${'0'.repeat(48)}`
  const unknown = `cs_${'0'.repeat(12)}_${'0'.repeat(48)}`
  const answers = [guessed, unknown].map(async (one) => {
    const response = await fetch(`${server.url}/v1/prices`, { headers: bearer(one) })
    const { timestamp, ...answer } = await response.json()
    return [response.status, answer]
  })
  const [one, other] = await Promise.all(answers)
  expect(one).toEqual(other)
  await visitor.delete(`/v1/keys/${id}`)
  expect(await ask(key, '203.0.113.1')).toEqual([401, 'invalid_api_key'])
})

test('what is no network is refused', async () => {
  const { visitor } = await limitedKey('wrong@example.org')
  const wrong = [
    '192.0.2.0/33',
    '2001:db8::/129',
    'example.org',
    '192.0.2',
    '',
    '192.0.2.0/-1',
    'fe80::1%eth0',
    3,
    null,
  ]
  for (const one of wrong) {
    const { status, answer } = await visitor.post('/v1/keys', { name: 'x', limits: { networks: [one] } })
    expect([one, status, answer.error?.details?.parameter]).toEqual([one, 400, expect.stringMatching(/^limits/)])
  }
  for (const networks of [[], Array(21).fill('192.0.2.1')])
    expect((await visitor.post('/v1/keys', { name: 'x', limits: { networks } })).status).toBe(400)
})

test('the tools pass on the address of their caller', async () => {
  const { key } = await limitedKey('tools@example.org')
  const proxied = await serveTools(dataDir, { ...withoutLimits, TRUST_PROXY: '1' })
  try {
    const call = async (address: string) => {
      const assistant = await http.connect(proxied, key, { 'x-forwarded-for': address })
      const { isError, content } = await assistant.call('get_series', { metrics: ['price'], days: 1 })
      await assistant.close()
      return [isError ?? false, JSON.stringify(content).includes('limited to other networks')]
    }
    expect(await call('192.0.2.1')).toEqual([false, false])
    await expect(call('203.0.113.1')).rejects.toThrow(/limited to other networks|403/)
  } finally {
    await proxied.close()
  }
})

test('commands list the limits of keys, which hold without an address too', async () => {
  const place = { DATA_DIR: dataDir }
  await createAccount(place, 'cli@example.org', 'pro')
  const services = await openAccountStores(place)
  const { id } = await services.accounts.require('cli@example.org')
  const mapped = (await services.keys.create(id, 'x', undefined, undefined, { networks: ['::ffff:192.0.2.0/120'] }))!
  for (const address of ['203.0.113.1', undefined, ''])
    expect(await services.keys.check(mapped.key, address)).toEqual({ problem: 'elsewhere' })
  await services.close()
  expect(await listKeys(place, 'cli@example.org')).toContain('{"networks":["::ffff:192.0.2.0/120"]}')
})
