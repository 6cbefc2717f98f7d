import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { publishedFolder } from '#sql/generation.ts'
import { growth, megabytes, percentile, print } from './report.ts'
import {
  authorization,
  type Child,
  createBenchKey,
  demoDataFolder,
  type MemoryUse,
  measureMemory,
  startChild,
  unlimited,
} from './served-demo.ts'

const callerCount = 50
const warmUpSeconds = 20
const seconds = 60
const sampleSeconds = 10
const tiers = ['pro', 'enterprise'] as const

interface Caller {
  readonly tier: (typeof tiers)[number]
  readonly client: Client
}

interface Tally {
  readonly milliseconds: number[]
  readonly errors: Map<string, number>
  /** Responses with data of another tier. */
  mixUps: number
}

const answerSchema = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
  structuredContent: z.looseObject({ columns: z.array(z.string()).optional() }).optional(),
})

/**
 * Fifty callers with a key each: first at a rate within the default limits, then without limits or
 * pauses.
 */
export async function benchTools(folder: string): Promise<void> {
  const published = await demoDataFolder(folder)
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-bench-'))
  try {
    symlinkSync(publishedFolder(published), publishedFolder(dataDir))
    const keys = await createKeys(dataDir)
    console.log(`\ntools: ${callerCount} callers for ${seconds} s after ${warmUpSeconds} s, one process each`)
    await measure('a call a second of each, under the usual limits', dataDir, keys, {}, 1_000)
    await measure('each as fast as it is answered', dataDir, keys, unlimited, 0)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function createKeys(dataDir: string): Promise<string[]> {
  const keys: string[] = []
  for (let i = 0; i < callerCount; i++) {
    keys.push(await createBenchKey(dataDir, `caller${i}@example.org`, tiers[i % tiers.length]!))
  }
  return keys
}

async function measure(
  name: string,
  dataDir: string,
  keys: readonly string[],
  environment: Readonly<Record<string, string>>,
  intervalMs: number,
): Promise<void> {
  await using server = await startChild('tools', dataDir, [], environment)
  const callers = await Promise.all(keys.map((key, i) => connect(`${server.url}/mcp`, key, tiers[i % tiers.length]!)))
  await run(callers, warmUpSeconds, intervalMs, createTally())
  const tally = createTally()
  const samples = sampleMemory(server)
  await run(callers, seconds, intervalMs, tally)
  report(name, tally, await samples)
  await Promise.all(callers.map(({ client }) => client.close()))
}

async function connect(url: string, key: string, tier: Caller['tier']): Promise<Caller> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: authorization(key) }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return { tier, client }
}

const createTally = (): Tally => ({ milliseconds: [], errors: new Map(), mixUps: 0 })

async function run(callers: readonly Caller[], durationSeconds: number, pause: number, tally: Tally): Promise<void> {
  const end = performance.now() + durationSeconds * 1_000
  await Promise.all(
    callers.map(async (caller, i) => {
      // Distribute the callers over the interval.
      let due = performance.now() + (i * pause) / callers.length
      for (let round = 0; due < end && performance.now() < end; round++, due += pause) {
        const wait = due - performance.now()
        if (wait > 0) await setTimeout(wait)
        await ask(caller, round * callers.length + i, tally)
      }
    }),
  )
}

/** A metric of the higher tier only. */
const secret = 'cost_basis_p50'

/** Makes call `number`. Metrics of the higher tier show if a response belongs to another caller. */
async function ask({ tier, client }: Caller, number: number, tally: Tally): Promise<void> {
  const days = 30 + ((number * 37) % 2_000)
  const calls = [
    ['get_series', { metrics: ['price', 'mvrv', secret], days }],
    ['get_prices', { days }],
    ['search_metrics', { query: 'is bitcoin overvalued' }],
    ['get_holder_valuation', { days }],
    ['get_cost_basis', {}],
    ['get_series', { formula: `sma(price, ${1 + (number % 200)})`, days }],
    ['get_latest_metrics', {}],
    ['get_utxo_history', { days }],
    ['render_chart', { metric: 'price', days, format: number % 20 === 8 ? 'png' : 'json' }],
    ['get_holder_profit', { fields: ['nupl', 'sopr'], days }],
  ] as const
  const [name, input] = calls[Math.floor(number / callerCount + number) % calls.length]!
  const begin = performance.now()
  try {
    const {
      isError = false,
      content,
      structuredContent,
    } = answerSchema.parse(await client.callTool({ name, arguments: input }))
    tally.milliseconds.push(performance.now() - begin)
    const isRefusable = name === 'get_cost_basis' && tier === 'pro'
    if (isError && !isRefusable) throw new Error(content[0]?.text)
    const showsSecret = name === 'get_cost_basis' ? !isError : structuredContent?.columns?.includes(secret)
    const asksSecret = name === 'get_cost_basis' || ('metrics' in input && name === 'get_series')
    if (asksSecret && showsSecret !== (tier === 'enterprise')) tally.mixUps++
  } catch (error) {
    const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
    tally.errors.set(message, (tally.errors.get(message) ?? 0) + 1)
  }
}

async function sampleMemory(server: Child): Promise<MemoryUse[]> {
  const samples: MemoryUse[] = []
  for (let at = 0; at < seconds; at += sampleSeconds) {
    await setTimeout(sampleSeconds * 1_000)
    samples.push(await measureMemory(server))
  }
  return samples
}

function report(name: string, { milliseconds, errors, mixUps }: Tally, samples: readonly MemoryUse[]): void {
  milliseconds.sort((a, b) => a - b)
  const formatPercentile = (share: number): string => `${Math.round(percentile(milliseconds, share))} ms`
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0)
  const rate = Math.round(milliseconds.length / seconds)
  print(name, `${rate} calls/s, p50 ${formatPercentile(0.5)}, p99 ${formatPercentile(0.99)}`, {
    beside: `${failed} errors, ${mixUps} answers of another tier`,
    aim: 'none',
  })
  print('', `resident ${samples.map(({ rss }) => megabytes(rss)).join(', ')} MB`, {
    beside: growth(samples.map(({ rss }) => rss)),
    aim: 'flat',
  })
  print('', `heap ${samples.map(({ heapUsed }) => megabytes(heapUsed)).join(', ')} MB`)
  for (const [message, count] of errors) console.log(`  ${count} × ${message}`)
}
