import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export interface RunningRedis {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
  /** Stops immediately and loses all data. */
  readonly kill: () => Promise<void>
}

/** Starts a Redis without persistence, on a free port or the given one. */
export async function startRedis(port?: number): Promise<RunningRedis> {
  const at = port ?? (await freePort())
  const child = spawn('redis-server', ['--port', `${at}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
  const killWithTest = (): boolean => child.kill('SIGKILL')
  process.once('exit', killWithTest)
  child.once('exit', () => process.off('exit', killWithTest))
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('Ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)))
  })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url: `redis://127.0.0.1:${at}`, port: at, process: child, kill }
}
