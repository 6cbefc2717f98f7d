import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from 'd3-array'
import { z } from 'zod'
import { createTrialKey } from '#accounts/commands.ts'
import { print } from './report.ts'
import { authorization, type Child, cpuSecondsOf, demoDataFolder, startChild } from './served-demo.ts'
import { createLoadThread, type Latency } from './steady-load.ts'

const run = promisify(execFile)
const seconds = 4
const pairs = 3
const connections = 20
const loadGenerator = fileURLToPath(import.meta.resolve('autocannon'))
const resultSchema = z.object({
  requests: z.object({ average: z.number(), total: z.number() }),
  errors: z.number(),
  non2xx: z.number(),
})

/**
 * Requests per second, CPU time and latency over the demo chain, in pairs with an Express route
 * that sends the same bytes from memory.
 */
export async function benchApi(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  const key = await createTrialKey({ DATA_DIR: dataDir })
  await using api = await startChild('api', dataDir)
  console.log(`\napi: ${connections} connections, one process each for server and load`)
  for (const [name, target] of [
    ['100 rows of four metrics', '/v1/series?metrics=price,mvrv,realized_price,nupl&limit=100'],
    ['100 rows of the blockchain', '/v1/blockchain?limit=100'],
    ['100 rows of all that follows from the price', '/v1/prices?limit=100'],
    ['all rows of four metrics', '/v1/series?metrics=price,mvrv,realized_price,nupl&limit=10000'],
    ['all rows of all that follows from the price', '/v1/prices?limit=10000'],
  ] as const) {
    await compare(name, target, api, key, folder)
  }
}

async function compare(name: string, target: string, api: Child, key: string, folder: string): Promise<void> {
  const answer = await fetch(api.url + target, { headers: { ...authorization(key), 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (!answer.ok) throw new Error(`${target} answered ${answer.status}: ${bytes}`)
  const file = path.join(folder, 'answer.json')
  writeFileSync(file, bytes)
  await using memory = await startChild('memory', file)
  const runs: { readonly full: Load; readonly limit: Load }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    runs.push({ limit: await measuredLoad(memory, target, key), full: await measuredLoad(api, target, key) })
  }
  const of = (choose: (run: (typeof runs)[number]) => number): number => median(runs, choose)!
  // Half of the slower one; above that, receiving takes the load generator longer than sending
  // takes the server.
  const perSecond = Math.max(1, Math.floor(of(({ full, limit }) => Math.min(full.perSecond, limit.perSecond)) / 2))
  await using thread = createLoadThread()
  const atHalf = (origin: string) =>
    thread.run({ origin, paths: [target], headers: authorization(key), perSecond, seconds, connections })
  const halves: { readonly limit: Latency; readonly half: Latency }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    halves.push({ limit: await atHalf(memory.url), half: await atHalf(api.url) })
  }
  const ms = (choose: (pair: (typeof halves)[number]) => number): number => median(halves, choose)!
  const bytesText =
    bytes.length < 1e6 ? `${Math.round(bytes.length / 1e3)} kB` : `${(bytes.length / 1e6).toFixed(1)} MB`
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
  print(`${name}, ${bytesText}`, `${of(({ full }) => full.perSecond).toFixed(0)} requests/s`, {
    beside: `${percent(of(({ full, limit }) => full.perSecond / limit.perSecond))} of ${of(({ limit }) => limit.perSecond).toFixed(0)} requests/s of an Express route from memory`,
  })
  print('', `${of(({ full }) => full.cpuMicroseconds).toFixed(0)} µs of CPU each`, {
    beside: `requests per CPU second ${percent(of(({ full, limit }) => limit.cpuMicroseconds / full.cpuMicroseconds))} of those of Express`,
    aim: '65 %',
  })
  print('', `at ${perSecond} requests/s p50 ${ms(({ half }) => half.p50)} ms, p99 ${ms(({ half }) => half.p99)} ms`, {
    beside: `the Express route p50 ${ms(({ limit }) => limit.p50)} ms, p99 ${ms(({ limit }) => limit.p99)} ms`,
    aim: 'p99 20 ms',
  })
}

interface Load {
  readonly perSecond: number
  /** Of the server, per request. */
  readonly cpuMicroseconds: number
}

async function measuredLoad(child: Child, target: string, key: string): Promise<Load> {
  const before = cpuSecondsOf(child)
  const header = `Authorization=${authorization(key).authorization}`
  const options = ['-j', '-c', String(connections), '-d', String(seconds), '-H', header, child.url + target]
  const { stdout } = await run(process.execPath, [loadGenerator, ...options], { maxBuffer: 2 ** 24 })
  const { requests, errors, non2xx } = resultSchema.parse(JSON.parse(stdout))
  if (errors + non2xx > 0) throw new Error(`${target}: ${errors} errors, ${non2xx} refused`)
  return { perSecond: requests.average, cpuMicroseconds: (1e6 * (cpuSecondsOf(child) - before)) / requests.total }
}
