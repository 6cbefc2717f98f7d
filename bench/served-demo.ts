import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { update } from '#compute/update.ts'
import { currentGeneration } from '#sql/generation.ts'

const run = promisify(execFile)

/** A data folder with the published demo chain; made in the first run. */
export async function demoDataFolder(folder: string): Promise<string> {
  const dataDir = path.join(folder, 'api')
  if (currentGeneration(dataDir)) return dataDir
  console.log('making the demo chain (a minute, once)')
  const unset = {
    datadir: undefined,
    blocksdir: undefined,
    rpcUrl: undefined,
    rpcUser: undefined,
    rpcPassword: undefined,
  }
  await update(
    {
      ...unset,
      dataDir,
      network: 'mainnet',
      source: 'simulated',
      simulatedSeed: 1,
      pricing: 'hourly',
      defaultDatadir: path.join(dataDir, 'no-node'),
      memory: '1GB',
    },
    { say: () => {}, scanned: () => {} },
  )
  return dataDir
}

export interface Child {
  readonly url: string
  readonly process: ChildProcess
}

/** Starts `api-server.ts` in a process of its own; see there for the kinds. */
export async function startChild(
  kind: 'api' | 'open' | 'budgeted' | 'memory' | 'bare',
  target: string,
  flags: readonly string[] = [],
): Promise<Child> {
  const script = fileURLToPath(new URL('./api-server.ts', import.meta.url))
  const child = spawn(process.execPath, [...flags, script, kind, target], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = await once(child.stdout, 'data')
  return { url: String(first).trim(), process: child }
}

export async function stop({ process: child }: Child): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Resident bytes of a child. */
export async function residentBytes({ process: child }: Child): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)])
  return 1024 * Number(stdout)
}

/** Bytes of a process after what it no longer uses was collected. */
export interface Kept {
  /** Of objects and buffers, by V8's own account. */
  readonly used: number
  readonly resident: number
}

/** What a child keeps that was started with `--expose-gc`. */
export async function keptBytes(child: Child): Promise<Kept> {
  const { stdout } = child.process
  if (!stdout) throw new Error('the child has no standard output')
  child.process.kill('SIGUSR2')
  const [line] = await once(stdout, 'data')
  return { used: Number(line), resident: await residentBytes(child) }
}
