import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAccountStores } from '#accounts/services.ts'
import { switchToGeneration } from '#sql/generation.ts'
import { Documented } from '../../api/support/documented.ts'
import { publishSmallGeneration } from '../../api/support/small-generation.ts'
import {
  cheapPasswords,
  serve,
  signIn,
  type TestServer,
  temporaryDataDir,
  withoutLimits,
} from '../../api/support/test-server.ts'
import { Visitor } from '../../api/support/visitor.ts'
import { listen } from '../../support/listen.ts'

const { dataDir, remove } = temporaryDataDir()
const times = { pollMs: 20, attemptMs: 1_000, firstRetryMs: 40 }
const start = (settings: Record<string, string> = { WEBHOOKS: 'any' }): Promise<TestServer> =>
  serve(dataDir, { ...withoutLimits, ...settings }, { passwordCost: cheapPasswords, webhookTimes: times })

interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
let received: Received[] = []
let answer = 200
const receiver = createServer(async (request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  received.push({ headers, body: await text(request) })
  response.writeHead(answer).end()
})
let url: string
let server: TestServer
let documented: Documented

beforeAll(async () => {
  await publishSmallGeneration(dataDir, 'g1')
  await publishSmallGeneration(dataDir, 'g2')
  url = `${await listen(receiver)}/hook`
  server = await start()
  documented = await Documented.read(server.url)
})
beforeEach(() => {
  received = []
  answer = 200
})
afterAll(async () => {
  await server?.close()
  receiver.close()
  remove()
})

async function visitor(email: string, tier: 'free' | 'pro' = 'pro', at = server): Promise<Visitor> {
  const one = new Visitor(at, documented)
  one.cookie = await signIn(at, dataDir, email, tier)
  return one
}

const isSignedBy = ({ headers, body }: Received, secret: string): boolean => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return headers['webhook-signature']!.split(' ').includes(expected)
}

test('an event is delivered once, signed by the secret that was shown, and by the one before it for a day', async () => {
  const owner = await visitor('signed@example.org')
  const created = await owner.post('/v1/webhooks', { name: 'mine', url, events: ['generation', 'today'] })
  const { id, secret } = created.answer.data[0]!
  expect([created.status, secret.startsWith('whsec_')]).toEqual([201, true])
  switchToGeneration(dataDir, 'g1')
  await expect.poll(() => received.length).toBe(1)
  expect(isSignedBy(received[0]!, secret)).toBe(true)
  expect(isSignedBy({ ...received[0]!, body: `${received[0]!.body} ` }, secret)).toBe(false)
  expect(JSON.parse(received[0]!.body)).toMatchObject({
    type: 'generation',
    data: { generation: 'g1', fetch: '/v1/status' },
  })
  expect(Math.abs(Number(received[0]!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(10)

  const renewed = (await owner.post(`/v1/webhooks/${id}/secret`)).answer.data[0]!.secret
  const tested = await owner.post(`/v1/webhooks/${id}/test`)
  expect([tested.answer.data, received.length]).toEqual([[{ taken: true, problem: null }], 2])
  expect(JSON.parse(received[1]!.body)).toMatchObject({ type: 'test', data: {} })
  expect([renewed === secret, isSignedBy(received[1]!, secret), isSignedBy(received[1]!, renewed)]).toEqual([
    false,
    true,
    true,
  ])

  const listed = await owner.get('/v1/webhooks')
  expect(listed.answer.data).toMatchObject([
    { id, name: 'mine', url, failing_since: null, disabled_at: null, waiting: 0 },
  ])
  expect(JSON.stringify(listed.answer)).not.toContain('whsec_')
  expect((await owner.delete(`/v1/webhooks/${id}`)).status).toBe(200)
  // Another webhook tells when the event has been sent to all.
  const other = (await owner.post('/v1/webhooks', { name: 'other', url })).answer.data[0]!
  switchToGeneration(dataDir, 'g2')
  await expect.poll(() => received.length).toBe(3)
  expect(isSignedBy(received[2]!, other.secret)).toBe(true)
  await owner.delete(`/v1/webhooks/${other.id}`)
})

test('what was not taken is tried again, also by the next process, which tells what happened meanwhile', async () => {
  const owner = await visitor('restart@example.org')
  const { id } = (await owner.post('/v1/webhooks', { name: 'x', url })).answer.data[0]!
  answer = 500
  switchToGeneration(dataDir, 'g1')
  await expect.poll(() => received.length).toBeGreaterThan(1)
  const [failing] = (await owner.get('/v1/webhooks')).answer.data
  expect(failing).toMatchObject({ id, problem: 'it answered 500', waiting: 1, disabled_at: null })
  expect(failing!.failing_since).not.toBeNull()
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await server.close()
  answer = 200
  const before = received.length
  server = await start()
  await expect.poll(() => received.length, { timeout: 5_000 }).toBe(before + 1)
  expect(received.at(-1)!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id'])

  await server.close()
  switchToGeneration(dataDir, 'g2')
  server = await start()
  await expect.poll(() => received.length).toBe(before + 2)
  expect(JSON.parse(received.at(-1)!.body).data.generation).toBe('g2')
  const again = await visitor('restart@example.org')
  expect((await again.get('/v1/webhooks')).answer.data).toMatchObject([
    { problem: null, waiting: 0, failing_since: null },
  ])
  await again.delete(`/v1/webhooks/${id}`)
})

test('only accounts with access have webhooks, ten each, and nobody reaches those of others', async () => {
  const free = await visitor('hookless@example.org', 'free')
  const refused = await free.post('/v1/webhooks', { name: 'x', url })
  expect([refused.status, refused.answer.error?.code]).toEqual([403, 'insufficient_tier'])
  const owner = await visitor('ten@example.org')
  const ids: string[] = []
  for (let i = 0; i < 10; i++) ids.push((await owner.post('/v1/webhooks', { name: `${i}`, url })).answer.data[0]!.id)
  expect((await owner.post('/v1/webhooks', { name: 'x', url })).answer.error?.code).toBe('forbidden')
  const other = await visitor('other@example.org')
  for (const [method, target] of [
    ['delete', `/v1/webhooks/${ids[0]!}`],
    ['post', `/v1/webhooks/${ids[0]!}/secret`],
    ['post', `/v1/webhooks/${ids[0]!}/test`],
  ] as const) {
    expect([target, (await other.ask(method, target)).status]).toEqual([target, 404])
  }
  for (const body of [
    { name: 'x' },
    { name: 'x', url, events: [] },
    { name: 'x', url, events: ['price'] },
    { name: 'x', url: 'x' },
  ]) {
    expect((await owner.post('/v1/webhooks', body)).status).toBe(400)
  }
  for (const id of ids) await owner.delete(`/v1/webhooks/${id}`)
})

test('unless the operator allows it, nothing is sent to this machine or over plain http', async () => {
  const usual = await start({})
  const owner = await visitor('inside@example.org', 'pro', usual)
  for (const address of [
    url,
    url.replace('http:', 'https:'),
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
  ]) {
    const { status, answer } = await owner.post('/v1/webhooks', { name: 'x', url: address })
    expect([address, status, answer.error?.message]).toEqual([address, 400, expect.stringContaining('WEBHOOKS=any')])
  }
  // One that was allowed once, such as before the setting was changed.
  const services = await openAccountStores({ DATA_DIR: dataDir })
  const { id } = await services.accounts.require('inside@example.org')
  const { webhook } = (await services.webhooks.add(id, { name: 'x', url, events: [] }))!
  await services.close()
  const tested = await owner.post(`/v1/webhooks/${webhook.id}/test`)
  expect(tested.answer.data).toEqual([{ taken: false, problem: '127.0.0.1 is no public address' }])
  await usual.close()

  const off = await start({ WEBHOOKS: 'off' })
  const none = await visitor('inside@example.org', 'pro', off)
  expect((await none.post('/v1/webhooks', { name: 'x', url: 'https://example.org/' })).answer.error?.code).toBe(
    'forbidden',
  )
  await off.close()
  expect(received).toEqual([])
})
