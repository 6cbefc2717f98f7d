import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '#accounts/commands.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { saveOwnMetric } from '#root/cli/own-metrics.ts'
import { Documented } from './support/documented.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { bearer, cheapPasswords, serve, signIn, type TestServer, withoutLimits } from './support/test-server.ts'
import { Visitor } from './support/visitor.ts'

const { path: target } = accountActions.saveMetric
const owner = 'owner@example.org'
const definition = {
  id: 'upper_band',
  title: 'Upper band',
  formula: 'sth_realized_price * 2',
  unit: 'USD',
  description: 'Twice the cost of short-term holders.',
}
let chain: ServedChain
let folder: string

beforeAll(async () => {
  chain = await makeServedChain()
  folder = path.join(chain.dataDir, 'metrics')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
afterAll(() => chain.remove())

const saved = (): string[] => (existsSync(folder) ? readdirSync(folder) : [])

async function withServer(
  settings: Record<string, string>,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await serve(
    chain.dataDir,
    { ...withoutLimits, ...settings },
    {
      passwordCost: cheapPasswords,
      saveMetric: async (...given) => saveOwnMetric(chain.dataDir, ...given),
    },
  )
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

const post = async (server: TestServer, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { message?: string; data?: unknown }
  return { status: response.status, message: answer.message, data: answer.data }
}

describe.each(['open', 'tiered'])('ACCESS=%s', (ACCESS) => {
  test('a browser or program of this machine saves a metric, which is a file that the next update computes', async () => {
    await withServer({ ACCESS }, async (server) => {
      const visitor = new Visitor(server, await Documented.read(server.url))
      const { status, answer } = await visitor.post('/v1/own-metrics', definition)
      expect([status, answer.data]).toEqual([201, [{ file: 'upper_band.json' }]])
      expect(JSON.parse(readFileSync(path.join(folder, 'upper_band.json'), 'utf8'))).toEqual(definition)
      expect(saved()).toEqual(['upper_band.json'])
    })
  })

  test('pages of other sites, proxies and other host names save nothing', async () => {
    await withServer({ ACCESS }, async (server) => {
      const headers: Record<string, string>[] = [
        { origin: 'https://example.org' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'x-forwarded-for': '127.0.0.1' },
        { via: '1.1 proxy' },
      ]
      for (const one of headers) expect((await post(server, definition, one)).status, JSON.stringify(one)).toBe(403)
      // A form of another site can send this type without asking.
      expect((await post(server, definition, { 'content-type': 'text/plain' })).status).toBe(415)
      expect((await fetch(server.url + target)).status).toBe(405)
    })
    await withServer({ ACCESS, TRUST_PROXY: '1' }, async (server) => {
      expect(await post(server, definition)).toMatchObject({
        status: 403,
        message: expect.stringContaining('WALLETS_ACCOUNT'),
      })
    })
    expect(saved()).toEqual([])
  })
})

test('the account that the setting names saves metrics once it has signed in, and no other', async () => {
  await withServer({ WALLETS_ACCOUNT: owner, TRUST_PROXY: '1' }, async (server) => {
    const cookie = await signIn(server, chain.dataDir, owner, 'enterprise')
    const other = await signIn(server, chain.dataDir, 'other@example.org', 'enterprise')
    const refused = [
      { cookie: other },
      bearer((await createKey({ DATA_DIR: chain.dataDir }, owner, 'test')).split('\n')[0]!),
      {},
    ]
    for (const headers of [...refused, { cookie, origin: 'https://example.org' }])
      expect((await post(server, definition, headers)).status).toBe(403)
    expect(saved()).toEqual([])
    expect((await post(server, definition, { cookie, origin: server.url })).status).toBe(201)
  })
})

test('a metric that is wrong, or has the id or file of another, is refused with what to do', async () => {
  await withServer({}, async (server) => {
    expect((await post(server, definition)).status).toBe(201)
    writeFileSync(path.join(folder, 'broken.json'), '{')
    writeFileSync(path.join(folder, 'b.json'), JSON.stringify({ ...definition, id: 'elsewhere', title: 'Elsewhere' }))
    const before = saved().map((name) => readFileSync(path.join(folder, name), 'utf8'))
    const refusals: [object, string][] = [
      [{}, 'the file upper_band.json exists: choose another id'],
      [{ id: 'broken' }, 'the file broken.json exists: choose another id'],
      [{ id: 'elsewhere' }, "elsewhere.json: defines 'elsewhere', as b.json does: give one of the two another id"],
      [{ id: 'mvrv' }, "'mvrv' is a metric of Coinstrata (MVRV), which keeps the name: rename yours"],
      [{ id: '../../upper' }, 'must be at most 63 lower-case letters'],
      [{ id: 'other', title: 'MVRV' }, "'MVRV' is a name of 'mvrv'"],
      [{ id: 'other', formula: 'prize * 2' }, "at position 1, 'prize' is no metric, did you mean 'price'?"],
      [{ id: 'other', formula: 'price +' }, 'the formula ends too early'],
      [{ id: 'other', unit: 'sats' }, 'must be BTC'],
      [{ id: 'other', unit: 'EUR' }, "parameter 'unit'"],
      [{ id: 'other', extra: 1 }, "parameter 'extra'"],
      [{ id: undefined }, "parameter 'id'"],
      [{ id: 'other', formula: 'x'.repeat(1001) }, "parameter 'formula'"],
    ]
    for (const [changes, message] of refusals) {
      const answer = await post(server, { ...definition, ...changes })
      expect([answer.status, answer.message], JSON.stringify(changes)).toEqual([400, expect.stringContaining(message)])
    }
    expect(saved().map((name) => readFileSync(path.join(folder, name), 'utf8'))).toEqual(before)
    expect((await post(server, { ...definition, id: 'other', title: 'Other', formula: 'upper_band / 2' })).status).toBe(
      201,
    )
  })
})
