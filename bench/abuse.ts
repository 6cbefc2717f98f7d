import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { request } from 'undici'
import { isoDate, parseDay } from '#base/days.ts'
import { lowerThreadPriority } from '#base/thread-priority.ts'
import { paths } from '#contract/paths.ts'
import { switchLink } from '#sql/files.ts'
import { currentGeneration, publishedFolder, todayFile, todayLink } from '#sql/generation.ts'
import { megabytes, print } from './report.ts'
import {
  authorization,
  type Child,
  createBenchKey,
  demoDataFolder,
  residentBytes,
  samplePeakMemory,
  startChild,
} from './served-demo.ts'
import { createLoadThread, type Latency } from './steady-load.ts'

/** 520 samples, half of them of answers that no cache holds. */
const pace = { perSecond: 40, seconds: 13, connections: 20 }
/** Fifty slow operations over short windows, because null values would be quick. */
const slowFormula = `${'median('.repeat(48)}price+mvrv${Array.from({ length: 48 }, (_, i) => `,${20 + i})`).join('')}`

const largeChart = {
  metrics: ['price', 'realized_price', 'lth_realized_price', 'sth_realized_price', 'balanced_price', 'cvdd'],
  days: 6_000,
  width: 2_400,
  height: 1_200,
  scale: 'log',
  format: 'png',
}

/** Requests of one key over some connections, until stopped. */
type Abuse = (connections: number, server: Server, key: string) => () => Promise<void>

interface Server {
  readonly api: Child
  /** Responses by status. */
  readonly statuses: Map<string, number>
  readonly next: () => number
  readonly lastDay: number
  readonly dataDir: string
}

const idleSeconds = 60
/** Memory must not grow between them. */
const rounds = 3

/**
 * Measures one key's small requests at a steady rate, while other keys request as much as they can.
 */
export async function benchAbuse(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  const lastDay = parseDay(currentGeneration(dataDir)!.generation.last_date)
  const neighbour = await createBenchKey(dataDir, 'neighbour@example.org')
  const keys: string[] = []
  for (let i = 0; i < 30; i++) keys.push(await createBenchKey(dataDir, `many${i}@example.org`))
  let count = 0
  const all = [
    { name: '1 key with 30 connections, mixed', keys: 1, connections: 30, abuses: mixed },
    { name: '8 keys, data', keys: 8, connections: 1, abuses: [histories] },
    { name: '30 keys, data', keys: 30, connections: 1, abuses: [histories] },
    { name: '30 keys, mixed', keys: 30, connections: 1, abuses: mixed },
    { name: '30 keys with 4 connections, data', keys: 30, connections: 4, abuses: [histories] },
    { name: 'alert trials', keys: 1, connections: 30, abuses: [alertTrials] },
    { name: 'alerts', keys: 10, connections: 1, abuses: [evaluations] },
    { name: 'percentiles', keys: 1, connections: 30, abuses: [percentiles] },
    { name: 'registrations', keys: 1, connections: 30, abuses: [registrations] },
    { name: 'hostile JSON', keys: 1, connections: 30, abuses: [hostileCharts, hostileRegistrations] },
  ]
  // Such as: npm run bench -- abuse alerts
  const named = all.filter(({ name }) => process.argv.includes(name))
  const shapes = named.length > 0 ? named : all
  console.log(`\nabuse: ${pace.perSecond} small requests a second of one key, beside others that request all they can`)
  await using api = await startChild('budgeted', dataDir)
  const smallRequests = () => ({
    origin: api.url,
    paths: Array.from({ length: pace.perSecond * pace.seconds }, (_, i) =>
      i % 2 === 0
        ? '/v1/prices?limit=100'
        : `/v1/holder/profit?limit=30&end_date=${isoDate(lastDay - (count++ % 5_000))}`,
    ),
    headers: authorization(neighbour),
    ...pace,
  })
  await useOnce(api.url, neighbour)
  await setTimeout(5_000)
  const idleBytes = await residentBytes(api)
  print('idle after a chart, an export and a formula', `${megabytes(idleBytes)} MB resident`)
  await using thread = createLoadThread()
  let alone = await thread.run(smallRequests())
  // Abusers would have processors of their own. Threads of the neighbour and the server stay
  // unchanged.
  lowerThreadPriority()
  for (const { name, keys: active, connections, abuses } of Array.from({ length: rounds }, () => shapes).flat()) {
    const statuses = new Map<string, number>()
    const server = { api, statuses, lastDay, dataDir, next: () => count++ }
    const memory = samplePeakMemory(api)
    const stops = keys.slice(0, active).flatMap((key) => abuses.map((start) => start(connections, server, key)))
    await setTimeout(500)
    const beside = await thread.run(smallRequests()).catch(String)
    await Promise.all(stops.map((stop) => stop()))
    const peak = await memory()
    const after = await thread.run(smallRequests())
    report(name, alone, beside, after, statuses, peak)
    alone = after
    if (name !== shapes.at(-1)?.name) continue
    await setTimeout(idleSeconds * 1000)
    print(`after ${idleSeconds} idle seconds`, `${megabytes(await residentBytes(api))} MB resident`, {
      aim: `${megabytes(1.2 * idleBytes)} MB`,
    })
  }
}

async function useOnce(url: string, key: string): Promise<void> {
  const headers = { ...authorization(key), 'content-type': 'application/json' }
  for (const path of ['/v1/prices?limit=10000&fields=all&format=csv', '/v1/series?formula=sma(price,30)&limit=100']) {
    await (await fetch(url + path, { headers })).arrayBuffer()
  }
  const chart = { method: 'POST', headers, body: JSON.stringify({ metrics: ['price'], days: 365, format: 'png' }) }
  await (await fetch(url + paths.chart, chart)).arrayBuffer()
}

function report(
  name: string,
  alone: Latency,
  beside: Latency | string,
  after: Latency,
  statuses: ReadonlyMap<string, number>,
  bytes: number,
): void {
  const isServed = typeof beside === 'object'
  print(name, isServed ? `p50 ${beside.p50} ms, p99 ${beside.p99} ms` : beside, {
    beside: `alone p99 ${alone.p99} ms before, ${after.p99} ms after`,
    aim: `${Math.max(25, Math.round(5 * alone.p99))} ms`,
  })
  print('', `peak ${megabytes(bytes)} MB resident`, {
    beside: `responses to the others: ${[...statuses].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    aim: '1000 MB',
  })
}

/** Never reads responses; reopens sockets that the server closes. */
const unread: Abuse = (sockets, { api, statuses, next, lastDay }, key) => {
  const { hostname, port } = new URL(api.url)
  const open = new Set<Socket>()
  let isStopped = false
  const add = (): void => {
    const socket = connect(Number(port), hostname)
    open.add(socket)
    socket.pause()
    const path = `/v1/prices?limit=10000&fields=all&end_date=${isoDate(lastDay - (next() % 2_000))}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      count(statuses, 'ended')
      if (!isStopped) add()
    })
  }
  for (let i = 0; i < sockets; i++) add()
  return async () => {
    isStopped = true
    for (const socket of open) socket.destroy()
  }
}

interface Sent {
  readonly path: string
  /** Text is sent as it is. */
  readonly body?: object | string
}

/** Sends the next request over each connection once answered. */
const repeat =
  (ask: (server: Server) => Sent): Abuse =>
  (connections, server, key) => {
    const { api, statuses } = server
    const stopped = new AbortController()
    const one = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        const { path, body } = ask(server)
        try {
          const { statusCode, body: answer } = await request(api.url + path, {
            method: body ? 'POST' : 'GET',
            headers: { ...authorization(key), ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
            signal: stopped.signal,
          })
          await answer.dump({ limit: 2 ** 30 })
          count(statuses, String(statusCode))
          // Rejected callers wait before they retry.
          if (statusCode !== 200) await setTimeout(200)
        } catch {
          if (!stopped.signal.aborted) count(statuses, 'broken off')
        }
      }
    }
    const all = Array.from({ length: connections }, one)
    return async () => {
      stopped.abort()
      await Promise.all(all)
    }
  }

const histories = repeat(({ lastDay, next }) => ({
  path: `/v1/holder/profit?fields=all&start_date=2009-01-03&end_date=${isoDate(lastDay - (next() % 2_000))}`,
}))

const largeCharts = repeat(({ next }) => ({ path: paths.chart, body: { ...largeChart, title: `large ${next()}` } }))

const heavyFormulas = repeat(({ next }) => ({
  path: `/v1/series?limit=100&formula=${encodeURIComponent(`${slowFormula}+${next()}`)}`,
}))

const yearly = { kind: 'change', days: 365, percent: 1e-9 }
const alertTrials = repeat(({ next }) => ({
  path: '/v1/alerts/trial',
  body: { formula: `${slowFormula}+${next()}`, condition: yearly },
}))

const alertCount = 100
const blockPauseMs = 1_000

/** Keeps 100 alerts, which each block has evaluated, and lets a block arrive each second. */
const evaluations: Abuse = (_, { api, statuses, dataDir, next }, key) => {
  const headers = { ...authorization(key), 'content-type': 'application/json' }
  const stopped = new AbortController()
  const work = (async () => {
    const { data }: { data: object[] } = await (await fetch(`${api.url}/v1/alerts`, { headers })).json()
    for (let i = data.length; i < alertCount && !stopped.signal.aborted; i++) {
      const body = JSON.stringify({ formula: `${slowFormula}+${next()}`, condition: yearly })
      const { status } = await fetch(`${api.url}/v1/alerts`, { method: 'POST', headers, body })
      count(statuses, String(status))
    }
    while (!stopped.signal.aborted) {
      writeBlock(dataDir)
      await setTimeout(blockPauseMs)
    }
  })()
  return () => {
    stopped.abort()
    return work
  }
}

/** As after a block: a new file of `today`. Its rows do not matter to alerts on formulas. */
function writeBlock(dataDir: string): void {
  const published = publishedFolder(dataDir)
  const link = todayLink(published)
  const rows = readFileSync(path.join(published, 'current', 'prices.parquet'))
  const name = todayFile(Date.now(), hash('sha256', rows))
  mkdirSync(path.dirname(link), { recursive: true })
  writeFileSync(path.join(path.dirname(link), name), rows)
  switchLink(link, name)
}

const periods = ['day', 'week', 'month']
const percentiles = repeat(({ next }) => {
  const n = next()
  return { path: `/v1/metrics/percentiles?fields=all&period=${periods[n % 3]}&limit=${1 + (n % 9_999)}` }
})

const registrations = repeat(({ next }) => ({
  path: '/oauth/register',
  body: { client_name: `app ${next()}`, redirect_uris: ['https://example.org/callback'] },
}))

const hostileCharts = repeat(({ next }) => ({ path: paths.chart, body: hostile(250_000, next()) }))
const hostileRegistrations = repeat(({ next }) => ({ path: '/oauth/register', body: hostile(15_000, next()) }))

/** Deep, long and many-named bodies in turns. */
function hostile(bytes: number, turn: number): string {
  if (turn % 3 === 0) return '['.repeat(bytes)
  if (turn % 3 === 1) return `[${'[],'.repeat(bytes / 3)}0]`
  return `{${Array.from({ length: bytes / 12 }, (_, i) => `"${i}":0`).join(',')}}`
}

const mixed = [histories, largeCharts, heavyFormulas, unread]

const count = (statuses: Map<string, number>, what: string): void => {
  statuses.set(what, (statuses.get(what) ?? 0) + 1)
}
