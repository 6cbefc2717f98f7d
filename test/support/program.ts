import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { runCoinstrata } from '#root/cli/run.ts'

const root = path.join(import.meta.dirname, '..', '..')
const program = path.join(root, 'cli.ts')
/** Where `npm start` keeps compiled code, too: a program starts in half the time with it. */
export const compileCache = path.join(root, '.cache', 'compile')
/** How vitest.config.ts has memory allocated, which takes less time and changes nothing else. */
const allocation = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')))

/** Paths of these names in a folder. */
export const placesIn = <Name extends string>(folder: string, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, path.join(folder, name)])) as Record<Name, string>

export interface Outcome {
  /** Missing where a signal ended the program. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly process: ChildProcess
  readonly outcome: Promise<Outcome>
}

/** A folder for one test file; it removes it in the end. */
export const temporaryFolder = (name: string): string => mkdtempSync(path.join(os.tmpdir(), `coinstrata-${name}-`))

export interface ProgramOptions {
  /** Nothing but these, PATH and an empty home folder: no setting of this machine gets in. */
  readonly environment?: Readonly<Record<string, string>>
  /** Root does without its right to read and write everything; all others are bound by the modes of files anyway. */
  readonly isBoundByModes?: boolean
  /** For Node.js itself. */
  readonly nodeArguments?: readonly string[]
  /** What is run, unless that of the checkout. */
  readonly program?: string
}

/** Starts `coinstrata` with these arguments in a process of its own, as a user would. */
export function startCoinstrata(args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const command = [process.execPath, ...(options.nodeArguments ?? []), options.program ?? program, ...args]
  // It stays root, so that it reaches this checkout also below a folder that is closed to others.
  if (options.isBoundByModes && process.getuid?.() === 0) {
    command.unshift('setpriv', '--inh-caps=-all', '--bounding-set=-all')
  }
  const [file = '', ...rest] = command
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      LOG_FORMAT: 'text',
      TZ: 'UTC',
      NODE_COMPILE_CACHE: compileCache,
      ...allocation,
      ...options.environment,
    },
  })
  const killWithTest = (): boolean => child.kill('SIGKILL')
  process.once('exit', killWithTest)
  child.once('exit', () => process.off('exit', killWithTest))
  const outcome = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr]): Outcome => ({ exitCode: child.exitCode, stdout, stderr }),
  )
  return { process: child, outcome }
}

/** The address on which a started program says that it serves. */
export function addressOf({ process: { stdout, stderr } }: Pick<RunningProgram, 'process'>): Promise<string> {
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
 * Runs `coinstrata` with these arguments in the process of the test, which saves the start of a program. It sees no
 * setting of this machine either.
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
