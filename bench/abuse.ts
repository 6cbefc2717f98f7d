import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { request } from 'undici'
import { createAccount, createKey } from '#accounts/commands.ts'
import { isoDate } from '#base/days.ts'
import { paths } from '#contract/paths.ts'
import { currentGeneration } from '#sql/generation.ts'
import { print } from './report.ts'
import { type Child, demoDataFolder, residentBytes, startChild, stop } from './served-demo.ts'
import { type Latency, steadyLoad } from './steady-load.ts'

/** What one caller asks for at a time. */
const many = { sockets: 100, histories: 24, charts: 60, formulas: 300 }
/** How the other one asks, and for what. */
const pace = { perSecond: 20, seconds: 8, connections: 20 }
const asked = '/v1/prices?limit=100'
const sampleMilliseconds = 250
/** Fifty operations, of the slowest kind, with windows so short that hardly a value becomes null, which would be quick. */
const slowFormula = `${'median('.repeat(48)}price+mvrv${Array.from({ length: 48 }, (_, i) => `,${20 + i})`).join('')}`

/** What one caller does to the service, until it is stopped; tells how often what was answered. */
interface Abuse {
  readonly statuses: Map<string, number>
  readonly stop: () => Promise<void>
}

interface Server {
  readonly api: Child
  readonly key: string
  /** Makes one request unlike all others. */
  readonly next: () => number
  readonly lastDay: number
}

/** One key asks for as much as it can; another one, meanwhile, for a hundred rows at an even pace. */
export async function benchAbuse(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  const lastDay = Math.floor(Date.parse(currentGeneration(dataDir)?.generation.last_date ?? '') / 86_400_000)
  const [key, other] = [await keyOf(dataDir, 'many@example.org'), await keyOf(dataDir, 'other@example.org')]
  let count = 0
  const kinds: Readonly<Record<string, readonly ((server: Server) => Abuse)[]>> = {
    [`${many.sockets} sockets that never read`]: [unread],
    [`${many.histories} full histories at a time`]: [fullHistories],
    [`${many.charts} large charts at a time`]: [largeCharts],
    [`${many.formulas} heavy formulas at a time`]: [heavyFormulas],
    'all of it': [unread, fullHistories, largeCharts, heavyFormulas],
  }
  console.log(`\nabuse: 100 rows for another caller ${pace.perSecond} times a second, beside one that asks for`)
  for (const [name, abuses] of Object.entries(kinds)) {
    const api = await startChild('budgeted', dataDir)
    try {
      const load = { url: api.url + asked, headers: bearer(other), ...pace }
      const quiet = await steadyLoad(load)
      const server = { api, key, lastDay, next: () => count++ }
      const memory = sampleMemory(api)
      const running = abuses.map((abuse) => abuse(server))
      await setTimeout(500)
      let beside: Latency | undefined
      let failure: unknown
      try {
        beside = await steadyLoad(load)
      } catch (error) {
        failure = error
      }
      await Promise.all(running.map((abuse) => abuse.stop()))
      report(name, quiet, beside, failure, running, await memory())
    } finally {
      await stop(api)
    }
  }
}

function report(
  name: string,
  quiet: Latency,
  beside: Latency | undefined,
  failure: unknown,
  abuses: readonly Abuse[],
  bytes: number,
): void {
  const answers = new Map<string, number>()
  for (const { statuses } of abuses)
    for (const [what, count] of statuses) answers.set(what, (answers.get(what) ?? 0) + count)
  print({
    work: name,
    figure: beside ? `p50 ${beside.p50} ms, p99 ${beside.p99} ms` : String(failure),
    beside: `${beside && (beside.p99 / quiet.p99).toFixed(1)} times the p99 without it (p50 ${quiet.p50} ms, p99 ${quiet.p99} ms)`,
    aim: '5 times',
  })
  print({
    work: '',
    figure: `${(bytes / 1e6).toFixed(0)} MB resident at most`,
    beside: `told the other: ${[...answers].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    aim: '1000 MB',
  })
}

/** Sockets whose client sends a request and takes nothing of the answer; those that are ended are opened anew. */
function unread({ api, key, next, lastDay }: Server): Abuse {
  const statuses = new Map<string, number>()
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
  for (let i = 0; i < many.sockets; i++) add()
  return {
    statuses,
    stop: async () => {
      isStopped = true
      for (const socket of open) socket.destroy()
    },
  }
}

const fullHistories = (server: Server): Abuse =>
  manyAtATime(many.histories, server, () => ({ path: fullHistory(server.lastDay, server.next()) }))

const largeCharts = (server: Server): Abuse =>
  manyAtATime(many.charts, server, () => ({
    path: paths.chart,
    body: {
      metrics: ['price', 'realized_price', 'lth_realized_price', 'sth_realized_price', 'balanced_price', 'cvdd'],
      days: 6_000,
      width: 2_400,
      height: 1_200,
      scale: 'log',
      format: 'png',
      title: `large ${server.next()}`,
    },
  }))

const heavyFormulas = (server: Server): Abuse =>
  manyAtATime(many.formulas, server, () => ({
    path: `/v1/series?limit=100&formula=${encodeURIComponent(`${slowFormula}+${server.next()}`)}`,
  }))

const fullHistory = (lastDay: number, i: number): string =>
  `/v1/prices?limit=10000&fields=all&end_date=${isoDate(lastDay - (i % 2_000))}`

/** Asks for something new whenever something was answered, so often at a time. */
function manyAtATime(
  atATime: number,
  { api, key }: Server,
  ask: () => { readonly path: string; readonly body?: object },
): Abuse {
  const statuses = new Map<string, number>()
  const stopped = new AbortController()
  const one = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const { path, body } = ask()
      try {
        const { statusCode, body: answer } = await request(api.url + path, {
          method: body ? 'POST' : 'GET',
          headers: { ...bearer(key), ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
          signal: stopped.signal,
        })
        await answer.dump({ limit: 2 ** 30 })
        count(statuses, String(statusCode))
        // Who is turned away comes again, but not at once.
        if (statusCode !== 200) await setTimeout(200)
      } catch {
        if (!stopped.signal.aborted) count(statuses, 'broken off')
      }
    }
  }
  const all = Array.from({ length: atATime }, one)
  return {
    statuses,
    stop: async () => {
      stopped.abort()
      await Promise.all(all)
    },
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const count = (statuses: Map<string, number>, what: string): void => {
  statuses.set(what, (statuses.get(what) ?? 0) + 1)
}

async function keyOf(dataDir: string, email: string): Promise<string> {
  await createAccount({ DATA_DIR: dataDir }, email, 'enterprise').catch(() => 'there is one of an earlier run')
  const text = await createKey({ DATA_DIR: dataDir }, email, 'bench')
  return text.slice(0, text.indexOf('\n'))
}

/** Samples until it is asked for the greatest, in bytes. */
function sampleMemory(api: Child): () => Promise<number> {
  let isOver = false
  const greatest = (async () => {
    let most = 0
    while (!isOver) {
      most = Math.max(most, await residentBytes(api))
      await setTimeout(sampleMilliseconds)
    }
    return most
  })()
  return () => {
    isOver = true
    return greatest
  }
}
