import { CoinstrataError } from '#base/errors.ts'
import { folderError, refuseOtherFormat, refuseUnwritable, stateFolder } from '#compute/data-folder.ts'
import { type Run, RunJournal } from '#state/run-journal.ts'
import type { Output } from './output.ts'

export interface RunReport {
  readonly message?: string | null
  readonly figures?: Readonly<Record<string, unknown>>
}

/** Reports the step of a run, and the share of it that is done. */
export type Report = (step: string, share?: number | null) => void

/**
 * Runs a command that writes to the data folder, records it in the run journal unless that is
 * locked or damaged, and logs its outcome if output is JSON. Also reports it to the parent process,
 * because a full disk takes no records.
 */
export async function recordRun(
  dataDir: string,
  job: string,
  { log, isJson, reportRun }: Output,
  work: (report: Report) => Promise<RunReport>,
): Promise<void> {
  const startedAt = Date.now()
  const report: Report = (step, share = null) =>
    reportRun?.({
      job,
      startedAt,
      endedAt: null,
      outcome: 'running',
      message: null,
      code: null,
      progress: { step, share },
    })
  const ended = (end: Pick<Run, 'outcome' | 'message' | 'code'>): { seconds: number } => {
    const endedAt = Date.now()
    reportRun?.({ job, startedAt, endedAt, ...end })
    return { seconds: (endedAt - startedAt) / 1000 }
  }
  try {
    refuseUnwritable(dataDir, [stateFolder(dataDir)])
    refuseOtherFormat(dataDir)
    const { message = null, figures = {} } = await runJournaled(dataDir, job, log, () => work(report))
    const length = ended({ outcome: 'ok', message, code: null })
    if (isJson) log.info({ job, outcome: 'ok', ...length, ...figures }, `${job} succeeded`)
  } catch (cause) {
    const error = folderError(cause, dataDir)
    const failure = describeFailure(error)
    const length = ended({ outcome: 'failed', ...failure })
    if (isJson) logFailure(log, error, { job, outcome: 'failed', ...length })
    throw error
  }
}

async function runJournaled(
  dataDir: string,
  job: string,
  log: Output['log'],
  work: () => Promise<RunReport>,
): Promise<RunReport> {
  using journal = tryJournal(log, () => new RunJournal(dataDir))
  const run = journal && tryJournal(log, () => journal.begin(job))
  const end = (outcome: 'ok' | 'failed', message: string | null, code: string | null = null): void => {
    if (run !== undefined) tryJournal(log, () => journal?.end(run, outcome, message, code))
  }
  const report = await work().catch((cause: unknown) => {
    const { message, code } = describeFailure(folderError(cause, dataDir))
    end('failed', message, code)
    throw cause
  })
  end('ok', report.message ?? null)
  return report
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CORRUPT, SQLITE_NOTADB. */
const unusableCodes: ReadonlySet<unknown> = new Set([5, 6, 11, 26])

/** A failing journal must not stop the work. */
function tryJournal<T>(log: Output['log'], write: () => T): T | undefined {
  try {
    return write()
  } catch (err) {
    if (!(err instanceof Error) || !('errcode' in err) || !unusableCodes.has(err.errcode)) throw err
    log.warn({ err }, 'cannot write to the journal of runs, so this run will be missing from it')
    return undefined
  }
}

const describeFailure = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof CoinstrataError ? error.code : null,
})

const logged = new WeakSet<Error>()

/** Logs a failure and marks it as printed. */
export function logFailure(log: Output['log'], error: unknown, figures: object = {}): void {
  const { message, code } = describeFailure(error)
  const cure = error instanceof CoinstrataError ? error.cure : undefined
  log.error({ ...figures, code, cure, ...(code === null && { err: error }) }, message)
  if (error instanceof Error) logged.add(error)
}

export const wasLogged = (error: unknown): boolean => error instanceof Error && logged.has(error)
