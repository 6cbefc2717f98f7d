import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createResetLink } from '#accounts/commands.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import { openAccountStores } from '#accounts/services.ts'
import { maxSessions } from '#accounts/sessions.ts'
import { linkAddress } from '#api/http/service-address.ts'
import { backUp } from '#root/cli/backup.ts'
import { Authenticator } from '../api/support/authenticator.ts'
import { bytesOfBase32 } from '../api/support/base32.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import {
  bearer,
  cheapPasswords,
  password,
  serve,
  signIn,
  type TestServer,
  temporaryDataDir,
  withoutLimits,
} from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

serveOwnFolder({ TRUST_PROXY: '1' })
let documented: Documented

beforeAll(async () => {
  documented = await Documented.read(server.url)
})

/** A browser that has signed in to an account of its own. */
async function signedIn(
  email: string,
  headers: Readonly<Record<string, string>> = {},
  at: TestServer = server,
): Promise<Visitor> {
  const visitor = new Visitor(at, documented, headers)
  visitor.cookie = await signIn(at, dataDir, email, 'pro')
  return visitor
}

/** Moves the last confirmation of all sessions into the past. */
function minutesPass(minutes: number): void {
  const database = new DatabaseSync(path.join(dataDir, 'state', 'accounts.db'))
  database.prepare('UPDATE sessions SET confirmed_at = confirmed_at - ?').run(minutes * 60_000)
  database.close()
}

const codeNow = (secret: Buffer, steps = 0): string => computeCode(secret, Math.floor(Date.now() / 30_000) + steps)

describe('giving the password again', () => {
  test('is asked for ten minutes after it was given, before anything that matters', async () => {
    const visitor = await signedIn('again@example.org')
    minutesPass(11)
    const guarded = [
      () => visitor.post('/v1/keys', { name: 'x' }),
      () => visitor.post('/v1/account/codes'),
      () => visitor.post('/v1/account/recovery-codes'),
      () => visitor.post('/v1/passkeys/registration'),
      () => visitor.delete('/v1/passkeys/x'),
      () => visitor.delete('/v1/account/codes'),
      () => visitor.delete('/v1/account'),
    ]
    for (const ask of guarded) {
      const { status, answer } = await ask()
      expect([status, answer.error?.code]).toEqual([403, 'confirmation_needed'])
    }
    expect((await visitor.get('/v1/account')).answer.data[0]!.confirmed_until).toBeNull()
    const confirm = (given: string) => visitor.post('/v1/sessions/current/confirmation', { password: given })
    expect([(await confirm('wrong')).status, (await visitor.post('/v1/keys', { name: 'x' })).status]).toEqual([
      401, 403,
    ])
    expect((await confirm(password)).answer.data[0]!.confirmed_until).not.toBeNull()
    expect((await visitor.post('/v1/keys', { name: 'x' })).status).toBe(201)
  })

  test('must not be tried without end, whoever is signed in', async () => {
    const limited = await serve(dataDir, { ...withoutLimits, REQUESTS_PER_MINUTE: '50', TRUST_PROXY: '1' })
    const cookie = await signIn(server, dataDir, 'stolen@example.org')
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const thief = new Visitor(limited, documented, { 'x-forwarded-for': `203.0.113.${i}` })
      thief.cookie = cookie
      statuses.push((await thief.post('/v1/sessions/current/confirmation', { password: `${i}` })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await limited.close()
  })
})

test('a new password ends all other sessions, and renews this one', async () => {
  const [here, there] = [await signedIn('change@example.org'), await signedIn('change@example.org')]
  const before = here.cookie
  const change = (given: string, next: string) =>
    here.post('/v1/account/password', { password: given, new_password: next })
  const refused = await Promise.all([change('wrong', 'quite another one'), change(password, 'passwordpassword')])
  expect(refused.map(({ status }) => status)).toEqual([401, 400])
  expect((await change(password, 'quite another one')).status).toBe(200)
  expect(here.cookie).not.toBe(before)
  expect([(await here.get('/v1/account')).status, (await there.get('/v1/account')).status]).toEqual([200, 401])
  here.cookie = before
  expect((await here.get('/v1/account')).status).toBe(401)
  const signInWith = (given: string) => there.post('/v1/sessions', { email: 'change@example.org', password: given })
  expect([(await signInWith(password)).status, (await signInWith('quite another one')).status]).toEqual([401, 201])
})

test('sessions are listed, and ended one by one or all', async () => {
  const [here, there] = [await signedIn('many@example.org'), await signedIn('many@example.org')]
  const other = await signedIn('other@example.org')
  const list = async () => (await here.get('/v1/sessions')).answer.data
  expect((await list()).map(({ is_current }) => is_current).sort()).toEqual([false, true])
  const id = (await list()).find(({ is_current }) => !is_current)!.id
  expect((await other.delete(`/v1/sessions/${id}`)).status).toBe(404)
  expect((await here.delete(`/v1/sessions/${id}`)).status).toBe(200)
  expect((await there.get('/v1/account')).status).toBe(401)
  await signedIn('many@example.org')
  expect((await here.delete('/v1/sessions')).answer.data).toEqual([{ ended: 1 }])
  expect(await list()).toHaveLength(1)
  expect((await other.get('/v1/account')).status).toBe(200)
})

test('an account has at most a hundred sessions: a new one ends the least recently used', async () => {
  const first = await signedIn('sessions@example.org')
  const services = await openAccountStores({ DATA_DIR: dataDir })
  const [own, other] = await Promise.all(
    ['sessions@example.org', 'many@example.org'].map((email) => services.accounts.require(email)),
  )
  const before = (await services.sessions.list(other!.id, '')).length
  const tokens: string[] = []
  for (let i = 0; i < maxSessions; i++) tokens.push(await services.sessions.start(own!.id))
  expect(await services.sessions.list(own!.id, '')).toHaveLength(maxSessions)
  expect(await services.sessions.list(other!.id, '')).toHaveLength(before)
  for (const token of [tokens[0]!, tokens.at(-1)!]) expect(await services.sessions.findUncached(token)).toBeDefined()
  await services.close()
  await expect.poll(async () => (await first.get('/v1/account')).status, { timeout: 5_000 }).toBe(401)
})

test('a deleted account is gone with its keys, sessions and usage', async () => {
  const visitor = await signedIn('gone@example.org')
  const services = await openAccountStores({ DATA_DIR: dataDir })
  const { id } = await services.accounts.require('gone@example.org')
  await services.close()
  const { key } = (await visitor.post('/v1/keys', { name: 'x' })).answer.data[0]!
  await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })
  await visitor.post('/v1/account/codes')
  expect((await visitor.get('/v1/usage')).answer.data.length).toBeGreaterThan(2)
  const { cookie } = visitor
  expect((await visitor.delete('/v1/account')).answer.data).toEqual([{ email: 'gone@example.org' }])
  expect(visitor.cookie).toBe('')
  visitor.cookie = cookie
  expect((await visitor.get('/v1/account')).status).toBe(401)
  expect((await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })).status).toBe(401)
  expect((await visitor.post('/v1/sessions', { email: 'gone@example.org', password })).status).toBe(401)
  const counted = new DatabaseSync(path.join(dataDir, 'state', 'limits.db'))
  const callers = counted.prepare("SELECT caller FROM counters WHERE caller LIKE 'account %'").all()
  counted.close()
  expect(callers.filter(({ caller }) => String(caller).split(' ')[1] === String(id))).toEqual([])
})

describe('one-time codes', () => {
  test('are needed once their owner has shown that the app makes them, and hold once', async () => {
    const visitor = await signedIn('codes@example.org')
    const started = (await visitor.post('/v1/account/codes')).answer.data[0]!
    const secret = bytesOfBase32(started.secret)
    expect([secret.length, started.otpauth_url]).toEqual([20, expect.stringContaining(`secret=${started.secret}&`)])
    const body = { email: 'codes@example.org', password }
    const guest = new Visitor(server, documented)
    // Not needed before it is proved.
    expect((await guest.post('/v1/sessions', body)).status).toBe(201)
    expect((await visitor.post('/v1/account/codes/confirmation', { code: '000000' })).status).toBe(401)
    const first = codeNow(secret, -1)
    const confirmed = await visitor.post('/v1/account/codes/confirmation', { code: first })
    expect(confirmed.answer.data[0]!.recovery_codes).toHaveLength(10)
    expect((await visitor.post('/v1/account/codes')).status).toBe(403)
    expect((await visitor.get('/v1/account')).answer.data[0]).toMatchObject({
      second_factor: true,
      recovery_codes_left: 10,
    })

    const codeless = await guest.post('/v1/sessions', body)
    expect([codeless.status, codeless.answer.error?.code]).toEqual([401, 'second_factor_needed'])
    const wrongPassword = await guest.post('/v1/sessions', { ...body, password: 'wrong' })
    expect(wrongPassword.answer.error?.code).toBe('invalid_credentials')
    const signInBy = (code: string) => guest.post('/v1/sessions', { ...body, code })
    // The one that was used to confirm no longer holds, and none before it.
    expect((await signInBy(first)).status).toBe(401)
    const code = codeNow(secret, 1)
    const both = await Promise.all([signInBy(code), signInBy(code)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
    expect((await signInBy(codeNow(secret, 0))).status).toBe(401)

    const [recovery = '', second = ''] = confirmed.answer.data[0]!.recovery_codes
    expect(recovery).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    expect((await signInBy(recovery.toLowerCase().replaceAll('-', ' '))).status).toBe(201)
    expect((await signInBy(recovery)).status).toBe(401)
    const renewed = (await visitor.post('/v1/account/recovery-codes')).answer.data[0]!.recovery_codes
    expect([(await signInBy(second)).status, (await signInBy(renewed[0]!)).status]).toEqual([401, 201])

    expect((await visitor.delete('/v1/account/codes')).answer.data[0]).toMatchObject({ recovery_codes_left: 0 })
    expect((await guest.post('/v1/sessions', body)).status).toBe(201)
  })

  test('have secrets that neither the database nor a backup reveals, and are refused without their key', async () => {
    const folder = temporaryDataDir()
    const at = (name: string) => path.join(folder.dataDir, name)
    const keyFile = at('state/secrets.key')
    const holds = (name: string, bytes: Buffer | string) => readFileSync(at(name)).includes(bytes)
    const body = { email: 'secret@example.org', password }
    const withServer = async <T>(
      settings: object,
      ask: (guest: Visitor, url: string, logged: () => string) => Promise<T>,
    ) => {
      const own = await serve(folder.dataDir, { ...withoutLimits, ...settings })
      try {
        return await ask(new Visitor(own, documented), own.url, own.log)
      } finally {
        await own.close()
      }
    }
    const enrol = (email: string) =>
      withServer({}, async (guest, url) => {
        guest.cookie = await signIn({ url }, folder.dataDir, email)
        const secret = bytesOfBase32((await guest.post('/v1/account/codes')).answer.data[0]!.secret)
        const confirmed = await guest.post('/v1/account/codes/confirmation', { code: codeNow(secret, -1) })
        return { secret, recovery: confirmed.answer.data[0]!.recovery_codes[0]! }
      })
    const { secret, recovery } = await enrol(body.email)
    const other = await enrol('other.secret@example.org')
    const text = readFileSync(keyFile, 'utf8').trim()
    backUp(folder.dataDir, at('backup.db'))
    expect([statSync(keyFile).mode & 0o777, text.length]).toEqual([0o600, 44])
    for (const name of ['state/accounts.db', 'backup.db']) {
      expect([name, holds(name, other.secret), holds(name, text)]).toEqual([name, false, false])
      expect([name, holds(name, secret)]).toEqual([name, false])
    }

    const change = (sql: string) => {
      const database = new DatabaseSync(at('state/accounts.db'))
      database.exec(sql)
      database.close()
    }
    const signInBy = (guest: Visitor, code?: string) => guest.post('/v1/sessions', { ...body, code })
    await withServer({}, async (guest) => expect((await signInBy(guest, codeNow(secret))).status).toBe(201))

    renameSync(keyFile, at('saved.key'))
    for (const settings of [{}, { SECRETS_KEY: Buffer.alloc(32).toString('base64') }]) {
      await withServer(settings, async (guest, url, logged) => {
        expect((await signInBy(guest)).answer.error?.code).toBe('second_factor_needed')
        const { status, answer } = await signInBy(guest, codeNow(secret, 1))
        expect([status, answer.error?.code, guest.cookie]).toEqual([503, 'storage_unavailable', ''])
        expect(answer.message).toContain('SECRETS_KEY')
        expect(logged().match(/"code":"secrets_key_wrong"/g)).toHaveLength(2)
        guest.cookie = await signIn({ url }, folder.dataDir, 'third@example.org')
        expect([(await guest.post('/v1/account/codes')).status, existsSync(keyFile)]).toEqual([503, false])
      })
    }
    await withServer({}, async (guest) => expect((await signInBy(guest, recovery)).status).toBe(201))
    await withServer({ SECRETS_KEY: text }, async (guest) =>
      expect((await signInBy(guest, codeNow(secret, 1))).status).toBe(201),
    )
    // A secret counts for its own account only.
    renameSync(at('saved.key'), keyFile)
    change('UPDATE one_time_codes SET last_step = 0, secret = (SELECT max(secret) FROM one_time_codes)')
    const statuses = await withServer({}, async (guest) => [
      (await signInBy(guest, codeNow(secret))).status,
      (await guest.post('/v1/sessions', { ...body, email: 'other.secret@example.org', code: codeNow(other.secret) }))
        .status,
    ])
    expect(statuses.sort()).toEqual([201, 503])
    folder.remove()
  })

  test('are needed after a link of the operator, too, unless it says otherwise', async () => {
    const visitor = await signedIn('kept@example.org')
    const { secret } = (await visitor.post('/v1/account/codes')).answer.data[0]!
    await visitor.post('/v1/account/codes/confirmation', { code: codeNow(bytesOfBase32(secret)) })
    const takeLink = async (forgetFactors: boolean) => {
      const settings = { DATA_DIR: dataDir, SIGN_UP: 'invited', HOST: '127.0.0.1', PORT: 3000, BASE_PATH: '' } as const
      const text = await createResetLink(settings, linkAddress(settings), 'kept@example.org', undefined, forgetFactors)
      const guest = new Visitor(server, documented)
      const token = /#link=([\w-]+)/.exec(text)?.[1]
      const taken = await guest.post('/v1/one-time-links', { token, password })
      return [taken.answer.data[0]!.signed_in, guest.cookie !== '']
    }
    expect([await takeLink(false), await takeLink(true)]).toEqual([
      [false, false],
      [true, true],
    ])
  })
})

describe('passkeys', () => {
  const origin = 'https://data.example.org'
  const site = 'data.example.org'
  const headers = { origin, host: site, 'x-forwarded-proto': 'https', 'x-forwarded-host': site }
  let named: TestServer
  beforeAll(async () => {
    const settings = { ...withoutLimits, TRUST_PROXY: '1' }
    named = await serve(dataDir, settings, { passwordCost: cheapPasswords, PUBLIC_URL: origin })
  })
  afterAll(() => named.close())

  /** A visitor by https, whose cookie has the name that it has there. */
  async function secureVisitor(email: string): Promise<Visitor> {
    const visitor = await signedIn(email, headers, named)
    visitor.cookie = `__Host-${visitor.cookie}`
    return visitor
  }
  const challengeOf = async (visitor: Visitor) =>
    (await visitor.post('/v1/passkeys/challenge')).answer.data[0]!.challenge

  async function withPasskey(email: string, authenticator: Authenticator): Promise<Visitor> {
    const visitor = await secureVisitor(email)
    const options = (await visitor.post('/v1/passkeys/registration')).answer.data[0]!
    expect(options).toMatchObject({ rp: { id: site }, user: { name: email }, attestation: 'none' })
    const credential = authenticator.register({ challenge: options.challenge, origin, site })
    expect((await visitor.post('/v1/passkeys', { name: 'phone', credential })).status).toBe(201)
    return visitor
  }

  test.each(['ec', 'ed25519', 'rsa'] as const)('sign in without a password, by keys of type %s', async (type) => {
    const authenticator = new Authenticator(type)
    const email = `${type}@example.org`
    const owner = await withPasskey(email, authenticator)
    const guest = new Visitor(named, documented, headers)
    const credential = authenticator.assert({ challenge: await challengeOf(guest), origin, site })
    const signedInByIt = await guest.post('/v1/sessions/passkey', { credential })
    expect([signedInByIt.status, signedInByIt.answer.data[0]?.email]).toEqual([201, email])
    // The same answer again is a replay.
    expect((await guest.post('/v1/sessions/passkey', { credential })).status).toBe(401)
    const listed = (await owner.get('/v1/passkeys')).answer.data[0]!
    expect([listed.name, listed.last_used_at === null]).toEqual(['phone', false])

    minutesPass(11)
    const again = authenticator.assert({ challenge: await challengeOf(owner), origin, site })
    expect((await owner.post('/v1/sessions/current/confirmation', { credential: again })).status).toBe(200)
    expect((await owner.delete(`/v1/passkeys/${listed.id}`)).status).toBe(200)
    const gone = authenticator.assert({ challenge: await challengeOf(guest), origin, site })
    expect((await guest.post('/v1/sessions/passkey', { credential: gone })).status).toBe(401)
  })

  test('are refused where anything is amiss', async () => {
    const [authenticator, stranger] = [new Authenticator(), new Authenticator()]
    const owner = await withPasskey('careful@example.org', authenticator)
    const guest = new Visitor(named, documented, headers)
    const right = { origin, site, signCount: 5 }
    const statusOf = async (changed: object, by = authenticator) => {
      const asked = { challenge: await challengeOf(guest), ...right, ...changed }
      return (await guest.post('/v1/sessions/passkey', { credential: by.assert(asked) })).status
    }
    expect(await statusOf({})).toBe(201)
    const amiss: readonly object[] = [
      { challenge: 'A'.repeat(43) },
      { origin: 'https://data.example.com' },
      { site: 'example.org' },
      { type: 'webauthn.create' },
      // The user was present, but nobody looked who it was.
      { flags: 1 },
      // A copy was used meanwhile.
      { signCount: 5 },
      { signCount: 0 },
    ]
    for (const changed of amiss) expect([changed, await statusOf(changed)]).toEqual([changed, 401])
    expect(await statusOf({ signCount: 6 })).toBe(201)
    expect(await statusOf({ signCount: 7 }, stranger)).toBe(401)
    // A signature by another key for the same id.
    const challenge = await challengeOf(guest)
    const forged = {
      ...stranger.assert({ challenge, origin, site, signCount: 8 }),
      id: authenticator.id.toString('base64url'),
    }
    expect((await guest.post('/v1/sessions/passkey', { credential: forged })).status).toBe(401)
    // A challenge for one account makes no passkey of another, and one for signing in makes none.
    const other = await secureVisitor('other.passkey@example.org')
    const { challenge: theirs } = (await other.post('/v1/passkeys/registration')).answer.data[0]!
    for (const wrong of [theirs, await challengeOf(guest)]) {
      const credential = stranger.register({ challenge: wrong, origin, site })
      expect((await owner.post('/v1/passkeys', { name: 'x', credential })).status).toBe(401)
    }
    // A passkey confirms nobody else's session.
    const own = authenticator.assert({ challenge: await challengeOf(guest), origin, site, signCount: 9 })
    expect((await other.post('/v1/sessions/current/confirmation', { credential: own })).status).toBe(401)
  })

  test('belong to the address of the service, whatever origin a request claims', async () => {
    const [authenticator, own] = [new Authenticator(), { origin, site }]
    const claimed = { origin: 'https://evil.example', site: 'evil.example' }
    const visitor = await signedIn(
      'claimed@example.org',
      {
        ...headers,
        origin: claimed.origin,
        'sec-fetch-site': 'same-origin',
      },
      named,
    )
    visitor.cookie = `__Host-${visitor.cookie}`
    const add = async (at: typeof own) => {
      const { challenge, rp } = (await visitor.post('/v1/passkeys/registration')).answer.data[0]!
      const credential = authenticator.register({ challenge, ...at })
      return [rp.id, (await visitor.post('/v1/passkeys', { name: 'x', credential })).status]
    }
    expect(await add(claimed)).toEqual([site, 401])
    expect(await add(own)).toEqual([site, 201])
    const signIn = async (at: typeof own) => {
      const credential = authenticator.assert({ challenge: await challengeOf(visitor), ...at })
      return (await visitor.post('/v1/sessions/passkey', { credential })).status
    }
    expect([await signIn(claimed), await signIn({ ...own, origin: claimed.origin }), await signIn(own)]).toEqual([
      401, 401, 201,
    ])
  })

  test('belong to PUBLIC_URL where that is set', async () => {
    const named = await serve(
      dataDir,
      { ...withoutLimits, TRUST_PROXY: '1' },
      { passwordCost: cheapPasswords, PUBLIC_URL: 'https://public.example.org/data' },
    )
    const challenge = await new Visitor(named, documented, headers).post('/v1/passkeys/challenge')
    await named.close()
    expect([challenge.status, challenge.answer.data[0]?.rpId]).toEqual([201, 'public.example.org'])
  })

  test('need a name and https in PUBLIC_URL, or localhost', async () => {
    const claimed = new Visitor(server, documented, headers)
    expect((await claimed.get('/v1/access')).answer.data[0]!.passkeys).toBe(false)
    expect((await claimed.post('/v1/passkeys/challenge')).answer.error?.code).toBe('forbidden')
    const visitor = await signedIn('plain@example.org')
    for (const path of ['/v1/passkeys/registration', '/v1/passkeys/challenge']) {
      expect((await visitor.post(path)).answer.error?.code).toBe('forbidden')
    }
    const local = new Visitor({ url: server.url.replace('127.0.0.1', 'localhost') }, documented)
    expect((await local.get('/v1/access')).answer.data[0]!.passkeys).toBe(true)
    expect((await local.post('/v1/passkeys/challenge')).answer.data[0]!.rpId).toBe('localhost')
  })
})
