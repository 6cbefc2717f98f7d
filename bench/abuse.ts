import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { request } from 'undici'
import { isoDate } from '#base/days.ts'
import { paths } from '#contract/paths.ts'
import { currentGeneration } from '#sql/generation.ts'
import { megabytes, print } from './report.ts'
import {
  authorization,
  type Child,
  createBenchKey,
  demoDataFolder,
  largeChart,
  samplePeakMemory,
  startChild,
} from './served-demo.ts'
import { type Latency, steadyLoad } from './steady-load.ts'

/** Concurrent requests of the flooding caller. */
const flood = { sockets: 100, histories: 24, charts: 60, formulas: 300 }
/** Load of the other caller. */
const pace = { perSecond: 20, seconds: 8, connections: 20 }
const target = '/v1/prices?limit=100'
/** Fifty slow operations. Their windows are short, because null values would be quick. */
const slowFormula = `${'median('.repeat(48)}price+mvrv${Array.from({ length: 48 }, (_, i) => `,${20 + i})`).join('')}`

/** Starts requests, and returns a function that stops them. */
type Abuse = (server: Server) => () => Promise<void>

interface Server {
  readonly api: Child
  readonly key: string
  /** Responses by status. */
  readonly statuses: Map<string, number>
  readonly next: () => number
  readonly lastDay: number
}

/** Measures 100-row requests of one key at a steady rate, while another key requests as much as it can. */
export async function benchAbuse(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  const lastDay = Math.floor(Date.parse(currentGeneration(dataDir)?.generation.last_date ?? '') / 86_400_000)
  const [key, other] = [
    await createBenchKey(dataDir, 'many@example.org'),
    await createBenchKey(dataDir, 'other@example.org'),
  ]
  let count = 0
  const kinds: Readonly<Record<string, readonly Abuse[]>> = {
    [`${flood.sockets} sockets that never read`]: [unread],
    [`${flood.histories} full histories at a time`]: [fullHistories],
    [`${flood.charts} large charts at a time`]: [largeCharts],
    [`${flood.formulas} heavy formulas at a time`]: [heavyFormulas],
    'all of it': [unread, fullHistories, largeCharts, heavyFormulas],
  }
  console.log(`\nabuse: 100 rows for another caller ${pace.perSecond} times a second, beside one that requests`)
  for (const [name, abuses] of Object.entries(kinds)) {
    await using api = await startChild('budgeted', dataDir)
    const load = { url: api.url + target, headers: authorization(other), ...pace }
    const quiet = await steadyLoad(load)
    const statuses = new Map<string, number>()
    const server = { api, key, statuses, lastDay, next: () => count++ }
    const memory = samplePeakMemory(api)
    const stops = abuses.map((start) => start(server))
    await setTimeout(500)
    const beside = await steadyLoad(load).catch(String)
    await Promise.all(stops.map((stop) => stop()))
    report(name, quiet, beside, statuses, await memory())
  }
}

function report(
  name: string,
  quiet: Latency,
  beside: Latency | string,
  statuses: ReadonlyMap<string, number>,
  bytes: number,
): void {
  const isServed = typeof beside === 'object'
  print(name, isServed ? `p50 ${beside.p50} ms, p99 ${beside.p99} ms` : beside, {
    beside: `${isServed ? (beside.p99 / quiet.p99).toFixed(1) : '?'} times the p99 without it (p50 ${quiet.p50} ms, p99 ${quiet.p99} ms)`,
    aim: '5 times',
  })
  print('', `peak ${megabytes(bytes)} MB resident`, {
    beside: `responses to the other: ${[...statuses].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    aim: '1000 MB',
  })
}

/** Sends requests whose responses are never read, and reopens sockets that the server closes. */
function unread({ api, key, statuses, next, lastDay }: Server): () => Promise<void> {
  const { hostname, port } = new URL(api.url)
  const open = new Set<Socket>()
  let isStopped = false
  const add = (): void => {
    const socket = connect(Number(port), hostname)
    open.add(socket)
    socket.pause()
    socket.write(
      `GET ${fullHistory(lastDay, next())} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      count(statuses, 'ended')
      if (!isStopped) add()
    })
  }
  for (let i = 0; i < flood.sockets; i++) add()
  return async () => {
    isStopped = true
    for (const socket of open) socket.destroy()
  }
}

const fullHistories: Abuse = (server) =>
  manyAtATime(flood.histories, server, () => ({ path: fullHistory(server.lastDay, server.next()) }))

const largeCharts: Abuse = (server) =>
  manyAtATime(flood.charts, server, () => ({
    path: paths.chart,
    body: { ...largeChart, title: `large ${server.next()}` },
  }))

const heavyFormulas: Abuse = (server) =>
  manyAtATime(flood.formulas, server, () => ({
    path: `/v1/series?limit=100&formula=${encodeURIComponent(`${slowFormula}+${server.next()}`)}`,
  }))

const fullHistory = (lastDay: number, i: number): string =>
  `/v1/prices?limit=10000&fields=all&end_date=${isoDate(lastDay - (i % 2_000))}`

function manyAtATime(
  concurrency: number,
  { api, key, statuses }: Server,
  ask: () => { readonly path: string; readonly body?: object },
): () => Promise<void> {
  const stopped = new AbortController()
  const one = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const { path, body } = ask()
      try {
        const { statusCode, body: answer } = await request(api.url + path, {
          method: body ? 'POST' : 'GET',
          headers: { ...authorization(key), ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
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
  const all = Array.from({ length: concurrency }, one)
  return async () => {
    stopped.abort()
    await Promise.all(all)
  }
}

const count = (statuses: Map<string, number>, what: string): void => {
  statuses.set(what, (statuses.get(what) ?? 0) + 1)
}
