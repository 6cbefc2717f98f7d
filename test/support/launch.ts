import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import path from 'node:path'
import { PassThrough } from 'node:stream'

interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}
export type LaunchRequest = { readonly id: number } & (Launch | { readonly signal: NodeJS.Signals })
export type LaunchReport = { readonly id: number } & (
  | { readonly pid: number | undefined }
  | { readonly name: 'stdout' | 'stderr'; readonly data: Uint8Array | undefined }
  | { readonly exitCode: number | null; readonly signalCode: NodeJS.Signals | null }
)

/** A program that `launch` started, with those members of a ChildProcess that tests use. */
export class LaunchedProcess extends EventEmitter<{ exit: [] }> {
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  /** Missing until the launcher has started it. */
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #id = launched.length

  constructor(launch: Launch) {
    super()
    launched.push(this)
    this.#send({ id: this.#id, ...launch })
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.#send({ id: this.#id, signal })
  }

  /** Takes what the launcher says of it. */
  take(report: LaunchReport): void {
    if ('pid' in report) this.pid = report.pid
    else if ('name' in report) this[report.name][report.data ? 'write' : 'end'](report.data)
    else {
      this.exitCode = report.exitCode
      this.signalCode = report.signalCode
      this.emit('exit')
    }
  }

  #send(request: LaunchRequest): void {
    launcher ??= startLauncher()
    launcher.send(request)
  }
}

const launched: LaunchedProcess[] = []
let launcher: ChildProcess | undefined

function startLauncher(): ChildProcess {
  const started = fork(path.join(import.meta.dirname, 'launcher.ts'), { serialization: 'advanced', execArgv: [] })
  started.on('message', (report: LaunchReport) => launched[report.id]?.take(report))
  // It ends with this process.
  started.unref()
  started.channel?.unref()
  return started
}

/**
 * Starts a program without input from a small process, which kills it if this one ends. To start it
 * from here would take up to 40 ms, in which the page tables of some gigabytes are copied.
 */
export const launch = (
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { ...process.env },
): LaunchedProcess => new LaunchedProcess({ file, args, env })
