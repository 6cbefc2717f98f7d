import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { lastDay, makeServedChain, type ServedChain } from './support/served-chain.ts'
import { headersByTier, serve, type TestServer, withoutLimits } from './support/test-server.ts'

/**
 * What one caller does to a service, and what another one notices of it: bounds, not times.
 * `npm run bench -- abuse` measures.
 */

const unreadFor = 300
const megabytes = 4

let chain: ServedChain
let server: TestServer
let poor: TestServer
let many: Record<string, string>
let other: Record<string, string>

beforeAll(async () => {
  chain = await makeServedChain()
  const keys = await headersByTier(chain.dataDir)
  many = keys.get('enterprise')!
  other = keys.get('pro')!
  server = await serve(
    chain.dataDir,
    { ...withoutLimits, MEGABYTES_IN_FLIGHT: String(megabytes), METRICS_PORT: '0' },
    { idleTimeoutMs: unreadFor },
  )
  poor = await serve(chain.dataDir, { ...withoutLimits, CELLS_PER_MINUTE: '100000' })
})
afterAll(async () => {
  await server?.close()
  await poor?.close()
  chain?.remove()
})

/** Half a megabyte or more, no two of them alike. */
async function longAnswers(): Promise<(i: number) => string> {
  const list = await fetch(`${server.url}/v1/metrics/index`, { headers: many })
  const { data }: { data: { id: string }[] } = await list.json()
  const ids = data.map(({ id }) => id).filter((id) => /^(lth|sth)_/.test(id))
  const metrics = ids.slice(0, 50).join(',')
  return (i) => `/v1/series?metrics=${metrics}&limit=10000&end_date=${isoDate(lastDay - i)}`
}

const bytesInFlight = async (): Promise<number> => {
  const text = await (await fetch(server.metricsUrl!)).text()
  return Number(/^coinstrata_http_bytes_in_flight (\d+)/m.exec(text)?.[1])
}

test('what nobody reads is bounded by caller, ended after a while, and delays nobody else', async () => {
  const target = await longAnswers()
  const { hostname, port } = new URL(server.url)
  const sockets: Socket[] = []
  for (let i = 0; i < 4; i++) {
    const socket = connect(Number(port), hostname).pause()
    // Twelve would find room in the buffers of the operating system.
    for (let j = 0; j < 20; j++) {
      const request = `GET ${target(20 * i + j)} HTTP/1.1\r\nHost: x\r\nAuthorization: ${many.authorization}\r\n\r\n`
      socket.write(request)
    }
    sockets.push(socket.on('error', () => socket.destroy()))
  }
  let most = 0
  const statuses = new Set<number>()
  // The first thread that encodes long answers has to start.
  for (let i = 0; i < 20 || (most <= megabytes * 2 ** 18 && i < 500); i++) {
    const response = await fetch(`${server.url}/v1/prices?limit=${100 + i}`, { headers: other })
    await response.arrayBuffer()
    statuses.add(response.status)
    most = Math.max(most, await bytesInFlight())
  }
  expect([...statuses]).toEqual([200])
  expect(most).toBeGreaterThan(megabytes * 2 ** 18)
  // A quarter of the bound, and the two that began below it.
  expect(most).toBeLessThan(2 * megabytes * 2 ** 20)
  // A reader is served once the server has ended the unread answers.
  expect((await fetch(server.url + target(150), { headers: many })).status).toBe(200)
  await expect.poll(bytesInFlight, { timeout: 20_000 }).toBe(0)
  for (const socket of sockets) socket.destroy()
})

test('formulas of one caller do not make another wait for all of them', async () => {
  let answered = 0
  const formula = (text: string, headers: Record<string, string>) =>
    fetch(`${server.url}/v1/series?limit=1&formula=${encodeURIComponent(text)}`, { headers })
  const nested = `${'median('.repeat(40)}price${',9)'.repeat(40)}`
  const flood = Array.from({ length: 60 }, (_, i) =>
    formula(`${nested}+${i}`, many).then(async (response) => {
      await response.arrayBuffer()
      answered++
      return response.status
    }),
  )
  while (answered === 0) await setTimeout(1)
  const before = answered
  expect((await formula(`${nested}*2`, other)).status).toBe(200)
  expect(answered - before).toBeLessThan(20)
  // Refused would be told to come again; none is blamed.
  expect([...new Set(await Promise.all(flood))].filter((status) => status !== 200 && status !== 503)).toEqual([])
})

test('who has had its cells of the minute read waits, is told which budget it was, and keeps what is here already', async () => {
  // Those of the others have been spent at the server that shares its data folder and counts.
  const ask = (limit: number, headers: Record<string, string>) =>
    fetch(`${poor.url}/v1/prices?limit=${limit}`, { headers })
  expect((await ask(100, {})).status).toBe(200)
  let refused: Response | undefined
  for (let limit = 101; !refused && limit < 360; limit++) {
    const response = await ask(limit, {})
    if (response.status !== 200) refused = response
  }
  expect(refused?.status).toBe(429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused?.headers.get('ratelimit')).toMatch(/"cells";r=0;t=\d+/)
  expect(await refused?.json()).toMatchObject({
    error: { code: 'budget_exceeded', details: { budget: 'cells', tier: 'demo', limit: 20_000 } },
  })
  expect((await ask(100, {})).status).toBe(200)
})
