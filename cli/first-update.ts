import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import type { Settings } from '#root/config.ts'
import { cliProgram, environmentOf } from './child-commands.ts'

/**
 * Makes the first publication in a process of its own, which says itself how far it is, while this one may serve what
 * tells that there is nothing yet. Returns its exit code; it ends with this process.
 */
export async function makeFirstUpdate(settings: Settings): Promise<number> {
  const child = spawn(process.execPath, [cliProgram, 'update'], { stdio: 'inherit', env: environmentOf(settings) })
  const end = (): boolean => child.kill()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, end)
  process.once('exit', end)
  await once(child, 'exit')
  for (const signal of signals) process.off(signal, end)
  process.off('exit', end)
  const { exitCode, signalCode } = child
  return exitCode ?? 128 + (signalCode === null ? 0 : os.constants.signals[signalCode])
}
