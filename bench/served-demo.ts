import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createAccount, createKey } from '#accounts/commands.ts'
import { update } from '#compute/update.ts'
import { currentGeneration } from '#sql/generation.ts'
import { updateSettings } from './mainnet-shape.ts'

const sampleIntervalMs = 250

/** Data folder with the published demo chain, created once. */
export async function demoDataFolder(folder: string): Promise<string> {
  const dataDir = path.join(folder, 'api')
  if (currentGeneration(dataDir)) return dataDir
  console.log('making the demo chain (a minute, once)')
  const settings = updateSettings({ dataDir, network: 'mainnet', source: 'simulated' })
  await update(settings, { say: () => {}, scanned: () => {} })
  return dataDir
}

export interface Child extends AsyncDisposable {
  readonly url: string
  readonly process: ChildProcess
}

/** The child process stops at the end of an `await using` block. */
export async function startChild(kind: 'api' | 'open' | 'budgeted' | 'memory', target: string): Promise<Child> {
  const script = fileURLToPath(new URL('./api-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script, kind, target], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = await once(child.stdout, 'data')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { url: String(first).trim(), process: child, [Symbol.asyncDispose]: stop }
}

/** Reads /proc: starting `ps` four times a second takes a tenth of a core. */
export async function residentBytes({ process: child }: Child): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
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

/** Creates an API key, and a missing account. */
export async function createBenchKey(dataDir: string, email: string): Promise<string> {
  await createAccount({ DATA_DIR: dataDir }, email, 'enterprise').catch(() => 'exists')
  const text = await createKey({ DATA_DIR: dataDir }, email, 'bench')
  return text.slice(0, text.indexOf('\n'))
}

/** `CLK_TCK`: equal on every Linux that Node supports. */
const ticksPerSecond = 100

export function cpuSecondsOf({ process: { pid } }: Child): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The process name may contain anything, and ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])]
  return (userTicks + systemTicks) / ticksPerSecond
}
