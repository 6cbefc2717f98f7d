import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '#base/error-codes.ts'
import type { Logger } from '#base/log.ts'
import type { Settings } from '#root/config.ts'
import { coinsJob } from '#state/operational-state.ts'
import { watchedParent } from './parent-watch.ts'
import type { ScheduleJournal } from './schedule-journal.ts'

export const cliProgram = path.join(import.meta.dirname, '../cli.ts')

/** Settings for a child process, including those from flags. */
export function toEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { ...process.env, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) }
}

export interface Ended {
  /** As in shells: 128 + the signal, if one ended the command. */
  readonly exitCode: number
  /** Error code. */
  readonly code: string | null
}

const jobName = (args: readonly string[]): string =>
  args.includes('--snapshots') ? 'snapshots' : args.includes('--coins') ? coinsJob : (args[0] ?? '')

/** Node.js aborts on a full heap; systems short of memory kill the largest process. */
const describeEnd = (signal: NodeJS.Signals | null, exitCode: number): [message: string, code: ErrorCode | null] =>
  signal === 'SIGABRT'
    ? ['it was stopped by SIGABRT: the memory of its heap is exhausted', 'memory_exhausted']
    : [
        `it was stopped by ${signal ?? `exit code ${exitCode}`}${signal === 'SIGKILL' ? ', as when memory runs out' : ''}`,
        null,
      ]

export const stoppedExitCode = 128 + os.constants.signals.SIGTERM

/** Lets glibc keep what commands free, which saves a twentieth of their time: they end soon. */
const allocation = { MALLOC_MMAP_THRESHOLD_: String(2 ** 22), MALLOC_TRIM_THRESHOLD_: String(2 ** 26) }

export class ChildCommands {
  readonly #program: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #journal: ScheduleJournal
  readonly #log: Logger
  #kill: (() => void) | undefined
  readonly #stopping = new AbortController()

  constructor(program: string, environment: NodeJS.ProcessEnv, journal: ScheduleJournal, log: Logger) {
    this.#program = program
    this.#environment = environment
    this.#journal = journal
    this.#log = log
  }

  get stopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Ends early on `stop`. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }

  /** Runs one command unless stopped; in the background at low priority. */
  async run(args: readonly string[], background = false): Promise<Ended> {
    let code: string | null = null
    if (this.stopped) return { exitCode: stoppedExitCode, code }
    const begin = performance.now()
    const startedAt = Date.now()
    const child = spawn(process.execPath, [this.#program, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        ...this.#environment,
        ...(args[0] !== 'follow' && allocation),
        [watchedParent]: String(process.pid),
      },
    })
    this.#kill = () => child.kill()
    if (background && child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
    child.on('message', (message) => {
      code = this.#journal.receive(message)?.code ?? code
    })
    await once(child, 'exit')
    this.#kill = undefined
    const { pid, signalCode: signal } = child
    const exitCode = child.exitCode ?? 128 + (signal === null ? 0 : os.constants.signals[signal])
    const command = args.join(' ')
    const seconds = Math.round((performance.now() - begin) / 1000)
    if (exitCode === 0) {
      this.#log.info({ command, seconds }, `${command} succeeded`)
      return { exitCode, code: null }
    }
    // A killed process could not record its own end.
    const [end, ownCode] = this.stopped ? ['it was stopped', 'stopped'] : describeEnd(signal, exitCode)
    if (pid !== undefined) this.#journal.recordExit(pid, jobName(args), startedAt, end, ownCode)
    if (!this.stopped) {
      this.#log.error({ command, exitCode, signal, seconds }, `${command} failed; what is published stays as it was`)
    }
    return { exitCode, code: code ?? ownCode }
  }

  stop(): void {
    this.#stopping.abort()
    this.#kill?.()
  }
}
