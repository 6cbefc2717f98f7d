import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { createTrialKey } from '#accounts/commands.ts'
import { print } from './report.ts'
import { authorization, demoDataFolder, startChild } from './served-demo.ts'
import { steadyLoad } from './steady-load.ts'

const run = promisify(execFile)
const seconds = 5
const connections = 20
const loadGenerator = fileURLToPath(import.meta.resolve('autocannon'))
const resultSchema = z.object({
  requests: z.object({ average: z.number(), total: z.number() }),
  latency: z.object({ p50: z.number(), p99: z.number() }),
  errors: z.number(),
  non2xx: z.number(),
})

/** Requests per second over the demo chain, compared with an Express route that sends the same bytes from memory. */
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
    await compare(name, target, api.url, key, folder)
  }
}

async function compare(name: string, target: string, url: string, key: string, folder: string): Promise<void> {
  const answer = await fetch(url + target, { headers: { ...authorization(key), 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (!answer.ok) throw new Error(`${target} answered ${answer.status}: ${bytes}`)
  const file = path.join(folder, 'answer.json')
  writeFileSync(file, bytes)
  await using memory = await startChild('memory', file)
  await using bare = await startChild('bare', file)
  const limit = await load(memory.url + target, key)
  const withoutTag = await load(bare.url + target, key)
  const full = await load(url + target, key)
  // Half of the slower one; above that, the load generator takes longer to receive than the server to send.
  const perSecond = Math.max(1, Math.floor(Math.min(full.requests.average, limit.requests.average) / 2))
  const half = await steadyLoad({
    origin: url,
    paths: [target],
    headers: authorization(key),
    perSecond,
    seconds,
    connections,
  })
  const bytesText =
    bytes.length < 1e6 ? `${Math.round(bytes.length / 1e3)} kB` : `${(bytes.length / 1e6).toFixed(1)} MB`
  const share = (of: typeof full) => `${((100 * full.requests.average) / of.requests.average).toFixed(0)} %`
  print(`${name}, ${bytesText}`, `${Math.round(full.requests.average)} requests/s`)
  print('', `p50 ${full.latency.p50} ms, p99 ${full.latency.p99} ms`, {
    beside: `${share(limit)} of ${Math.round(limit.requests.average)} requests/s of an Express route from memory, ${share(withoutTag)} of one without ETag`,
    aim: '60 %',
  })
  print('', `at ${perSecond} requests/s p50 ${half.p50} ms, p99 ${half.p99} ms`, { aim: 'p99 25 ms' })
}

export async function load(url: string, key: string): Promise<z.infer<typeof resultSchema>> {
  const header = `Authorization=${authorization(key).authorization}`
  const options = ['-j', '-c', String(connections), '-d', String(seconds), '-H', header]
  const { stdout } = await run(process.execPath, [loadGenerator, ...options, url], { maxBuffer: 2 ** 24 })
  const result = resultSchema.parse(JSON.parse(stdout))
  if (result.errors + result.non2xx > 0) throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} refused`)
  return result
}
