import { setTimeout as sleep } from 'node:timers/promises'
import { schedule } from 'node-cron'
import { dayAt, isoDate } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { createSerialQueue } from '#base/serial-queue.ts'
import { folderNetwork } from '#compute/data-folder.ts'
import { mayHaveNewBlock } from '#compute/scan/node-pin.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration, listGenerations } from '#sql/generation.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import type { Run } from '#state/run-journal.ts'
import { ChildCommands, cliProgram, toEnvironment } from './child-commands.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { toUpdateSettings } from './steps.ts'

export interface Schedule {
  readonly recentRuns: () => readonly Run[]
  /** Stops running jobs, which the next start makes up for. */
  readonly stop: () => Promise<void>
}

export interface ScheduleOptions {
  /** An update has just finished, so only market data may be missing. */
  readonly updated?: boolean
  readonly program?: string
  readonly now?: () => number
  /** Retries of an update while yesterday is not closed. */
  readonly retries?: { readonly max: number; readonly pauseMs: number }
}

/** Runs a job; true if it should be retried soon. */
type Work = () => Promise<boolean>

/** A job interrupted this often by the machine or container stopping waits for its next scheduled time. */
const maxAttempts = 2

const minPauseMs = 5_000
const maxPauseMs = 600_000

/** 2.5 hours, from 00:30 to 03:00: by then almost every day has its first block. */
const defaultRetries = { max: 30, pauseMs: 5 * 60_000 }

/**
 * Runs the nightly update and the hourly market snapshots at their times (UTC), one at a time, each in a child process,
 * so that neither crashes nor long computations affect this one. Jobs missed while nothing ran start immediately; an
 * update is retried until yesterday's last block has a successor. With FOLLOW=on another child follows the node.
 */
export function startSchedule(
  settings: Settings,
  log: Logger,
  { updated = false, program = cliProgram, now = Date.now, retries = defaultRetries }: ScheduleOptions = {},
): Schedule {
  const { DATA_DIR: dataDir } = settings
  const journal = new ScheduleJournal(dataDir, log)
  const children = new ChildCommands(program, toEnvironment(settings), journal, log)
  const prover = new ChildCommands(program, toEnvironment(settings), journal, log)
  const inTurn = createSerialQueue()
  /** Only mainnet has market data; a simulated chain comes with its own. */
  const fetches = (): boolean => settings.MARKET_SOURCES !== 'none' && folderNetwork(dataDir) === 'mainnet'

  const follower = new ChildCommands(program, toEnvironment(settings), journal, log)
  const stopping = new AbortController()
  /** `follow` itself waits for an unreachable node, and exits only for other errors. */
  const keepFollowing = async (): Promise<void> => {
    for (let pause = minPauseMs; !follower.stopped; pause = Math.min(2 * pause, maxPauseMs)) {
      await follower.run(['follow'])
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const isSimulated = folderNetwork(dataDir) === 'simulated'
  if (settings.FOLLOW === 'on' && isSimulated) {
    log.warn('FOLLOW=on has no effect: the chain is simulated, so there is no node to follow')
  }
  const following = settings.FOLLOW === 'on' && !isSimulated ? keepFollowing() : undefined

  /** Proving many years takes hours, so it runs beside updates. */
  let proving: Promise<unknown> | undefined
  const proveRest = (): void => {
    const height = currentGeneration(dataDir)?.generation.tip.height ?? -1
    const proved = readProvedBlocks(dataDir, height + 1)
    if (!proved || proved.blocks === proved.of) return
    proving ??= prover.run(['prove'], true).finally(() => {
      proving = undefined
    })
  }

  // A failed source is only reported; its stored data stays.
  const update: Work = async () => {
    if (fetches()) await children.run(['fetch'])
    return pass()
  }
  const pass: Work = async () => {
    const isDone = await children.run(['update'])
    proveRest()
    return isDone && isYesterdayOpen(dataDir, now())
  }
  const passAgain: Work = async () => ((await mayHaveNewBlock(toUpdateSettings(settings, process.env))) ? pass() : true)
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
    const run = (steps: Work, retriesLeft = retries.max): Promise<void> => {
      clearTimeout(retry)
      pending ??= inTurn(async () => {
        try {
          const isUnfinished = !children.stopped && (await steps())
          // An interrupted job stays due.
          if (children.stopped) return
          if (isUnfinished && retriesLeft > 0) {
            log.info({ job }, 'yesterday is not closed yet: no block of today has followed its last block')
            retry = setTimeout(() => run(passAgain, retriesLeft - 1), retries.pauseMs)
            journal.setDue(job, now() + retries.pauseMs)
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
    // For example if the machine was asleep.
    task.on('execution:missed', () => run(work))
    const due = journal.due(job)
    const isRetry = (at: number): boolean => at <= now() + retries.pauseMs && at < (next() ?? at)
    if (updated && work === update) void run(completeUpdate)
    else if (due === undefined || due <= Date.now() || isRetry(due)) {
      if (due === undefined || journal.killedSince(job, due) < maxAttempts) void run(work)
      else log.error({ job }, `${job} was interrupted ${maxAttempts} times and now waits for its next scheduled time`)
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

/** Networks with a block about every ten minutes. */
const steadyNetworks: ReadonlySet<NetworkName> = new Set(['mainnet', 'testnet3', 'testnet4', 'signet'])

/**
 * True if the published data ends the day before yesterday: yesterday closes only when a block of today follows its
 * last one. Half an hour after midnight this is the case one night in twenty.
 */
function isYesterdayOpen(dataDir: string, now: number): boolean {
  const network = folderNetwork(dataDir)
  const newest = listGenerations(dataDir).at(-1)?.opened?.generation
  return network !== undefined && steadyNetworks.has(network) && newest?.last_date === isoDate(dayAt(now) - 2)
}
