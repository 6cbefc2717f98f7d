import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '#root/config.ts'
import type { Run } from '#state/run-journal.ts'
import type { Output } from './output.ts'
import { recordRun } from './recorded-run.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { openPuller, pullOnce } from './store.ts'

export interface Pulling {
  /** The last run that ended meanwhile, also where nothing could be written. */
  readonly recentRuns: () => readonly Run[]
  readonly stop: () => Promise<void>
}

/** While a store fails it is asked less and less often, in milliseconds. */
const longestPause = 300_000

/**
 * Keeps asking a store for what is new, and takes it. A failure is told once each time that it happens, and what is here stays served.
 * Throws `invalid_configuration`.
 */
export async function startPulling(settings: Settings, output: Output): Promise<Pulling> {
  const { DATA_DIR: dataDir, PULL_SECONDS: seconds } = settings
  const puller = await openPuller(settings)
  const journal = new ScheduleJournal(dataDir, output.log)
  const stopping = new AbortController()
  const told: Output = { ...output, tell: (run) => journal.hear(run) }
  let hasFailed = false
  /** Whether all is well. A run is noted where something is new, and where a failure begins, goes on or is over. */
  const ask = async (): Promise<boolean> => {
    try {
      if (!(await puller.look()) && !hasFailed) return true
    } catch {
      // The run that is noted now meets it again.
    }
    try {
      await recordRun(dataDir, 'pull', told, async () => (await pullOnce(puller, dataDir)) ?? {})
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
      pause = (await ask()) ? 1000 * seconds : Math.min(2 * pause, longestPause)
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const asking = keepAsking()
  return {
    recentRuns: () => journal.recent(),
    stop: async () => {
      stopping.abort()
      await asking
    },
  }
}
