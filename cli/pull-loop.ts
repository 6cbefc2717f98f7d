import { setTimeout as sleep } from 'node:timers/promises'
import { CoinstrataError } from '#base/errors.ts'
import type { Settings } from '#root/config.ts'
import { type Run, readRunJournal } from '#state/run-journal.ts'
import type { Output } from './output.ts'
import { recordRun } from './recorded-run.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { openPuller, pullOnce } from './store-commands.ts'

export interface PullLoop {
  readonly recentRuns: () => readonly Run[]
  readonly stop: () => Promise<void>
}

/** Longest pause while the store does not answer or is empty. */
const retryPauseMs = 2_000
/** Longest pause after other failures, such as damaged objects, which are downloaded again. */
const maxPauseMs = 300_000

/**
 * Pulls new generations until stopped. Logs each failure once and keeps serving the current
 * generation.
 */
export async function startPullLoop(settings: Settings, output: Output): Promise<PullLoop> {
  const { DATA_DIR: dataDir, PULL_SECONDS: seconds } = settings
  const puller = await openPuller(settings)
  const journal = new ScheduleJournal(dataDir, output.log)
  const stopping = new AbortController()
  const journaled: Output = { ...output, reportRun: (run) => journal.receive(run) }
  /**
   * Error of the last attempt, also of an earlier process, which may have been killed after the
   * download.
   */
  let failure = lastFailure(dataDir)
  /** Records a run only if there is something new, a different failure or the end of one. */
  const ask = async (): Promise<void> => {
    let pull = async () => (await pullOnce(puller, dataDir)) ?? {}
    try {
      if (!(await puller.look()) && !failure) return
    } catch (error) {
      if (failure?.message === describe(error).message) return
      // A pull would wait as long again.
      pull = () => Promise.reject(error)
    }
    try {
      await recordRun(dataDir, 'pull', journaled, pull)
      failure = undefined
    } catch (error) {
      failure = describe(error)
      if (!output.isJson) output.log.error(failure.message)
    }
  }
  const keepAsking = async (): Promise<void> => {
    for (let pause = 1000 * seconds; !stopping.signal.aborted; ) {
      await ask()
      if (!failure) pause = 1000 * seconds
      else pause = failure.mayPassSoon ? Math.min(1000 * seconds, retryPauseMs) : Math.min(2 * pause, maxPauseMs)
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const asking = keepAsking()
  return {
    recentRuns: () => journal.recentRuns(),
    stop: async () => {
      stopping.abort()
      await asking
    },
  }
}

interface Failure {
  readonly message: string
  readonly mayPassSoon: boolean
}

/**
 * Undefined if the last pull succeeded or is unknown. The empty message lets a lasting failure be
 * logged.
 */
function lastFailure(dataDir: string): Failure | undefined {
  try {
    const last = readRunJournal(dataDir, (journal) => journal.newest(1))?.find(({ job }) => job === 'pull')
    return last && last.outcome !== 'ok' ? { message: '', mayPassSoon: true } : undefined
  } catch {
    return undefined
  }
}

const describe = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  mayPassSoon: error instanceof CoinstrataError && ['store_failed', 'data_not_ready'].includes(error.code),
})
