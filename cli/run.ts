import { CommanderError } from 'commander'
import { exitCodeOf } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'
import { createLogger, isJsonLog, logFormats } from '#base/log.ts'
import type { ProcessContext } from './process-context.ts'
import { createProgram } from './program.ts'
import { logFailure, wasLogged } from './recorded-run.ts'

/** Returns the exit code. Prints failures to standard error and never throws. */
export async function runCoinstrata(args: readonly string[], context: ProcessContext): Promise<number> {
  let exitCode = 0
  const program = createProgram(context, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, args[0], context)
  }
}

/** Run without a person watching. */
const unattended: ReadonlySet<string | undefined> = new Set(
  'start serve update ingest compute prove fetch follow'.split(' '),
)

function reportError(error: unknown, command: string | undefined, { environment, stderr }: ProcessContext): number {
  // Commander has already printed its message or help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (wasLogged(error)) return error instanceof CoinstrataError ? exitCodeOf(error.code) : 1
  if (error instanceof CoinstrataError) {
    // For example an invalid setting, before a log exists.
    const format = logFormats.find((name) => name === environment.LOG_FORMAT)
    if (unattended.has(command) && isJsonLog(format ?? 'auto', stderr)) {
      logFailure(createLogger('info', stderr, 'json'), error)
      return exitCodeOf(error.code)
    }
    stderr.write(`coinstrata: ${error.message} [${error.code}]\n${error.cure ? `What to do: ${error.cure}\n` : ''}`)
    return exitCodeOf(error.code)
  }
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(
    `coinstrata: unexpected failure: ${message}\nThis is a defect: please report it. LOG_LEVEL=debug shows where it happened.\n`,
  )
  if (environment.LOG_LEVEL === 'debug' && error instanceof Error) stderr.write(`${error.stack}\n`)
  return 1
}
