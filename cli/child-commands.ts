import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import type { Logger } from '#base/log.ts'
import type { Settings } from '#root/config.ts'
import type { ScheduleJournal } from './schedule-journal.ts'

export const cliProgram = path.join(import.meta.dirname, `../cli${path.extname(import.meta.filename)}`)

/** Passes settings to a child process, including those from flags. */
export function toEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { ...process.env, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) }
}

const jobName = (args: readonly string[]): string => (args.includes('--snapshots') ? 'snapshots' : (args[0] ?? ''))

export class ChildCommands {
  readonly #program: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #journal: ScheduleJournal
  readonly #log: Logger
  #kill: (() => void) | undefined
  #stopped = false

  constructor(program: string, environment: NodeJS.ProcessEnv, journal: ScheduleJournal, log: Logger) {
    this.#program = program
    this.#environment = environment
    this.#journal = journal
    this.#log = log
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** Runs one command; false if it failed or `stop` was called before. In the background it runs at low priority. */
  async run(args: readonly string[], background = false): Promise<boolean> {
    if (this.#stopped) return false
    const begin = performance.now()
    const startedAt = Date.now()
    const child = spawn(process.execPath, [this.#program, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: this.#environment,
    })
    this.#kill = () => child.kill()
    if (background && child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
    child.on('message', (message) => this.#journal.receive(message))
    await once(child, 'exit')
    this.#kill = undefined
    const { pid, exitCode, signalCode: signal } = child
    const command = args.join(' ')
    const seconds = Math.round((performance.now() - begin) / 1000)
    if (exitCode === 0) {
      this.#log.info({ command, seconds }, `${command} succeeded`)
      return true
    }
    // A killed process could not record its own end.
    const end = this.#stopped ? 'it was stopped' : `it was stopped by ${signal ?? `exit code ${exitCode}`}`
    if (pid !== undefined)
      this.#journal.recordExit(pid, jobName(args), startedAt, end, this.#stopped ? 'stopped' : null)
    if (!this.#stopped) {
      this.#log.error({ command, exitCode, signal, seconds }, `${command} failed; what is published stays as it was`)
    }
    return false
  }

  /** Kills the running command and starts no more. */
  stop(): void {
    this.#stopped = true
    this.#kill?.()
  }
}
