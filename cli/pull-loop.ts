import { setTimeout as sleep } from 'node:timers/promises'
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

/** Longest pause between retries of a failing store. */
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
  let hasFailed = false
  /** Returns false on failure. Records a run only if there is something new, or while and after a failure. */
  const ask = async (): Promise<boolean> => {
    try {
      if (!(await puller.look()) && !hasFailed) return true
    } catch {
      // The recorded run below meets the same error.
    }
    try {
      await recordRun(dataDir, 'pull', journaled, async () => (await pullOnce(puller, dataDir)) ?? {})
      hasFailed = false
      return true
    } catch (error) {
      if (!output.isJson) output.log.error(error instanceof Error ? error.message : String(error))
      hasFailed = true
      return false
    }
  }
  const keepAsking = async (): Promise<void> => {
    for (let pause = 1000 * seconds; !stopping.signal.aborted; ) {
      pause = (await ask()) ? 1000 * seconds : Math.min(2 * pause, maxPauseMs)
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
