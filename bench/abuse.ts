import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { request } from 'undici'
import { isoDate } from '#base/days.ts'
import { lowerThreadPriority } from '#base/thread-priority.ts'
import { paths } from '#contract/paths.ts'
import { currentGeneration } from '#sql/generation.ts'
import { megabytes, print } from './report.ts'
import {
  authorization,
  type Child,
  createBenchKey,
  demoDataFolder,
  largeChart,
  residentBytes,
  samplePeakMemory,
  startChild,
} from './served-demo.ts'
import { createLoadThread, type Latency } from './steady-load.ts'

/** Load of the neighbour: 520 samples, half of them of answers that no cache holds. */
const pace = { perSecond: 40, seconds: 13, connections: 20 }
/** Fifty slow operations. Their windows are short, because null values would be quick. */
const slowFormula = `${'median('.repeat(48)}price+mvrv${Array.from({ length: 48 }, (_, i) => `,${20 + i})`).join('')}`

/** Requests of one key without end. */
type Abuse = (server: Server, key: string) => () => Promise<void>

interface Server {
  readonly api: Child
  /** Responses by status. */
  readonly statuses: Map<string, number>
  readonly next: () => number
  readonly lastDay: number
}

const idleSeconds = 60
/** Memory must not grow from one to the next. */
const rounds = 3

/**
 * Measures small requests of one key at a steady rate, while other keys request as much as they
 * can.
 */
export async function benchAbuse(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  const lastDay = Math.floor(Date.parse(currentGeneration(dataDir)?.generation.last_date ?? '') / 86_400_000)
  const neighbour = await createBenchKey(dataDir, 'neighbour@example.org')
  const keys: string[] = []
  for (let i = 0; i < 30; i++) keys.push(await createBenchKey(dataDir, `many${i}@example.org`))
  let count = 0
  const data = (connections: number): readonly Abuse[] => [histories(connections)]
  const mixed = (connections: number): readonly Abuse[] => [
    histories(connections),
    largeCharts(connections),
    heavyFormulas(connections),
    unread(connections),
  ]
  const shapes: readonly { name: string; keys: number; of: readonly Abuse[] }[] = [
    { name: '1 key with 30 connections, mixed', keys: 1, of: mixed(30) },
    { name: '8 keys, data', keys: 8, of: data(1) },
    { name: '30 keys, data', keys: 30, of: data(1) },
    { name: '30 keys, mixed', keys: 30, of: mixed(1) },
    { name: '30 keys with 4 connections, data', keys: 30, of: data(4) },
  ]
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
  const thread = createLoadThread()
  let alone = await thread.run(smallRequests())
  // The abusers would have processors of their own. The threads of the neighbour and of the server
  // stay as they are.
  lowerThreadPriority()
  for (const { name, keys: active, of } of Array.from({ length: rounds }, () => shapes).flat()) {
    const statuses = new Map<string, number>()
    const server = { api, statuses, lastDay, next: () => count++ }
    const memory = samplePeakMemory(api)
    const stops = keys.slice(0, active).flatMap((key) => of.map((start) => start(server, key)))
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
  await thread.destroy()
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

/** Sends requests whose responses are never read, and reopens sockets that the server closes. */
const unread =
  (sockets: number): Abuse =>
  ({ api, statuses, next, lastDay }, key) => {
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
    for (let i = 0; i < sockets; i++) add()
    return async () => {
      isStopped = true
      for (const socket of open) socket.destroy()
    }
  }

const histories =
  (concurrency: number): Abuse =>
  (server, key) =>
    repeat(concurrency, server, key, () => ({
      path: `/v1/holder/profit?fields=all&start_date=2009-01-03&end_date=${isoDate(server.lastDay - (server.next() % 2_000))}`,
    }))

const largeCharts =
  (concurrency: number): Abuse =>
  (server, key) =>
    repeat(concurrency, server, key, () => ({
      path: paths.chart,
      body: { ...largeChart, title: `large ${server.next()}` },
    }))

const heavyFormulas =
  (concurrency: number): Abuse =>
  (server, key) =>
    repeat(concurrency, server, key, () => ({
      path: `/v1/series?limit=100&formula=${encodeURIComponent(`${slowFormula}+${server.next()}`)}`,
    }))

const fullHistory = (lastDay: number, i: number): string =>
  `/v1/prices?limit=10000&fields=all&end_date=${isoDate(lastDay - (i % 2_000))}`

function repeat(
  concurrency: number,
  { api, statuses }: Server,
  key: string,
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
