import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createAccount, createKey } from '#accounts/commands.ts'
import { update } from '#compute/update.ts'
import { currentGeneration, publishedFolder, switchToGeneration } from '#sql/generation.ts'

const sampleIntervalMs = 250

/** Creates, once, a data folder with the published demo chain. */
export async function demoDataFolder(folder: string): Promise<string> {
  const dataDir = path.join(folder, 'api')
  if (currentGeneration(dataDir)) return dataDir
  console.log('making the demo chain (a minute, once)')
  await update(
    {
      ...{ datadir: undefined, blocksdir: undefined, rpcUrl: undefined, rpcUser: undefined, rpcPassword: undefined },
      ...{ dataDir, network: 'mainnet', source: 'simulated', simulatedSeed: 1, pricing: 'hourly', memory: '1GB' },
      defaultDatadir: path.join(dataDir, 'no-node'),
    },
    { say: () => {}, scanned: () => {} },
  )
  return dataDir
}

export interface Child extends AsyncDisposable {
  readonly url: string
  readonly process: ChildProcess
}

/** A child process that stops at the end of an `await using` block. */
export const createChild = (url: string, process: ChildProcess): Child => ({
  ...{ url, process },
  [Symbol.asyncDispose]: () => stop(process),
})

export async function startChild(
  kind: 'api' | 'open' | 'budgeted' | 'tools' | 'memory',
  target: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const script = fileURLToPath(new URL('./api-server.ts', import.meta.url))
  const child = spawn(process.execPath, [...flags, script, kind, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  const [first] = await once(child.stdout, 'data')
  return createChild(String(first).trim(), child)
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Reads /proc, as starting `ps` four times a second takes a tenth of a core. */
export async function residentBytes({ process: child }: Child): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

const memorySchema = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() })
export type MemoryUse = z.infer<typeof memorySchema>

/** Memory use in bytes, after a garbage collection if the child was started with `--expose-gc`. */
export async function measureMemory({ process: child }: Child): Promise<MemoryUse> {
  if (!child.stdout) throw new Error('the child has no standard output')
  child.kill('SIGUSR2')
  const [line] = await once(child.stdout, 'data')
  return memorySchema.parse(JSON.parse(String(line)))
}

/** Settings of a service without limits that matter. */
export const unlimited = {
  PRO_DAILY_REQUESTS: '1000000000',
  ENTERPRISE_DAILY_REQUESTS: '1000000000',
  REQUESTS_PER_MINUTE: '1000000',
  CELLS_PER_MINUTE: '1000000000',
}

/** Samples resident memory; the returned function stops and returns the maximum in bytes. */
export function samplePeakMemory(child: Child): () => Promise<number> {
  let isOver = false
  const peak = (async () => {
    let max = 0
    while (!isOver) {
      max = Math.max(max, await residentBytes(child))
      await setTimeout(sampleIntervalMs)
    }
    return max
  })()
  return () => {
    isOver = true
    return peak
  }
}

export const authorization = (key: string) => ({ authorization: `Bearer ${key}` })

/** Creates an API key, and its account if it does not exist. */
export async function createBenchKey(dataDir: string, email: string, tier = 'enterprise'): Promise<string> {
  await createAccount({ DATA_DIR: dataDir }, email, tier).catch(() => 'exists')
  const text = await createKey({ DATA_DIR: dataDir }, email, 'bench')
  return text.slice(0, text.indexOf('\n'))
}

export const largeChart = {
  metrics: ['price', 'realized_price', 'lth_realized_price', 'sth_realized_price', 'balanced_price', 'cvdd'],
  days: 6_000,
  ...{ width: 2_400, height: 1_200, scale: 'log', format: 'png' },
}

export function copyGeneration(from: string, to: string, id: string): void {
  const { folder, generation } = currentGeneration(from)!
  const copy = path.join(publishedFolder(to), id)
  cpSync(folder, copy, { recursive: true })
  writeFileSync(path.join(copy, 'generation.json'), JSON.stringify({ ...generation, id }))
  switchToGeneration(to, id)
}

/** `CLK_TCK`, the same on every Linux that Node supports. */
const ticksPerSecond = 100

/** CPU time of a process and its children. */
export function cpuSecondsOf({ process: { pid } }: Child): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...children].reduce<number>((sum, id) => sum + readTicks(`${id}`, 13, 14), 0) / ticksPerSecond
}

/** CPU time of ended children of this process, such as the load generator. */
export const endedCpuSeconds = (): number => readTicks('self', 15, 16) / ticksPerSecond

/**
 * Fields of `/proc/PID/stat`. The process name may contain anything, and ends with the last
 * bracket.
 */
function readTicks(pid: string, ...fields: number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.reduce((sum, field) => sum + Number(values[field - 2]), 0)
}
