import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccountStores } from '#accounts/services.ts'
import { writeToday } from '#compute/live/write-today.ts'
import { type EventName, eventData } from '#contract/events.ts'
import { rollBackToGeneration, switchToGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { recordAttempt, snapshotName } from '#state/source-attempts.ts'
import { openDay } from './support/served-chain.ts'
import { firstDay, publishSmallGeneration } from './support/small-generation.ts'
import { bearer, keyOf, serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer

beforeAll(async () => {
  await publishSmallGeneration(dataDir, 'g1', { created_at: '2024-02-04T01:00:00Z', last_date: '2024-02-03' })
  await publishSmallGeneration(dataDir, 'g2')
  switchToGeneration(dataDir, 'g1')
  server = await serve(dataDir, withoutLimits)
})
afterAll(async () => {
  await server?.close()
  remove()
})

interface Heard {
  readonly id: string
  readonly event: EventName
  readonly data: Record<string, unknown>
}

/** A connection to the events of a server; what comes is checked against the contract. */
class Ear {
  readonly status: number
  readonly heard: Heard[] = []
  /** Resolves when the server has ended it, with how. */
  readonly ended: Promise<string>
  readonly #stop: AbortController

  private constructor(response: Response, stop: AbortController) {
    this.status = response.status
    this.#stop = stop
    this.ended = this.#read(response).then(
      () => 'cleanly',
      () => 'broken off',
    )
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Ear> {
    const stop = new AbortController()
    return new Ear(await fetch(`${url}/v1/events`, { headers, signal: stop.signal }), stop)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.ended
  }

  readonly events = (): string[] => this.heard.map(({ event, data }) => `${event} ${data.generation ?? ''}`.trim())

  async #read(response: Response): Promise<void> {
    let text = ''
    for await (const bytes of response.body!) {
      text += new TextDecoder().decode(bytes)
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const [, id, event, data] = /^id: (\S+)\nevent: (\w+)\ndata: (.*)$/.exec(message) ?? []
        if (id === undefined || data === undefined) continue
        const name = event as EventName
        eventData[name].parse(JSON.parse(data))
        this.heard.push({ id, event: name, data: JSON.parse(data) })
      }
    }
  }
}

const putToday = (height: number): Promise<void> =>
  withSession({ temporaryFolder: `${dataDir}/tmp` }, (connection) =>
    writeToday(connection, dataDir, { ...openDay(firstDay + 400), as_of_height: height }),
  )

test('what is the case is told at once, and then what changes, with where to ask for it', async () => {
  const ear = await Ear.open(server.url)
  await expect.poll(ear.events).toEqual(['generation g1'])
  expect(ear.heard[0]!.data).toEqual({
    generation: 'g1',
    published_at: '2024-02-04T01:00:00Z',
    last_date: '2024-02-03',
    tip_height: 57_600,
    tip_hash: 'a'.repeat(64),
    fetch: '/v1/status',
  })
  switchToGeneration(dataDir, 'g2')
  await expect.poll(ear.events).toEqual(['generation g1', 'generation g2'])
  await putToday(7)
  await expect.poll(ear.events).toHaveLength(3)
  expect(ear.heard[2]).toMatchObject({ event: 'today', data: { as_of_height: 7, fetch: '/v1/today' } })
  recordAttempt(dataDir, snapshotName('kraken'), { at: 5_000, outcome: 'ok' })
  await expect.poll(ear.events).toHaveLength(4)
  expect(ear.heard[3]).toMatchObject({ event: 'market', data: { snapshot_at: '1970-01-01T00:00:05.000Z' } })
  rollBackToGeneration(dataDir, 'g1')
  await expect.poll(ear.events).toHaveLength(5)
  expect(ear.events().at(-1)).toBe('generation g1')
  await ear.close()
})

test('who shows the last event that came is told what differs from it, also after a restart', async () => {
  const ear = await Ear.open(server.url)
  await expect.poll(ear.events).toEqual(['generation g1', 'today', 'market'])
  const ids = ear.heard.map(({ id }) => id)
  await ear.close()
  const another = await serve(dataDir, withoutLimits)
  const toldAfter = async (id: string): Promise<string[]> => {
    const again = await Ear.open(another.url, { 'last-event-id': id })
    switchToGeneration(dataDir, 'g2')
    await expect.poll(() => again.events().at(-1)).toBe('generation g2')
    await again.close()
    const marker = await Ear.open(another.url)
    switchToGeneration(dataDir, 'g1')
    await expect.poll(() => marker.events().at(-1)).toBe('generation g1')
    await marker.close()
    return again.events()
  }
  expect(await toldAfter(ids[2]!)).toEqual(['generation g2'])
  expect(await toldAfter(ids[0]!)).toEqual(['today', 'market', 'generation g2'])
  expect(await toldAfter('no id of ours')).toEqual(['generation g1', 'today', 'market', 'generation g2'])
  await another.close()
})

test('200 listeners are told within a second, and a server that stops lets them go', async () => {
  const many = await serve(dataDir, { ...withoutLimits, ACCESS: 'open', METRICS_PORT: '0' })
  const ears = await Promise.all(Array.from({ length: 200 }, () => Ear.open(many.url)))
  expect(await (await fetch(many.metricsUrl!)).text()).toMatch(/^coinstrata_event_listeners 200$/m)
  await expect.poll(() => ears.every(({ heard }) => heard.length === 3)).toBe(true)
  const times: number[] = []
  // On a busy machine one or the other takes longer.
  for (const [i, generation] of ['g2', 'g1', 'g2'].entries()) {
    const begin = performance.now()
    switchToGeneration(dataDir, generation)
    await expect.poll(() => ears.every(({ heard }) => heard.length === 4 + i), { interval: 10 }).toBe(true)
    times.push(performance.now() - begin)
  }
  expect(Math.min(...times), times.join(', ')).toBeLessThan(1_000)
  await many.close()
  expect(new Set(await Promise.all(ears.map(({ ended }) => ended)))).toEqual(new Set(['cleanly']))
  switchToGeneration(dataDir, 'g1')
})

test('a caller, and all together, have so many connections at a time', async () => {
  const few = await serve(dataDir, { ...withoutLimits, EVENT_LISTENERS: '11' })
  const ears = await Promise.all(Array.from({ length: 10 }, () => Ear.open(few.url)))
  const ask = async (headers: Record<string, string> = {}) => {
    const stop = new AbortController()
    const response = await fetch(`${few.url}/v1/events`, { headers, signal: stop.signal })
    const code = response.ok ? 'open' : (await response.json()).error.code
    return { status: response.status, code, wait: response.headers.get('retry-after'), close: () => stop.abort() }
  }
  expect(await ask()).toMatchObject({ status: 429, code: 'rate_limited', wait: '30' })
  const key = bearer(await keyOf(dataDir, 'pro'))
  const last = await ask(key)
  expect(last.code).toBe('open')
  expect(await ask(key)).toMatchObject({ status: 503, code: 'events_overloaded', wait: '30' })
  last.close()
  await ears[0]!.close()
  await expect.poll(async () => (await Ear.open(few.url)).status).toBe(200)
  await few.close()
})

test('a key that was revoked hears nothing more', async () => {
  const headers = bearer(await keyOf(dataDir, 'pro', 'revoked@example.org'))
  const ear = await Ear.open(server.url, headers)
  // The server may still be opening the generation of the test before.
  await expect.poll(ear.events).toContain('generation g1')
  await expect.poll(() => ear.heard.length).toBeGreaterThanOrEqual(3)
  const heard = [...ear.heard]
  const services = await openAccountStores({ DATA_DIR: dataDir })
  await services.keys.revoke(headers.authorization!.split(/[ _]/).slice(1, 3).join('_'))
  await services.close()
  expect(await ear.ended).toBe('cleanly')
  expect(ear.heard).toEqual(heard)
  expect((await Ear.open(server.url, headers)).status).toBe(401)
})

test('only GET and HEAD are served, and only as events', async () => {
  const ask = (method: string, accept = '*/*') => fetch(`${server.url}/v1/events`, { method, headers: { accept } })
  const head = await ask('HEAD')
  expect([head.status, head.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/event-stream')])
  expect((await ask('POST')).status).toBe(405)
  expect((await ask('GET', 'application/json')).status).toBe(406)
})
