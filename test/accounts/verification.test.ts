import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createResetLink, listAccounts, setTier } from '#accounts/commands.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import { Authenticator } from '../api/support/authenticator.ts'
import { bytesOfBase32 } from '../api/support/base32.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { bearer, cheapPasswords, password, serve, type TestServer, withoutLimits } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts'

const origin = 'https://data.example.org'
serveOwnFolder({ SIGN_UP: 'open', TRUST_PROXY: '1' }, undefined, { PUBLIC_URL: origin })
let documented: Documented
beforeAll(async () => {
  documented = await Documented.read(server.url)
})

const site = 'data.example.org'
const headers = { origin, host: site, 'x-forwarded-proto': 'https', 'x-forwarded-host': site }
const attackersPassword = 'attacker knows this one'
const place = () => ({ DATA_DIR: dataDir, SIGN_UP: 'open' as const })
const resetLink = (email: string) =>
  createResetLink(place(), { url: origin, isConfigured: true }, email, undefined, false)
const tokenIn = (text: string): string => /#link=([\w-]{43})\n/.exec(text)?.[1] ?? ''
const takeLink = async (visitor: Visitor, text: string) =>
  (await visitor.post('/v1/one-time-links', { token: tokenIn(text), password })).answer.data[0]

/**
 * Signs up with an address and adds every way in that an account can have; the operator makes it an
 * account of tier pro.
 */
async function prepareTakeover(email: string) {
  const visitor = new Visitor(server, documented, headers)
  const body = { email, password: attackersPassword }
  expect((await visitor.post('/v1/accounts', body)).status).toBe(202)
  expect((await visitor.post('/v1/sessions', body)).status).toBe(201)
  const authenticator = new Authenticator()
  const { challenge } = (await visitor.post('/v1/passkeys/registration')).answer.data[0]!
  const credential = authenticator.register({ challenge, origin, site })
  expect((await visitor.post('/v1/passkeys', { name: 'phone', credential })).status).toBe(201)
  const { secret } = (await visitor.post('/v1/account/codes')).answer.data[0]!
  const code = computeCode(bytesOfBase32(secret), Math.floor(Date.now() / 30_000))
  expect((await visitor.post('/v1/account/codes/confirmation', { code })).status).toBe(200)
  const toldByTier = await setTier(place(), email, 'pro')
  const { key } = (await visitor.post('/v1/keys', { name: 'x' })).answer.data[0]!
  /** Statuses of passkey, session and key. */
  const tryWaysIn = async () => {
    const guest = new Visitor(server, documented, headers)
    const asked = (await guest.post('/v1/passkeys/challenge')).answer.data[0]!.challenge
    const byPasskey = await guest.post('/v1/sessions/passkey', {
      credential: authenticator.assert({ challenge: asked, origin, site }),
    })
    const bySession = await visitor.get('/v1/account')
    const byKey = await fetch(`${server.url}/v1/access`, { headers: bearer(key) })
    return [byPasskey.status, bySession.status, byKey.status]
  }
  return { body, toldByTier, tryWaysIn }
}

describe('an address that signed itself up', () => {
  test('is not trusted: the first link leaves nothing that whoever signed up could use', async () => {
    const email = 'victim@example.org'
    const { body, toldByTier, tryWaysIn } = await prepareTakeover(email)
    expect(await tryWaysIn()).toEqual([201, 200, 200])
    const told = await resetLink(email)
    const victim = new Visitor(server, documented, headers)
    expect(await takeLink(victim, told)).toEqual({ email, signed_in: true })
    expect(await tryWaysIn()).toEqual([401, 401, 401])
    expect((await new Visitor(server, documented).post('/v1/sessions', body)).status).toBe(401)
    const [account] = (await victim.get('/v1/account')).answer.data
    expect(account).toMatchObject({ tier: 'pro', passkeys: 0, second_factor: false })
    for (const path of ['/v1/keys', '/v1/passkeys'] as const) expect((await victim.get(path)).answer.data).toEqual([])
    for (const text of [toldByTier, told]) expect(text).toContain(`Warning: nobody has verified ${email}`)

    // From now on the address is verified.
    const { key } = (await victim.post('/v1/keys', { name: 'mine' })).answer.data[0]!
    const second = await resetLink(email)
    expect([second, await setTier(place(), email, 'enterprise')].join()).not.toContain('Warning')
    expect(await takeLink(new Visitor(server, documented), second)).toEqual({ email, signed_in: true })
    expect((await fetch(`${server.url}/v1/access`, { headers: bearer(key) })).status).toBe(200)
  })

  test('keeps all that it has if the operator knows whose it is', async () => {
    const email = 'friend@example.org'
    const { tryWaysIn } = await prepareTakeover(email)
    expect(await listAccounts(place())).toMatch(/friend@example\.org +pro +\S+ +never\n/)
    expect(await setTier(place(), email, 'pro', true)).not.toContain('Warning')
    expect(await listAccounts(place())).not.toMatch(/friend@example\.org +pro +\S+ +never\n/)
    const told = await resetLink(email)
    expect(told).not.toContain('Warning')
    expect(await takeLink(new Visitor(server, documented), told)).toEqual({ email, signed_in: false })
    expect(await tryWaysIn()).toEqual([201, 401, 200])
  })

  test('that the operator invited is trusted, also if somebody signs up with it meanwhile', async () => {
    const email = 'invited@example.org'
    const told = await resetLink(email)
    const body = { email, password: attackersPassword }
    expect((await new Visitor(server, documented).post('/v1/accounts', body)).status).toBe(202)
    expect((await new Visitor(server, documented).post('/v1/sessions', body)).status).toBe(401)
    expect(told).not.toContain('Warning')
    expect(await takeLink(new Visitor(server, documented), told)).toEqual({ email, signed_in: true })
  })
})

describe('with mail', () => {
  let smtp: SmtpServer
  let mailing: TestServer
  const settings = () => ({
    ...withoutLimits,
    SIGN_UP: 'open',
    MAIL_URL: `smtp://robot:hunter2@127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'Coinstrata <robot@data.example.org>',
  })
  const smtpOptions = {
    login: 'robot:hunter2',
    respondTo: (to: string) => (to.startsWith('refused') ? '550 5.1.1 no such user' : '250 ok'),
  }
  beforeAll(async () => {
    smtp = await startSmtpServer(smtpOptions)
    mailing = await serve(dataDir, settings(), { passwordCost: cheapPasswords, PUBLIC_URL: `${origin}/chain` })
  })
  afterAll(async () => {
    await mailing?.close()
    await smtp?.stop()
  })
  const guest = () => new Visitor(mailing, documented)
  const signUp = (email: string) => guest().post('/v1/accounts', { email })
  const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to === email)

  test('signing up mails a link, and nobody can sign in before it is used', async () => {
    expect((await guest().get('/v1/access')).answer.data[0]).toMatchObject({ sign_up: 'open', sign_up_mail: true })
    const { status, answer } = await signUp('New@Example.org')
    expect([status, answer.data]).toEqual([202, [{ email: 'New@Example.org' }]])
    const [mail] = mailsTo('new@example.org')
    expect(mail?.headers).toContain('Subject: Your account at data.example.org')
    expect(mail?.text).toMatch(
      /^Somebody, probably you, [\s\S]*\nhttps:\/\/data\.example\.org\/chain\/account#link=[\w-]{43}\n/,
    )
    expect(mail?.text).not.toContain('already')
    const body = { email: 'new@example.org', password }
    expect((await guest().post('/v1/sessions', body)).status).toBe(401)
    const owner = guest()
    expect(await takeLink(owner, mail?.text ?? '')).toEqual({ email: 'new@example.org', signed_in: true })
    expect((await owner.get('/v1/account')).answer.data[0]).toMatchObject({ tier: 'free', has_password: true })
    expect((await guest().post('/v1/sessions', body)).status).toBe(201)
    expect(await resetLink('new@example.org')).not.toContain('Warning')
    // The link is used up.
    expect(await takeLink(guest(), mail?.text ?? '')).toBeUndefined()
  })

  test('known and new addresses get the same answer in the same time; a known one is told in its mail', async () => {
    const slow = await serve(dataDir, settings(), { PUBLIC_URL: origin })
    await createAccount(place(), 'known@example.org', 'pro', password)
    const timed = async (email: string) => {
      const began = performance.now()
      const response = await fetch(`${slow.url}/v1/accounts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      })
      const { timestamp: _, ...answer } = await response.json()
      const text = JSON.stringify(answer).replace(email, 'ADDRESS')
      return { ms: performance.now() - began, seen: [response.status, [...response.headers.keys()], text] }
    }
    try {
      const answers = await Promise.all(['known@example.org', 'fresh@example.org', 'again@example.org'].map(timed))
      for (const { seen, ms } of answers) {
        expect(seen).toEqual([202, answers[0]?.seen[1], expect.stringContaining('ADDRESS')])
        expect(ms).toBeGreaterThanOrEqual(345)
      }
      const times = answers.map(({ ms }) => ms)
      expect(Math.max(...times)).toBeLessThan(2 * Math.min(...times))
    } finally {
      await slow.close()
    }
    const [known, fresh] = [mailsTo('known@example.org')[0], mailsTo('fresh@example.org')[0]]
    expect([known?.text.includes('already have an account'), fresh?.text.includes('already')]).toEqual([true, false])
    // The link is also for those who have lost the password, and changes nothing before it is used.
    expect((await guest().post('/v1/sessions', { email: 'known@example.org', password })).status).toBe(201)
    expect(await takeLink(guest(), known?.text ?? '')).toMatchObject({ signed_in: true })
  })

  test('the invitation of an address stays valid if a stranger signs up with it, and ends with the first link used', async () => {
    const email = 'expected@example.org'
    const told = await resetLink(email)
    expect((await signUp(email)).status).toBe(202)
    expect(await takeLink(guest(), told)).toEqual({ email, signed_in: true })
    const [mail] = mailsTo(email)
    expect((await guest().post('/v1/one-time-links', { token: tokenIn(mail!.text), password })).status).toBe(404)
  })

  test('an account that signed up before there was mail starts empty after the first link', async () => {
    const { tryWaysIn } = await prepareTakeover('early@example.org')
    await signUp('early@example.org')
    const [mail] = mailsTo('early@example.org')
    expect(mail?.text).not.toContain('already')
    expect(await tryWaysIn()).toEqual([201, 200, 200])
    // At the server whose ways in are tried: others cache keys for a second.
    const owner = new Visitor(server, documented)
    expect(await takeLink(owner, mail?.text ?? '')).toEqual({ email: 'early@example.org', signed_in: true })
    expect(await tryWaysIn()).toEqual([401, 401, 401])
  })

  test('a password is chosen with the link, without mail at once', async () => {
    const given = await guest().post('/v1/accounts', { email: 'eager@example.org', password })
    expect([given.status, given.answer.message]).toEqual([400, expect.stringContaining("'password' is chosen with")])
    const missing = await new Visitor(server, documented).post('/v1/accounts', { email: 'eager@example.org' })
    expect([missing.status, missing.answer.message]).toEqual([400, expect.stringContaining("'password' is missing")])
  })

  test('an address that the mail server refuses is refused; that is no problem of the service', async () => {
    const { status, answer } = await signUp('refused@example.org')
    expect([status, answer.error?.code, answer.message]).toEqual([
      400,
      'invalid_parameter',
      expect.stringContaining('refused@example.org'),
    ])
    expect(await problemsOf(mailing)).not.toContain('mail_failing')
  })

  test('a mail server that is down is a problem until it is back, for new and known addresses alike', async () => {
    await createAccount(place(), 'patient@example.org', 'free', password)
    const { port } = smtp
    await smtp.stop()
    for (const email of ['patient@example.org', 'hasty@example.org']) {
      const { status, answer } = await signUp(email)
      expect([status, answer.error?.code]).toEqual([503, 'mail_unavailable'])
      expect(answer.message).not.toContain('127.0.0.1')
    }
    expect(await problemsOf(mailing)).toContain('mail_failing')
    expect(mailing.log()).toContain('ECONNREFUSED')
    expect(mailing.log()).not.toContain('hunter2')
    smtp = await startSmtpServer({ ...smtpOptions, port })
    expect((await signUp('hasty@example.org')).status).toBe(202)
    expect(await problemsOf(mailing)).not.toContain('mail_failing')
  })

  test('an address gets only so many mails a day, from whatever network', async () => {
    const limited = await serve(
      dataDir,
      { ...settings(), REQUESTS_PER_MINUTE: '20', TRUST_PROXY: '1' },
      { passwordCost: cheapPasswords, PUBLIC_URL: origin },
    )
    const { now } = Date
    const statuses: number[] = []
    try {
      for (let i = 0; i < 6; i++) {
        // More than the quarter of an hour for which attempts count.
        Date.now = () => now() + i * 16 * 60_000
        const visitor = new Visitor(limited, documented, { 'x-forwarded-for': `203.0.113.${i}` })
        statuses.push((await visitor.post('/v1/accounts', { email: 'flooded@example.org' })).status)
      }
    } finally {
      Date.now = now
      await limited.close()
    }
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429])
  })

  test('where people are invited, no mail is sent', async () => {
    const invited = await serve(
      dataDir,
      { ...settings(), SIGN_UP: 'invited' },
      { passwordCost: cheapPasswords, PUBLIC_URL: origin },
    )
    const visitor = new Visitor(invited, documented)
    expect((await visitor.post('/v1/accounts', { email: 'stranger@example.org' })).status).toBe(403)
    expect((await visitor.get('/v1/access')).answer.data[0]).toMatchObject({ sign_up_mail: false })
    expect(mailsTo('stranger@example.org')).toEqual([])
    await invited.close()
  })
})

const problemsOf = async ({ url }: TestServer): Promise<string[]> => {
  const { problems } = await (await fetch(`${url}/health`)).json()
  return problems.map(({ code }: { readonly code: string }) => code)
}
