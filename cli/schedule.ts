import { setTimeout as sleep } from 'node:timers/promises'
import { schedule } from 'node-cron'
import type { Logger } from '#base/log.ts'
import { oneAtATime } from '#base/one-at-a-time.ts'
import { folderNetwork } from '#compute/data-folder.ts'
import { mayHaveNewBlock } from '#compute/scan/new-block.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration } from '#sql/generation.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import type { Run } from '#state/run-journal.ts'
import { ChildCommands, cliProgram, environmentOf } from './child-commands.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { updateSettings } from './steps.ts'
import { isYesterdayOpen } from './yesterday.ts'

export interface Schedule {
  /** The last run of each job that ended meanwhile, also where nothing could be written. */
  readonly recentRuns: () => readonly Run[]
  /** Ends what is running, which the next start makes up, and plans nothing more. */
  readonly stop: () => Promise<void>
}

export interface ScheduleOptions {
  /** An update has just been made, so that only market data may be missing. */
  readonly updated?: boolean
  /** The program whose commands are run. */
  readonly program?: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** How often an update is tried again while yesterday is not closed, and after how many milliseconds each. */
  readonly retries?: { readonly most: number; readonly pause: number }
}

/** What is done at the times of a job, and whether that is to be tried again soon. */
type Work = () => Promise<boolean>

/** Runs that the stop of a whole machine or container cut off so often are not begun again before their next time. */
const mostAttempts = 2

/** Between two attempts to follow the node. */
const shortestPause = 5_000
const longestPause = 600_000

/** Two and a half hours: from 00:30 until 03:00, after which hardly any first block of a day has come. */
const usualRetries = { most: 30, pause: 5 * 60_000 }

/**
 * Runs the nightly update and the hourly market snapshots at their times (UTC), one at a time, each as a child process
 * of its own, so that neither a crash nor long computing touches this one. What was missed while nothing ran is made up
 * at once, and an update is tried again while yesterday's last block has no successor. With FOLLOW=on another child follows
 * the node beside them.
 */
export function startSchedule(
  settings: Settings,
  log: Logger,
  { updated = false, program = cliProgram, now = Date.now, retries = usualRetries }: ScheduleOptions = {},
): Schedule {
  const { DATA_DIR: dataDir } = settings
  const journal = new ScheduleJournal(dataDir, log)
  const children = new ChildCommands(program, environmentOf(settings), journal, log)
  const prover = new ChildCommands(program, environmentOf(settings), journal, log)
  const inTurn = oneAtATime()
  /** Only coins of mainnet have a market; that of simulated ones is simulated with them. */
  const fetches = (): boolean => settings.MARKET_SOURCES !== 'none' && folderNetwork(dataDir) === 'mainnet'

  const follower = new ChildCommands(program, environmentOf(settings), journal, log)
  const stopping = new AbortController()
  /** It waits by itself where the node is away, and ends only where something else is wrong. */
  const keepFollowing = async (): Promise<void> => {
    for (let pause = shortestPause; !follower.stopped; pause = Math.min(2 * pause, longestPause)) {
      await follower.run(['follow'])
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const isSimulated = folderNetwork(dataDir) === 'simulated'
  if (settings.FOLLOW === 'on' && isSimulated) {
    log.warn('FOLLOW=on has no effect: the chain is simulated, so there is no node to follow')
  }
  const following = settings.FOLLOW === 'on' && !isSimulated ? keepFollowing() : undefined

  /** Proving the blocks of many years takes hours, in which updates go on. */
  let proving: Promise<unknown> | undefined
  const proveRest = (): void => {
    const height = currentGeneration(dataDir)?.generation.tip.height ?? -1
    const proved = readProvedBlocks(dataDir, height + 1)
    if (!proved || proved.blocks === proved.of) return
    proving ??= prover.run(['prove'], true).finally(() => {
      proving = undefined
    })
  }

  // A source that fails is only reported: its last data stay with their date.
  const update: Work = async () => {
    if (fetches()) await children.run(['fetch'])
    return pass()
  }
  const pass: Work = async () => {
    const isDone = await children.run(['update'])
    proveRest()
    return isDone && isYesterdayOpen(dataDir, now())
  }
  const passAgain: Work = async () => ((await mayHaveNewBlock(updateSettings(settings, process.env))) ? pass() : true)
  const completeUpdate: Work = async () => {
    if (fetches() && (await children.run(['fetch']))) await children.run(['compute'])
    proveRest()
    return isYesterdayOpen(dataDir, now())
  }
  const snapshots: Work = async () => {
    if (fetches()) await children.run(['fetch', '--snapshots', ...(settings.FOLLOW === 'on' ? ['--hourly'] : [])])
    return false
  }

  const plan = (job: string, times: string, work: Work) => {
    if (times === 'off') {
      journal.setDue(job, undefined)
      return []
    }
    let pending: Promise<void> | undefined
    let retry: NodeJS.Timeout | undefined
    const next = (): number | undefined => task.getNextRun()?.getTime()
    const run = (steps: Work, retriesLeft = retries.most): Promise<void> => {
      clearTimeout(retry)
      pending ??= inTurn(async () => {
        try {
          const isUnfinished = !children.stopped && (await steps())
          // What was cut off stays due.
          if (children.stopped) return
          if (isUnfinished && retriesLeft > 0) {
            log.info({ job }, 'yesterday is not closed yet: no block of today has followed its last block')
            retry = setTimeout(() => run(passAgain, retriesLeft - 1), retries.pause)
            journal.setDue(job, now() + retries.pause)
            return
          }
          if (isUnfinished) log.warn({ job }, 'yesterday is still not closed: no block of today came in time')
          journal.setDue(job, next())
        } catch (error) {
          log.error({ job, err: error }, `${job} failed: ${error instanceof Error ? error.message : error}`)
        } finally {
          pending = undefined
        }
      })
      return pending
    }
    const options = { timezone: 'UTC', noOverlap: true, name: job, logger: cronLogger(log) }
    const task = schedule(times, () => run(work), options)
    // The machine slept at the time.
    task.on('execution:missed', () => run(work))
    const due = journal.due(job)
    const isRetry = (at: number): boolean => at <= now() + retries.pause && at < (next() ?? at)
    if (updated && work === update) void run(completeUpdate)
    else if (due === undefined || due <= Date.now() || isRetry(due)) {
      if (due === undefined || journal.killedSince(job, due) < mostAttempts) void run(work)
      else log.error({ job }, `${job} was interrupted ${mostAttempts} times and now waits for its next scheduled time`)
    }
    return [{ task, idle: () => pending, giveUp: () => clearTimeout(retry) }]
  }
  const planned = [
    ...plan('snapshots', settings.SNAPSHOT_SCHEDULE, snapshots),
    ...plan('update', settings.UPDATE_SCHEDULE, update),
  ]

  if (!updated) proveRest()

  return {
    recentRuns: () => journal.recent(),
    stop: async () => {
      children.stop()
      prover.stop()
      follower.stop()
      stopping.abort()
      for (const { task, giveUp } of planned) {
        giveUp()
        await task.destroy()
      }
      await Promise.all([proving, following, ...planned.map(({ idle }) => idle())])
    },
  }
}

const cronLogger = (log: Logger) => ({
  info: (message: string) => log.info(message),
  warn: (message: string) => log.warn(message),
  error: (message: string | Error) => log.error(message),
  debug: (message: string | Error) => log.debug(message),
})
