import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openAccountStores } from '#accounts/services.ts'
import { writeToday } from '#compute/live/write-today.ts'
import { publishedFolder, switchToGeneration, todayLink } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { listen } from '../support/listen.ts'
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts'
import { Documented } from './support/documented.ts'
import { openDay } from './support/served-chain.ts'
import { firstDay, publishSmallGeneration, replaceSmallTable } from './support/small-generation.ts'
import {
  bearer,
  cheapPasswords,
  keyOf,
  serve,
  signIn,
  type TestServer,
  temporaryDataDir,
  withoutLimits,
} from './support/test-server.ts'
import { Visitor } from './support/visitor.ts'

interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
  readonly text: string
}
let received: Received[] = []
let status = 200
let isBusy = false
const receiver = createServer(async (request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const body = await text(request)
  received.push({ path: request.url ?? '', headers, body: JSON.parse(body), text: body })
  response.writeHead(status).end()
})
let hook: string
let smtp: SmtpServer
const closing: (() => unknown)[] = []

beforeAll(async () => {
  hook = await listen(receiver)
  smtp = await startSmtpServer({
    respondTo: (to) => (to.startsWith('gone') ? '550 5.1.1 no such user' : isBusy ? '450 4.2.1 try later' : '250 ok'),
  })
})
beforeEach(() => {
  received = []
  status = 200
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
  await smtp.stop()
  receiver.close()
})

const secondDay = '2024-02-03'
const lastDay = firstDay + 398
/** Published up to 2024-02-03, day 398, on which the price is 398. */
const published = { last_date: secondDay } as const
const webhookTimes = { pollMs: 10, attemptMs: 2_000, firstRetryMs: 20 }

interface Started {
  readonly dataDir: string
  readonly server: TestServer
  readonly documented: Documented
}

/** A service of its own, whose generation ends on 2024-02-03 and is not stale. */
async function start(settings: Readonly<Record<string, string>> = {}): Promise<Started> {
  const { dataDir, remove } = temporaryDataDir()
  closing.push(remove)
  await publishSmallGeneration(dataDir, 'small', published)
  const mail = { MAIL_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'alerts@chain.example' }
  const server = await serve(
    dataDir,
    { ...withoutLimits, ...mail, WEBHOOKS: 'any', MAX_AGE: '99999d', ...settings },
    { passwordCost: cheapPasswords, webhookTimes, PUBLIC_URL: 'http://chain.example' },
  )
  closing.push(() => server.close())
  return { dataDir, server, documented: await Documented.read(server.url) }
}
/** Publishes a generation, by default up to 2024-02-04, and waits until it is served. */
async function publish(
  { dataDir, server }: Started,
  id: string,
  changes: { readonly last_date?: string } = {},
): Promise<void> {
  await publishSmallGeneration(dataDir, id, changes)
  await served(server, id)
}
const served = (server: TestServer, id: string) =>
  expect
    .poll(async () => (await (await fetch(`${server.url}/v1/series?metrics=price&limit=1`)).json()).meta.generation)
    .toBe(id)
async function newestDelivery(owner: Visitor, id: string) {
  const [event] = (await owner.get(`/v1/alerts/${id}/events`)).answer.data
  return event && 'deliveries' in event ? event.deliveries[0] : undefined
}

async function visitor({ dataDir, server, documented }: Started, email: string, tier: 'free' | 'pro' = 'pro') {
  const one = new Visitor(server, documented)
  one.cookie = await signIn(server, dataDir, email, tier)
  return one
}
const put = ({ dataDir }: Started, changes: Record<string, string | number>, day = lastDay + 1): Promise<void> =>
  withSession({ temporaryFolder: `${dataDir}/tmp` }, (connection) =>
    writeToday(connection, dataDir, { ...openDay(day), ...changes }),
  )
const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to === address)
const above = (value: number) => ({ kind: 'above', value }) as const

describe('with accounts', () => {
  let service: Started
  beforeAll(async () => {
    service = await start()
  })

  test('an alert fires at a publication, by mail and as a signed request with one id, and is changed and removed', async () => {
    const owner = await visitor(service, 'owner@example.org')
    const webhook = { url: `${hook}/secret-path`, format: 'json' } as const
    const created = await owner.post('/v1/alerts', { metric: 'price', condition: above(398.5), email: true, webhook })
    expect(created.status).toBe(201)
    const [{ id, secret } = { id: '', secret: '' }] = created.answer.data
    expect(created.answer.data).toMatchObject([
      {
        summary: 'price is above 398.5',
        metric: 'price',
        formula: null,
        email: true,
        active: true,
        paused: null,
        is_met: false,
        as_of: secondDay,
        value: 398,
        fired: 0,
        last_fired_at: null,
        problem: null,
        webhook: { host: new URL(hook).host, format: 'json' },
      },
    ])
    await publish(service, 'next')
    await expect.poll(() => [received.length, mailsTo('owner@example.org').length]).toEqual([1, 1])
    const event = `${id}.1.2024-02-04`
    const { headers, body, text: sent } = received[0]!
    expect([headers['webhook-id'], body]).toEqual([
      event,
      {
        type: 'alert.fired',
        timestamp: expect.stringMatching(/^20/),
        data: {
          event,
          alert: id,
          date: '2024-02-04',
          value: 399,
          height: null,
          text: 'price is above 398.5: 399 on 2024-02-04.',
          link: 'http://chain.example/metrics/price',
        },
      },
    ])
    const mac = createHmac('sha256', Buffer.from(secret!.replace('whsec_', ''), 'base64'))
    const signature = mac.update(`${event}.${headers['webhook-timestamp']}.${sent}`).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    const [mail] = mailsTo('owner@example.org')
    expect(mail!.headers).toContain(`Message-ID: <${event}@chain.example>`)
    expect(mail!.headers).toContain('Subject: price is above 398.5')
    expect(mail!.text).toContain('price is above 398.5: 399 on 2024-02-04.')

    await expect
      .poll(async () => (await owner.get('/v1/alerts')).answer.data)
      .toMatchObject([{ id, is_met: true, as_of: '2024-02-04', value: 399, fired: 1, problem: null }])
    const listed = JSON.stringify((await owner.get('/v1/alerts')).answer)
    expect([listed.includes('secret-path'), listed.includes('whsec_')]).toEqual([false, false])
    const events = await owner.get(`/v1/alerts/${id}/events`)
    expect(events.answer.data).toMatchObject([
      {
        id: event,
        kind: 'fired',
        date: '2024-02-04',
        value: 399,
        height: null,
        deliveries: [
          { channel: 'email', attempts: 1, retry_at: null, problem: null },
          { channel: 'webhook', attempts: 1, retry_at: null, problem: null },
        ],
      },
    ])

    // A new webhook has a new secret; who only turns it off keeps its history.
    const changed = await owner.post(`/v1/alerts/${id}`, { condition: above(300), webhook })
    expect(changed.answer.data).toMatchObject([{ summary: 'price is above 300', is_met: true, email: true, fired: 1 }])
    expect(changed.answer.data[0]!.secret).not.toBe(secret)
    expect((await owner.post(`/v1/alerts/${id}`, { active: false, webhook: null })).answer.data).toMatchObject([
      { active: false, webhook: null, secret: null },
    ])
    const other = await visitor(service, 'other@example.org')
    for (const ask of [
      () => other.get(`/v1/alerts/${id}/events`),
      () => other.post(`/v1/alerts/${id}`, { active: true }),
      () => other.post(`/v1/alerts/${id}/test`),
      () => other.delete(`/v1/alerts/${id}`),
    ])
      expect((await ask()).status).toBe(404)
    expect((await owner.delete(`/v1/alerts/${id}`)).answer.data).toEqual([{ id }])
    expect((await owner.get('/v1/alerts')).answer.data).toEqual([])
    expect(service.server.log()).not.toContain('secret-path')
    await publish(service, 'back', published)
  })

  test('after each block it looks at the open day, and a day that comes and goes is one message', async () => {
    const owner = await visitor(service, 'blocks@example.org')
    const create = async (body: object) =>
      (await owner.post('/v1/alerts', { webhook: { url: hook, format: 'json' }, ...body })).answer.data[0]!.id
    await put(service, { price: 390, as_of_height: 57_601 })
    const price = await create({ metric: 'price', condition: above(500) })
    const formula = await create({ formula: 'price / shift(price, 1)', condition: above(1.5) })
    // Sums of a day that is not over say nothing yet.
    const flow = await create({ metric: 'volume', condition: above(10_000) })
    const isSettled = async () => (await owner.get('/v1/alerts')).answer.data.map(({ value }) => value)
    for (const [i, value] of [600, 400, 700, 650].entries()) {
      await put(service, { price: value, as_of_height: 57_602 + i })
      await expect.poll(isSettled).toEqual([2 * 398, value / 398, value])
    }
    await expect.poll(() => received.length).toBe(2)
    const [first, second] = received
      .map(({ body: { data } }) => data)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    for (const data of [first, second]) expect(data).toMatchObject({ date: '2024-02-04', height: 57_602 })
    expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      [`${price}.1.2024-02-04`, `${formula}.1.2024-02-04`].sort(),
    )
    expect(JSON.stringify(received)).toContain('price is above 500: 600 after block 57,602 (2024-02-04, not over yet).')
    // The day closes below the level of the price.
    await publish(service, 'next')
    await expect.poll(isSettled).toEqual([2 * 399, 399 / 398, 399])
    expect(received).toHaveLength(2)
    for (const id of [price, formula, flow]) await owner.delete(`/v1/alerts/${id}`)
    rmSync(path.dirname(todayLink(publishedFolder(service.dataDir))), { recursive: true })
    await publish(service, 'back', published)
  })

  test('a trial names the days, from what the caller sees, and needs no account', async () => {
    const nobody = new Visitor(service.server, service.documented)
    const tryOut = async (one: Visitor, body: object) => (await one.post('/v1/alerts/trial', body)).answer.data[0]!
    const wave = { formula: 'price - 10 * days_since(price > 0)', condition: { kind: 'below', value: 300 } }
    expect(await tryOut(nobody, wave)).toMatchObject({ count: expect.any(Number) })
    const condition = { kind: 'all_time_high' } as const
    const body = { metric: 'price', condition }
    const demo = await tryOut(nobody, body)
    // 60 days end on 2024-02-03; there is nothing to compare the first with.
    expect(demo).toMatchObject({ from: '2023-12-07', to: secondDay, count: 0, is_met: true, value: 398 })
    expect(demo.summary).toBe('price is at a new high of the last 60 days')
    const owner = await visitor(service, 'trial@example.org')
    const pro = await tryOut(owner, { metric: 'price', condition: above(200) })
    expect(pro).toMatchObject({
      from: '2023-01-11',
      count: 1,
      fired: [{ date: '2023-07-21', value: 201 }],
      each_block: true,
    })
    expect(await tryOut(owner, { metric: 'volume', condition: above(1) })).toMatchObject({
      each_block: false,
      count: 0,
    })
    expect(await tryOut(owner, { metric: 'never', condition: above(1) })).toMatchObject({
      from: null,
      to: null,
      is_met: null,
      value: null,
      paused: 'it has no value on any day that you can see',
    })
  })

  test('what cannot be watched or sent is refused, and says which field is wrong', async () => {
    const owner = await visitor(service, 'refused@example.org')
    const problem = async (body: object) => {
      const { answer } = await owner.post('/v1/alerts', { metric: 'price', condition: above(1), ...body })
      return `${answer.error?.code} ${answer.message}`
    }
    expect(await problem({ metric: 'prise' })).toMatch(/^not_found there is no metric 'prise'/)
    expect(await problem({ metric: undefined, formula: 'price +' })).toMatch(/^invalid_parameter parameter 'formula'/)
    expect(await problem({ formula: 'price' })).toMatch(/'metric' must be given, or else formula, but not both/)
    expect(await problem({ metric: undefined })).toMatch(/'metric' must be given/)
    expect(await problem({ condition: { kind: 'outside', low: 2, high: 2 } })).toMatch(
      /'condition.high' must be above low/,
    )
    expect(await problem({ condition: { kind: 'change', percent: 0, days: 7 } })).toMatch(
      /'condition.percent' must be above 0/,
    )
    expect(await problem({ condition: { kind: 'below', value: 'x' } })).toMatch(/'condition.value' must be a number/)
    expect(await problem({ condition: { kind: 'odd' } })).toMatch(/'condition.kind' must/)
    expect(await problem({ metric: 'density' })).toMatch(/^insufficient_tier/)
    const webhook = (url: string, format = 'json') => problem({ webhook: { url, format } })
    expect(await webhook('https://user:pass@example.org/')).toContain('password')
    expect(await webhook('https://example.org/', 'carrier pigeon')).toMatch(
      /'webhook.format' must be one of json, slack/,
    )
    expect(await webhook('https://api.telegram.org/botX/sendMessage', 'telegram')).toContain('?chat_id=')
    expect(await webhook('https://ntfy.sh/', 'ntfy')).toContain('topic')
    const free = await visitor(service, 'free@example.org', 'free')
    const asFree = (body: object) => free.post('/v1/alerts', { metric: 'price', condition: above(1), ...body })
    expect((await asFree({ webhook: { url: hook, format: 'json' } })).answer.error?.code).toBe('insufficient_tier')
    for (let i = 0; i < 5; i++) expect((await asFree({})).status).toBe(201)
    expect((await asFree({})).answer.message).toContain('tier free has at most 5 alerts')
    const { answer } = await new Visitor(service.server, service.documented).get('/v1/alerts')
    expect(answer.error?.code).toBe('invalid_credentials')
  })

  test('an API key manages the alerts of its account', async () => {
    const headers = bearer(await keyOf(service.dataDir, 'pro', 'key@example.org'))
    const program = new Visitor(service.server, service.documented, headers)
    const created = await program.post('/v1/alerts', { metric: 'price', condition: above(1) })
    expect(created.status).toBe(201)
    expect((await program.get('/v1/alerts')).answer.data).toHaveLength(1)
    expect((await program.delete(`/v1/alerts/${created.answer.data[0]!.id}`)).status).toBe(200)
  })

  test('a key of a lower tier than its account sees no values of alerts, nor makes any that it may not see', async () => {
    await keyOf(service.dataDir, 'enterprise', 'lower@example.org')
    const stores = await openAccountStores({ DATA_DIR: service.dataDir })
    const { id } = await stores.accounts.require('lower@example.org')
    const keys = [
      await stores.keys.create(id, 'whole'),
      await stores.keys.create(id, 'lower', undefined, 9, { tier: 'pro' }),
    ]
    await stores.close()
    const [whole, lower] = keys.map((key) => new Visitor(service.server, service.documented, bearer(key!.key)))
    const watched = { metric: 'density', condition: above(1) }
    expect((await lower!.post('/v1/alerts', watched)).answer.error?.code).toBe('insufficient_tier')
    const created = (await whole!.post('/v1/alerts', watched)).answer.data[0]!
    expect(created).toMatchObject({ is_met: true, value: 5 * 398 })
    const [seen] = (await lower!.get('/v1/alerts')).answer.data
    expect(seen).toMatchObject({
      id: created.id,
      is_met: null,
      value: null,
      as_of: null,
      fired: 0,
      last_fired_at: null,
    })
    const changed = (await lower!.post(`/v1/alerts/${created.id}`, { active: false })).answer.data[0]!
    expect([changed.active, changed.value]).toEqual([false, null])
    for (const refused of [
      await lower!.get(`/v1/alerts/${created.id}/events`),
      await lower!.post(`/v1/alerts/${created.id}/test`),
    ])
      expect(refused.answer.error?.code).toBe('insufficient_tier')
    expect((await whole!.get(`/v1/alerts/${created.id}/events`)).status).toBe(200)
  })

  test('each format is what its service documents', async () => {
    const owner = await visitor(service, 'formats@example.org')
    const formats = {
      json: '/json',
      slack: '/services/T0/B0/x',
      discord: '/api/webhooks/1/x',
      telegram: '/bot1:x/sendMessage?chat_id=-100&message_thread_id=7',
      ntfy: '/below/my-topic?auth=x',
    } as const
    for (const [format, target] of Object.entries(formats)) {
      const { answer } = await owner.post('/v1/alerts', {
        formula: 'if(price > 2, price, price)',
        condition: above(1e6),
        webhook: { url: hook + target, format },
      })
      const tested = await owner.post(`/v1/alerts/${answer.data[0]!.id}/test`)
      expect([tested.status, tested.answer.data]).toMatchObject([202, [{ kind: 'test' }]])
      await expect.poll(() => received.length).toBe(1)
      const { path: at, body, headers } = received.pop()!
      const link = 'http://chain.example/workbench?metrics=if(price%20%3E%202%2C%20price%2C%20price)'
      const plain = 'This is a test of your alert: if(price > 2, price, price) is above 1,000,000.'
      expect([format, headers['webhook-id'], headers['content-type']]).toEqual([
        format,
        tested.answer.data[0]!.id,
        'application/json',
      ])
      const expected = {
        json: ['/json', { type: 'alert.test', data: { text: plain, value: 398, date: secondDay, link } }],
        slack: [formats.slack, { text: `${plain.replace('>', '&gt;')}\n${link}`, mrkdwn: false }],
        discord: [
          formats.discord,
          { content: `${plain.replace('>', '\\>')}\n${link}`, allowed_mentions: { parse: [] } },
        ],
        telegram: ['/bot1:x/sendMessage', { chat_id: '-100', message_thread_id: '7', text: `${plain}\n${link}` }],
        ntfy: ['/below/?auth=x', { topic: 'my-topic', title: 'Test of an alert', message: plain, click: link }],
      }[format]
      expect([at, body]).toMatchObject(expected!)
      expect('webhook-signature' in headers).toBe(format === 'json')
    }
  })

  test('what is not accepted is sent again with the same id, and what is gone is given up', async () => {
    const owner = await visitor(service, 'again@example.org')
    const body = { metric: 'price', condition: above(1e6), webhook: { url: hook, format: 'slack' } }
    const [{ id } = { id: '' }] = (await owner.post('/v1/alerts', body)).answer.data
    const delivery = () => newestDelivery(owner, id)
    status = 500
    await owner.post(`/v1/alerts/${id}/test`)
    await expect.poll(() => received.length).toBeGreaterThan(1)
    await expect.poll(delivery).toMatchObject({ problem: 'it answered 500', delivered_at: null })
    expect((await owner.get('/v1/alerts')).answer.data).toMatchObject([{ problem: 'it answered 500' }])
    status = 200
    await expect
      .poll(delivery)
      .toMatchObject({ problem: null, delivered_at: expect.stringMatching(/^20/), retry_at: null })
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    status = 410
    await owner.post(`/v1/alerts/${id}/test`)
    await expect.poll(delivery).toMatchObject({ problem: 'it answered 410', retry_at: null, attempts: 1 })
    const gone = await visitor(service, 'gone@example.org')
    const mailed = await gone.post('/v1/alerts', { metric: 'price', condition: above(1e6), email: true })
    const mailedId = mailed.answer.data[0]!.id
    await gone.post(`/v1/alerts/${mailedId}/test`)
    await expect
      .poll(() => newestDelivery(gone, mailedId))
      .toMatchObject({ problem: "no mail can be sent to 'gone@example.org'", retry_at: null, attempts: 1 })
  })

  test('an alert is paused while its metric is gone or withheld, and then fires for what it missed', async () => {
    const owner = await visitor(service, 'paused@example.org')
    const webhook = { url: hook, format: 'json' } as const
    const created = await owner.post('/v1/alerts', { metric: 'nupl', condition: above(0.3985), webhook })
    const paused = async () => (await owner.get('/v1/alerts')).answer.data[0]!.paused
    expect(created.answer.data[0]!.paused).toBeNull()
    const stores = await openAccountStores({ DATA_DIR: service.dataDir }, undefined, cheapPasswords)
    await stores.accounts.setTier('paused@example.org', 'free')
    await publish(service, 'next')
    await expect.poll(paused).toMatch(/nupl needs tier pro/)
    // What is served is opened again when another generation was served meanwhile.
    await publish(service, 'small')
    await replaceSmallTable(service.dataDir, 'catalogue', "FROM before WHERE id <> 'nupl'")
    for (const id of ['next', 'small']) {
      switchToGeneration(service.dataDir, id)
      await served(service.server, id)
    }
    await stores.accounts.setTier('paused@example.org', 'pro')
    await stores.close()
    await put(service, { price: 1 }, lastDay + 2)
    await expect.poll(paused).toMatch(/there is no metric 'nupl'/)
    expect(received).toEqual([])
    await publish(service, 'again')
    await expect.poll(paused).toBeNull()
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]!.body).toMatchObject({ data: { date: '2024-02-04', value: 0.399 } })
    await publish(service, 'back', published)
  })

  test('nothing is mailed to an address that nobody has verified', async () => {
    const owner = await visitor(service, 'unverified@example.org')
    const database = SqliteAccounts.open(service.dataDir)
    await database.run("UPDATE accounts SET verified_at = NULL WHERE email = 'unverified@example.org'")
    await database.close()
    const { answer } = await owner.post('/v1/alerts', { metric: 'price', condition: above(1), email: true })
    expect(answer.message).toContain('nobody has verified the address')
  })
})

test('a stale service pauses its alerts, and says so by message if that lasts', async () => {
  const service = await start({ MAX_AGE: '26h' })
  const owner = await visitor(service, 'stale@example.org')
  // A value of the open day is newer than the published ones.
  await put(service, { price: 400 })
  const { answer } = await owner.post('/v1/alerts', { metric: 'price', condition: above(500), email: true })
  const { id, paused } = answer.data[0]!
  expect(paused).toBeNull()
  rmSync(path.dirname(todayLink(publishedFolder(service.dataDir))), { recursive: true })
  await publish(service, 'other', published)
  await expect
    .poll(async () => (await owner.get('/v1/alerts')).answer.data)
    .toMatchObject([{ paused: expect.stringMatching(/^the newest block is \d+ days old$/) }])
  expect((await owner.get(`/v1/alerts/${id}/events`)).answer.data).toEqual([])
  expect((await owner.post('/v1/alerts/trial', { metric: 'price', condition: above(1) })).answer.data).toMatchObject([
    { paused: expect.stringMatching(/^the newest block/) },
  ])
  const database = SqliteAccounts.open(service.dataDir)
  await database.run('UPDATE alerts SET notice_at = notice_at - 3600000')
  await database.close()
  await publish(service, 'same', published)
  await expect.poll(() => mailsTo('stale@example.org').length).toBe(1)
  const [mail] = mailsTo('stale@example.org')
  expect(mail!.headers).toContain('Subject: Paused: price is above 500')
  expect(mail!.text).toMatch(/^Your alert "price is above 500" is paused: the newest block is \d+ days old\./)
  // A value of the open day is newer than the published ones.
  await put(service, { price: 600, as_of_height: 8 })
  await expect
    .poll(async () => (await owner.get('/v1/alerts')).answer.data[0])
    .toMatchObject({ paused: null, fired: 1 })
  const events = (await owner.get(`/v1/alerts/${id}/events`)).answer.data
  expect(events).toMatchObject([{ kind: 'fired', height: 8 }, { kind: 'paused' }])
})

describe('under open access', () => {
  test('alerts belong to the operator, are mailed to ALERTS_TO, and pages of other sites cannot reach them', async () => {
    const service = await start({ ACCESS: 'open', ALERTS_TO: 'operator@example.org' })
    const here = new Visitor(service.server, service.documented)
    expect((await here.get('/v1/access')).answer.data[0]?.alert_channels).toEqual(['email', 'webhook'])
    const created = await here.post('/v1/alerts', { metric: 'density', condition: above(1_991), email: true })
    expect([created.status, created.answer.data[0]?.value]).toEqual([201, 1_990])
    await publish(service, 'next')
    await expect
      .poll(() => mailsTo('operator@example.org').map(({ headers }) => headers.filter((line) => /^Subject/.test(line))))
      .toEqual([['Subject: density is above 1,991']])
    const ask = (method: string, target: string, headers: Record<string, string>, body?: object) =>
      fetch(service.server.url + target, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
    const body = { metric: 'price', condition: above(1) }
    const { id } = created.answer.data[0]!
    const requests = [
      ['POST', '/v1/alerts', body],
      ['POST', '/v1/alerts/trial', body],
      ['POST', `/v1/alerts/${id}`, { active: false }],
      ['POST', `/v1/alerts/${id}/test`],
      ['DELETE', `/v1/alerts/${id}`],
      ['GET', '/v1/alerts'],
    ] as const
    for (const [method, target, sent] of requests) {
      const answers = [
        await ask(method, target, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, sent),
        await ask(method, target, { 'sec-fetch-site': 'same-site' }, sent),
      ]
      expect([target, answers.map((one) => one.status)]).toEqual([target, [403, 403]])
      for (const one of answers) expect(one.headers.get('access-control-allow-origin')).toBeNull()
    }
    // Forms of other sites cannot send JSON.
    const form = await fetch(`${service.server.url}/v1/alerts`, { method: 'POST', body: JSON.stringify(body) })
    expect(form.status).toBe(415)
    expect((await here.get('/v1/alerts')).answer.data).toMatchObject([{ id, active: true }])
    expect((await here.get('/v1/keys')).status).toBe(403)
  })

  test('one click in a mail program ends the mail of an alert, without signing in (RFC 8058)', async () => {
    const service = await start({ ACCESS: 'open', ALERTS_TO: 'reader@example.org', LOG_LEVEL: 'debug' })
    const here = new Visitor(service.server, service.documented)
    const definition = { metric: 'density', condition: above(1), email: true }
    const ids = await Promise.all(
      [0, 1].map(async () => (await here.post('/v1/alerts', definition)).answer.data[0]!.id),
    )
    await here.post(`/v1/alerts/${ids[0]}/test`)
    await expect.poll(() => mailsTo('reader@example.org').length).toBe(1)
    const { headers } = mailsTo('reader@example.org')[0]!
    expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    const [, link = ''] =
      /^List-Unsubscribe: <http:\/\/chain\.example(\/stop-mail\/[-\w]+)>$/m.exec(headers.join('\n')) ?? []
    const isMailed = async () =>
      Promise.all(ids.map(async (id) => (await here.get(`/v1/alerts/${id}`)).answer.data[0]!.email))
    const send = (target: string, method: string) =>
      fetch(service.server.url + target, {
        method,
        redirect: 'manual',
        ...(method === 'POST' && { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
      })
    // Programs that look at links change nothing.
    const looked = await send(link, 'GET')
    expect([looked.status, looked.headers.get('location')]).toEqual([303, '/alerts'])
    expect((await send(link, 'HEAD')).status).toBe(303)
    const last = link.at(-10) === 'A' ? 'B' : 'A'
    for (const wrong of [link.slice(0, -4), `${link.slice(0, -10)}${last}${link.slice(-9)}`, '/stop-mail/x'])
      expect([wrong, (await send(wrong, 'POST')).status]).toEqual([wrong, 404])
    expect(await isMailed()).toEqual([true, true])
    expect((await send(link, 'POST')).status).toBe(200)
    expect((await send(link, 'POST')).status).toBe(200)
    expect(await isMailed()).toEqual([false, true])
    expect(service.server.log()).toContain('/stop-mail/…')
    expect(service.server.log()).not.toContain(link)
    await here.delete(`/v1/alerts/${ids[0]}`)
    expect((await send(link, 'POST')).status).toBe(404)
    // Without its key a service still mails.
    rmSync(path.join(service.dataDir, 'state', 'secrets.key'))
    await here.post(`/v1/alerts/${ids[1]}/test`)
    await expect.poll(() => mailsTo('reader@example.org').length).toBe(2)
    expect(mailsTo('reader@example.org')[1]!.headers.join()).not.toContain('Unsubscribe')
    // Mail that waits is not sent any more.
    isBusy = true
    await here.post(`/v1/alerts/${ids[1]}/test`)
    await expect.poll(async () => (await newestDelivery(here, ids[1]!))?.attempts).toBeGreaterThan(0)
    await here.post(`/v1/alerts/${ids[1]}`, { email: false })
    await expect
      .poll(() => newestDelivery(here, ids[1]!))
      .toMatchObject({ problem: 'the mail was turned off', retry_at: null })
    isBusy = false
  })

  test('without settings nothing is sent', async () => {
    const service = await start({ ACCESS: 'open', WEBHOOKS: 'off' })
    const here = new Visitor(service.server, service.documented)
    expect((await here.get('/v1/access')).answer.data[0]?.alert_channels).toEqual([])
    const body = { metric: 'price', condition: above(1) }
    expect((await here.post('/v1/alerts', { ...body, email: true })).answer.message).toContain('MAIL_URL and ALERTS_TO')
    const webhook = { url: hook, format: 'json' } as const
    expect((await here.post('/v1/alerts', { ...body, webhook })).answer.message).toContain('WEBHOOKS=off')
    const { id } = (await here.post('/v1/alerts', body)).answer.data[0]!
    expect((await here.post(`/v1/alerts/${id}/test`)).answer.message).toContain('sends nothing')
    const usual = await start({ ACCESS: 'open', WEBHOOKS: 'public' })
    const there = new Visitor(usual.server, usual.documented)
    expect((await there.post('/v1/alerts', { ...body, webhook })).answer.message).toContain('must begin with https')
  })
})
