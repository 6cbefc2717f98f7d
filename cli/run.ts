import { CommanderError } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { createLogger, isJsonLog, logFormats } from '#base/log.ts'
import { createProgram } from './program.ts'
import { logFailure, wasLogged } from './recorded-run.ts'
import type { Surroundings } from './surroundings.ts'

/** Runs `coinstrata` with these arguments. Returns its exit code; a failure is told on standard error and never thrown. */
export async function runCoinstrata(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0
  const program = createProgram(surroundings, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error, args[0], surroundings)
  }
}

/** Commands that run without a person who reads what they say. */
const unattended: ReadonlySet<string | undefined> = new Set(
  'start serve update ingest compute prove fetch follow'.split(' '),
)

function report(error: unknown, command: string | undefined, { environment, stderr }: Surroundings): number {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (wasLogged(error)) return error instanceof CoinstrataError ? error.exitCode : 1
  if (error instanceof CoinstrataError) {
    // Such as a setting that cannot be used, before there is a log.
    const format = logFormats.find((name) => name === environment.LOG_FORMAT)
    if (unattended.has(command) && isJsonLog(format ?? 'auto', stderr)) {
      logFailure(createLogger('info', stderr, 'json'), error)
      return error.exitCode
    }
    stderr.write(`coinstrata: ${error.message} [${error.code}]\n${error.cure ? `What to do: ${error.cure}\n` : ''}`)
    return error.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(
    `coinstrata: unexpected failure: ${message}\nThis is a defect: please report it. LOG_LEVEL=debug shows where it happened.\n`,
  )
  if (environment.LOG_LEVEL === 'debug' && error instanceof Error) stderr.write(`${error.stack}\n`)
  return 1
}
