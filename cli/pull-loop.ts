import { setTimeout as sleep } from 'node:timers/promises'
import { CoinstrataError } from '#base/errors.ts'
import type { Settings } from '#root/config.ts'
import type { Run } from '#state/run-journal.ts'
import type { Output } from './output.ts'
import { recordRun } from './recorded-run.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { openPuller, pullOnce } from './store-commands.ts'

export interface PullLoop {
  readonly recentRuns: () => readonly Run[]
  readonly stop: () => Promise<void>
}

/** Longest pause while a store has damaged objects, each of which is downloaded again. An unreachable store is asked as often as ever. */
const maxPauseMs = 300_000

/**
 * Pulls new generations from a store until stopped. Each failure is logged once, and the current generation stays
 * served. Throws `invalid_configuration`.
 */
export async function startPullLoop(settings: Settings, output: Output): Promise<PullLoop> {
  const { DATA_DIR: dataDir, PULL_SECONDS: seconds } = settings
  const puller = await openPuller(settings)
  const journal = new ScheduleJournal(dataDir, output.log)
  const stopping = new AbortController()
  const journaled: Output = { ...output, reportRun: (run) => journal.receive(run) }
  /** The error of the last attempt. */
  let failure: { readonly message: string; readonly isDamaged: boolean } | undefined
  /** Records a run only if there is something new, if the store fails in another way than before, and after a failure. */
  const ask = async (): Promise<void> => {
    try {
      if (!(await puller.look()) && !failure) return
    } catch (error) {
      // Otherwise the recorded run below meets the same error.
      if (failure?.message === describe(error).message) return
    }
    try {
      await recordRun(dataDir, 'pull', journaled, async () => (await pullOnce(puller, dataDir)) ?? {})
      failure = undefined
    } catch (error) {
      failure = describe(error)
      if (!output.isJson) output.log.error(failure.message)
    }
  }
  const keepAsking = async (): Promise<void> => {
    for (let pause = 1000 * seconds; !stopping.signal.aborted; ) {
      await ask()
      pause = failure?.isDamaged ? Math.min(2 * pause, maxPauseMs) : 1000 * seconds
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

const describe = (error: unknown): { message: string; isDamaged: boolean } => ({
  message: error instanceof Error ? error.message : String(error),
  isDamaged: error instanceof CoinstrataError && error.code === 'store_damaged',
})
