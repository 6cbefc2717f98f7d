import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { bearer, keyOf, signIn } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

let visitor: Visitor
let holder: ChildProcess

/** Another process that locks the accounts until it is killed. */
async function hold(how: string): Promise<void> {
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    new DatabaseSync(process.argv[1], { timeout: 10_000 }).exec('BEGIN ${how}')
    console.log('held')
    setInterval(() => undefined, 1000)`
  const file = path.join(dataDir, 'state', 'accounts.db')
  holder = spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (holder.stdout) await once(holder.stdout, 'data')
}
async function release(): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return
  holder.kill('SIGKILL')
  await once(holder, 'exit')
}
/** A response and its duration in ms. */
async function timed<T extends { status: number }>(work: () => Promise<T>): Promise<readonly [answer: T, ms: number]> {
  const began = performance.now()
  return [await work(), performance.now() - began]
}

/** Tests that a lock of the accounts delays nobody but who changes something. */
export function testLocked(how: 'IMMEDIATE' | 'EXCLUSIVE'): void {
  serveOwnFolder({}, publishSmallGeneration)
  beforeAll(async () => {
    visitor = new Visitor(server, await Documented.read(server.url))
    visitor.cookie = await signIn(server, dataDir, 'locked@example.org', 'pro')
  })
  afterEach(release)
  afterAll(release)

  test(`a lock that another process holds (${how}) delays nobody but who changes something`, async () => {
    // The first use of a key is saved, which is a change.
    const key = await keyOf(dataDir, 'pro', `${how.toLowerCase()}@example.org`)
    await hold(how)
    const change = timed(() => visitor.post('/v1/keys', { name: 'held' }))
    const asked: (readonly [Response, number])[] = []
    for (const [address, headers] of [
      ['/v1/prices?limit=1', bearer(key)],
      ['/v1/holder/profit?limit=1', bearer(key)],
      ['/v1/prices?limit=2', { cookie: visitor.cookie }],
      ['/v1/account', { cookie: visitor.cookie }],
      ['/health', {}],
    ] as const) {
      asked.push(await timed(() => fetch(server.url + address, { headers })))
    }
    expect(asked.map(([{ status }]) => status)).toEqual([200, 200, 200, 200, 200])
    expect(Math.max(...asked.map(([, ms]) => ms))).toBeLessThan(1_000)
    const [refused, ms] = await change
    expect([refused.status, refused.answer.error?.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'storage_unavailable',
      '5',
    ])
    expect(ms).toBeGreaterThan(1_500)
    await release()
    expect((await visitor.post('/v1/keys', { name: how })).status).toBe(201)
  })
}
