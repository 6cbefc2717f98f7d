import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createKey, revokeKey } from '#accounts/commands.ts'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { accountsSchema, toPostgres } from '#accounts/database/schema.ts'
import { openAccountStores } from '#accounts/services.ts'
import { defaultTimes } from '#accounts/webhooks/delivery-loop.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import {
  bearer,
  cheapPasswords,
  password,
  serve,
  type TestServer,
  temporaryDataDir,
  withoutLimits,
} from '../api/support/test-server.ts'
import { hasPostgres, type RunningPostgres, startPostgres } from '../support/postgres.ts'
import { testAllStores } from './all-stores.ts'
import { testCopiedAccounts } from './copied-accounts.ts'

/** Shorter than the default of ten seconds, so that tests need not wait. */
const callerCacheMs = 400

describe.skipIf(!hasPostgres)('accounts in PostgreSQL', () => {
  const { dataDir, remove } = temporaryDataDir()
  let postgres: RunningPostgres
  let [here, there]: TestServer[] = []
  const place = () => ({ DATA_DIR: dataDir, DATABASE_URL: postgres.url })
  const start = () =>
    // Its webhooks and alerts would take part in the deliveries of the store tests.
    serve(
      dataDir,
      { ...withoutLimits, DATABASE_URL: postgres.url, WEBHOOKS: 'off' },
      { passwordCost: cheapPasswords, callerCacheMs, webhookTimes: { ...defaultTimes, pollMs: 3_600_000 } },
    )

  beforeAll(async () => {
    await publishSmallGeneration(dataDir)
    postgres = await startPostgres()
    ;[here, there] = [await start(), await start()]
  })
  afterAll(async () => {
    for (const server of [here, there]) {
      expect(server?.log()).not.toContain('secret-password')
      await server?.close()
    }
    await postgres?.remove()
    remove()
  })

  testAllStores(() => PostgresAccounts.open(postgres.url, 0))
  testCopiedAccounts(() => postgres.url)

  /** A new database with accounts of a version; returns its address. */
  const databaseOf = async (name: string, version: number, sql = ''): Promise<string> => {
    const client = new pg.Client(postgres.url)
    await client.connect()
    await client.query(`CREATE DATABASE ${name}`)
    await client.end()
    const url = postgres.url.replace(/postgres$/, name)
    const other = new pg.Client(url)
    await other.connect()
    await other.query(
      `CREATE TABLE coinstrata_schema (version BIGINT NOT NULL); INSERT INTO coinstrata_schema VALUES (${version}); ${sql}`,
    )
    await other.end()
    return url
  }

  test('accounts of the first version are brought up to date, once', async () => {
    const url = await databaseOf('released', 1, toPostgres(accountsSchema[0]!))
    const databases = [await PostgresAccounts.open(url, 0), await PostgresAccounts.open(url, 0)]
    await Promise.all(databases.map((database) => database.ready()))
    for (const database of databases) await database.close()
    const stores = await openAccountStores({ DATA_DIR: dataDir, DATABASE_URL: url })
    const { id } = (await stores.accounts.create('old@example.org', 'pro'))!
    expect((await stores.keys.create(id, 'x', undefined, 5, { tier: 'pro' }))!.record.limits).toEqual({ tier: 'pro' })
    expect(await stores.accountLog.list(id)).toHaveLength(2)
    await stores.close()
  })

  test('tables of another version are refused', async () => {
    const url = await databaseOf('other', accountsSchema.length + 1)
    const stores = await openAccountStores({ DATA_DIR: dataDir, DATABASE_URL: url })
    await expect(stores.accounts.list()).rejects.toMatchObject({
      code: 'data_folder_mismatch',
      message: expect.stringContaining(`schema ${accountsSchema.length + 1}`),
      cure: expect.stringContaining('another DATABASE_URL'),
    })
    await stores.close()
  })

  const newKey = async (email: string): Promise<string> => {
    await createAccount(place(), email, 'pro')
    const [key = ''] = (await createKey(place(), email, 'x')).split('\n')
    return key
  }
  /** Status, code and duration of a request with a key; without one it is refused. */
  const ask = async (server: TestServer | undefined, key: string) => {
    const began = performance.now()
    const response = await fetch(`${server?.url}/v1/holder/profit?limit=1`, { headers: bearer(key) })
    const { error } = await response.json()
    return {
      status: response.status,
      code: error?.code,
      retry: response.headers.get('retry-after'),
      ms: performance.now() - began,
    }
  }
  const statusOf = async (server: TestServer | undefined, key: string) => (await ask(server, key)).status

  test('what one machine is told holds on the other', async () => {
    await createAccount(place(), 'both@example.org', 'pro', password)
    const post = (server: TestServer | undefined, path: string, body: object, cookie = '') =>
      fetch(`${server?.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      })
    const [line = ''] = (
      await post(here, '/v1/sessions', { email: 'both@example.org', password })
    ).headers.getSetCookie()
    const [cookie = ''] = line.split(';')
    const account = async () => (await fetch(`${there?.url}/v1/account`, { headers: { cookie } })).status
    expect(await account()).toBe(200)
    const { data } = await (await post(there, '/v1/keys', { name: 'x' }, cookie)).json()
    const { id, key } = data[0]
    expect([await statusOf(here, key), await statusOf(there, key)]).toEqual([200, 200])
    // PostgreSQL refuses NUL in texts.
    expect((await post(there, '/v1/keys', { name: 'a\0b' }, cookie)).status).toBe(400)
    expect((await fetch(`${here?.url}/v1/keys/%00`, { method: 'DELETE', headers: { cookie } })).status).toBe(400)
    await fetch(`${here?.url}/v1/keys/${id}`, { method: 'DELETE', headers: { cookie } })
    expect(await statusOf(here, key)).toBe(401)
    await expect.poll(() => statusOf(there, key), { timeout: 2 * callerCacheMs + 500 }).toBe(401)
    await fetch(`${here?.url}/v1/sessions/current`, { method: 'DELETE', headers: { cookie } })
    expect(await account()).toBe(401)
  })

  test('while it is gone, known keys hold on at once, and nobody is taken for somebody else', async () => {
    const [known, unknown] = [await newKey('known@example.org'), await newKey('unknown@example.org')]
    expect(await statusOf(here, known)).toBe(200)
    await postgres.kill()
    await setTimeout(callerCacheMs)
    for (let i = 0; i < 5; i++) {
      const answer = await ask(here, known)
      expect(answer.status).toBe(200)
      expect(answer.ms).toBeLessThan(1_000)
      expect(await ask(here, unknown)).toMatchObject({ status: 503, code: 'storage_unavailable', retry: '5' })
    }
    const failures = here
      ?.log()
      .split('\n')
      .filter((line) => line.includes('request failed'))
    expect(failures?.length).toBeGreaterThan(0)
    for (const line of failures ?? []) expect(line).toMatch(/PostgreSQL (did|does) not answer/)
    const late = await start()
    expect(late.log()).toContain('PostgreSQL does not answer')
    expect((await fetch(`${late.url}/v1/prices?limit=1`)).status).toBe(200)
    const health = await fetch(`${here?.url}/health`)
    expect(health.status).toBe(200)
    expect((await health.json()).problems).toContainEqual(expect.objectContaining({ code: 'accounts_unavailable' }))
    expect(await statusOf(late, known)).toBe(503)
    await expect(revokeKey(place(), 'cs_0')).rejects.toMatchObject({ code: 'accounts_unavailable' })
    await postgres.start()
    for (const server of [here, there, late]) {
      await expect.poll(() => statusOf(server, unknown), { timeout: 5_000 }).toBe(200)
    }
    await late.close()
  })

  test('while it does not answer, known keys do not wait for it', async () => {
    const [known, unknown] = [await newKey('waiting@example.org'), await newKey('stranger@example.org')]
    expect(await statusOf(here, known)).toBe(200)
    postgres.signal('SIGSTOP')
    try {
      await setTimeout(callerCacheMs)
      const stranger = ask(here, unknown)
      const answers = []
      for (let i = 0; i < 10; i++) answers.push(await ask(here, known))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(answers.map(({ ms }) => ms).sort((a, b) => a - b)[5]).toBeLessThan(200)
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_000)
      expect(await stranger).toMatchObject({ status: 503, retry: '5' })
    } finally {
      postgres.signal('SIGCONT')
    }
    await expect.poll(() => statusOf(here, unknown), { timeout: 10_000 }).toBe(200)
  })

  test('what it refuses is told without the password', async () => {
    for (const wrong of [
      postgres.url.replace('secret-password', 'wrong-password'),
      postgres.url.replace(/postgres$/, 'missing'),
      postgres.url.replace(/:\d+\//, ':99999/'),
    ]) {
      const tried = (async () => {
        const { accounts } = await openAccountStores({ ...place(), DATABASE_URL: wrong })
        await accounts.list()
      })()
      const error = await tried.catch((one: unknown) => one)
      expect(error).toMatchObject({ code: 'invalid_configuration' })
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/(secret|wrong)-password/)
    }
  })
})
