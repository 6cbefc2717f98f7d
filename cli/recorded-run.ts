import { CoinstrataError } from '#base/errors.ts'
import { folderError } from '#compute/data-folder.ts'
import { type Run, RunJournal } from '#state/run-journal.ts'
import type { Output } from './output.ts'

/** What is worth knowing of a run that went well. */
export interface RunReport {
  readonly message?: string | null
  /** For the log, such as what it published. */
  readonly figures?: Readonly<Record<string, unknown>>
}

/**
 * Runs a command that writes to the data folder, and notes in its journal when that was and how it ended. With JSON lines
 * one of them says so, too; and the process that began this one is told, since a full disk takes no notes. Where the journal
 * is locked or damaged the work is done without. Throws what `work` throws, and `data_folder_unwritable`, `disk_full`.
 */
export async function recordRun(
  dataDir: string,
  job: string,
  { log, isJson, tell }: Output,
  work: () => Promise<RunReport>,
): Promise<void> {
  const startedAt = Date.now()
  const ended = (end: Pick<Run, 'outcome' | 'message' | 'code'>): { seconds: number } => {
    const endedAt = Date.now()
    tell?.({ job, startedAt, endedAt, ...end })
    return { seconds: (endedAt - startedAt) / 1000 }
  }
  try {
    const { message = null, figures = {} } = await journaled(dataDir, job, log, work)
    const length = ended({ outcome: 'ok', message, code: null })
    if (isJson) log.info({ job, outcome: 'ok', ...length, ...figures }, `${job} succeeded`)
  } catch (cause) {
    const error = folderError(cause, dataDir)
    const failure = failureOf(error)
    const length = ended({ outcome: 'failed', ...failure })
    if (isJson) logFailure(log, error, { job, outcome: 'failed', ...length })
    throw error
  }
}

async function journaled(
  dataDir: string,
  job: string,
  log: Output['log'],
  work: () => Promise<RunReport>,
): Promise<RunReport> {
  const journal = unlessUnusable(log, () => new RunJournal(dataDir))
  const run = journal && unlessUnusable(log, () => journal.begin(job))
  const end = (outcome: 'ok' | 'failed', message: string | null, code: string | null = null): void => {
    if (run !== undefined) unlessUnusable(log, () => journal?.end(run, outcome, message, code))
  }
  try {
    try {
      const report = await work()
      end('ok', report.message ?? null)
      return report
    } catch (cause) {
      const { message, code } = failureOf(folderError(cause, dataDir))
      end('failed', message, code)
      throw cause
    }
  } finally {
    journal?.close()
  }
}

/** SQLite's numbers for a database that another process holds, or that is damaged or none. */
const unusable: ReadonlySet<unknown> = new Set([5, 6, 11, 26])

/** The journal is for who looks on: no data are given up for it. */
function unlessUnusable<T>(log: Output['log'], write: () => T): T | undefined {
  try {
    return write()
  } catch (err) {
    if (!(err instanceof Error) || !('errcode' in err) || !unusable.has(err.errcode)) throw err
    log.warn({ err }, 'cannot write to the journal of runs, so this run will be missing from it')
    return undefined
  }
}

const failureOf = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof CoinstrataError ? error.code : null,
})

const logged = new WeakSet<Error>()

/** Logs a failure, so that it is not told as text again. */
export function logFailure(log: Output['log'], error: unknown, figures: object = {}): void {
  const { message, code } = failureOf(error)
  const cure = error instanceof CoinstrataError ? error.cure : undefined
  log.error({ ...figures, code, cure, ...(code === null && { err: error }) }, message)
  if (error instanceof Error) logged.add(error)
}

/** Whether a failure stands in the log already. */
export const wasLogged = (error: unknown): boolean => error instanceof Error && logged.has(error)
