import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { bundledProgram, isBundleCurrent } from '#root/build/run-program.ts'
import { runCoinstrata } from '#root/cli/run.ts'
import { type LaunchedProcess, launch } from './launch.ts'

const root = path.join(import.meta.dirname, '..', '..')
/** Program of `npm start`, without asking at each start whether its sources have changed. */
export const program = isBundleCurrent() ? path.join(bundledProgram, 'cli.js') : path.join(root, 'cli.ts')
/** The compile cache of `npm start`, with which a program starts in half the time. */
export const compileCache = path.join(root, '.cache', 'compile')
/** As in `npm start`: with room for what lives shortly less time is spent on collecting it. */
const youngSpace = '--max-semi-space-size=16'
/** The allocator settings of vitest.config.ts, which are faster. */
const allocation = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')))

/** Paths of these names in a folder. */
export const placesIn = <Name extends string>(folder: string, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, path.join(folder, name)])) as Record<Name, string>

export interface Outcome {
  /** Missing if a signal ended the program. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly process: LaunchedProcess
  readonly outcome: Promise<Outcome>
}

/** A folder for one test file, removed in the end. */
export const temporaryFolder = (name: string): string => mkdtempSync(path.join(os.tmpdir(), `coinstrata-${name}-`))

export interface ProgramOptions {
  /**
   * The whole environment, together with PATH and an empty home folder; settings of this machine
   * are left out.
   */
  readonly environment?: Readonly<Record<string, string>>
  /** For root, drops the right to read and write everything, so that file modes apply. */
  readonly isBoundByModes?: boolean
  /** Flags of Node.js. */
  readonly nodeArguments?: readonly string[]
  /** The program to run, by default that of the checkout. */
  readonly program?: string
}

/** Starts `coinstrata` in a separate process, as a user would. */
export function startCoinstrata(args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const flags = [youngSpace, ...(options.nodeArguments ?? [])]
  const command = [process.execPath, ...flags, options.program ?? program, ...args]
  // It stays root to reach this checkout below a folder that is closed to others.
  if (options.isBoundByModes && process.getuid?.() === 0) {
    command.unshift('setpriv', '--inh-caps=-all', '--bounding-set=-all')
  }
  const [file = '', ...rest] = command
  const child = launch(file, rest, {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    LOG_FORMAT: 'text',
    TZ: 'UTC',
    NODE_COMPILE_CACHE: compileCache,
    ...allocation,
    ...options.environment,
  })
  const outcome = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr]): Outcome => ({ exitCode: child.exitCode, stdout, stderr }),
  )
  return { process: child, outcome }
}

/** The address in the program's output. */
export function addressOf({
  process: { stdout, stderr },
}: {
  readonly process: Pick<ChildProcess, 'stdout' | 'stderr'>
}): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: unknown): void => {
      said += String(chunk)
      const [, url] = /serving on ([^\s"]+)[\s"]/.exec(said) ?? []
      if (url) resolve(url)
    }
    stdout?.on('data', hear)
    stderr?.on('data', hear)
    stdout?.on('end', () => reject(new Error(`it serves nothing: ${said}`)))
  })
}

/**
 * Runs `coinstrata` in the process of the test, which saves starting a program. Settings of this
 * machine are left out, too.
 */
export async function coinstrata(
  args: readonly string[],
  { environment = {} }: Pick<ProgramOptions, 'environment'> = {},
): Promise<Outcome> {
  let stdout = ''
  let stderr = ''
  const exitCode = await runCoinstrata(args, {
    environment: { HOME: '/nonexistent', LOG_FORMAT: 'text', ...environment },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { exitCode, stdout, stderr }
}
