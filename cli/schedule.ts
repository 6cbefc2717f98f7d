import { existsSync } from 'node:fs'
import { schedule } from 'node-cron'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { isTransient } from '#base/error-codes.ts'
import { hasErrorCode } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import { formatDuration } from '#base/quantities.ts'
import { createSerialQueue } from '#base/serial-queue.ts'
import { dumpFolder, folderNetwork, withDump } from '#compute/data-folder.ts'
import { mayHaveNewBlock } from '#compute/scan/node-pin.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { releasePipes } from '#ingest/chain/node-dump.ts'
import type { Settings } from '#root/config.ts'
import { listGenerations, readableGeneration } from '#sql/generation.ts'
import { readCoinComparison } from '#state/coin-proof.ts'
import { updateJobs } from '#state/operational-state.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import type { Run } from '#state/run-journal.ts'
import { ChildCommands, cliProgram, type Ended, toEnvironment } from './child-commands.ts'
import { isUpdatedWith } from './choices.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { toUpdateSettings } from './steps.ts'

export interface Schedule {
  readonly recentRuns: () => readonly Run[]
  /** Unless one is running. */
  readonly update: () => void
  /** The next start repeats running jobs. */
  readonly stop: () => Promise<void>
}

export interface ScheduleOptions {
  /** An update has just finished: only market data may be missing. */
  readonly updated?: boolean
  readonly program?: string
  readonly now?: () => number
  /** Update retries while yesterday is not closed. */
  readonly retries?: { readonly max: number; readonly pauseMs: number }
  /** Pauses before retries after transient failures; the last one repeats. */
  readonly backoffMs?: readonly number[]
}

/**
 * A step to repeat soon; `code` is that of a transient error, or null while yesterday is not
 * closed.
 */
interface Retry {
  readonly code: string | null
  readonly work: Work
}

/** Resolves to a step to repeat soon, if any. */
type Work = () => Promise<Retry | undefined>

const retryAfter = ({ code }: Ended, work: Work): Retry | undefined => (isTransient(code) ? { code, work } : undefined)

/**
 * A job interrupted this often (machine or container stopped) waits for its next scheduled time.
 */
const maxAttempts = 2

/** A week, less an update's duration. */
const coinsPauseMs = 6.9 * msPerDay

const minPauseMs = 5_000
const maxPauseMs = 600_000

/** 2.5 hours, 00:30 to 03:00: almost every day then has its first block. */
const defaultRetries = { max: 30, pauseMs: 5 * 60_000 }

const defaultBackoffMs = [1, 2, 5, 10, 30].map((minutes) => 60_000 * minutes)

export const backoffPause = (pausesMs: readonly number[], failures: number): number =>
  pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0

/**
 * Runs the nightly update and hourly market snapshots (UTC), one at a time, in child processes, so
 * that crashes and long computations do not affect this one. Missed jobs start immediately, as does
 * an update if the last one failed or had other settings, labels or program. An update is retried
 * after transient failures and until yesterday's last block has a successor. With FOLLOW=on another
 * child follows the node.
 */
export function startSchedule(settings: Settings, log: Logger, options: ScheduleOptions = {}): Schedule {
  const { DATA_DIR: dataDir } = settings
  const { updated = false, program = cliProgram, now = Date.now } = options
  const { retries = defaultRetries, backoffMs = defaultBackoffMs } = options
  const journal = new ScheduleJournal(dataDir, log)
  const dumps = dumpFolder(dataDir, settings.DUMP_FOLDER)
  if (existsSync(dumps)) {
    // Unless another process reads a dump.
    withDump(dataDir, async () => releasePipes(dumps)).catch((err) => {
      if (!hasErrorCode(err, 'data_folder_in_use')) log.warn({ err }, `cannot clear ${dumps}`)
    })
  }
  const children = new ChildCommands(program, toEnvironment(settings), journal, log)
  const prover = new ChildCommands(program, toEnvironment(settings), journal, log)
  const inTurn = createSerialQueue()
  /** Only mainnet has sources of market data. */
  const fetches = (): boolean => settings.MARKET_SOURCES !== 'none' && folderNetwork(dataDir) === 'mainnet'

  const follower = new ChildCommands(program, toEnvironment(settings), journal, log)
  /** `follow` waits for an unreachable node and exits only for other errors. */
  const keepFollowing = async (): Promise<void> => {
    for (let pause = minPauseMs; !follower.stopped; pause = Math.min(2 * pause, maxPauseMs)) {
      await follower.run(['follow'])
      await follower.pause(pause)
    }
  }
  const isSimulated = folderNetwork(dataDir) === 'simulated'
  if (settings.FOLLOW === 'on' && isSimulated) {
    log.warn('FOLLOW=on has no effect: the chain is simulated, so there is no node to follow')
  }
  const following = settings.FOLLOW === 'on' && !isSimulated ? keepFollowing() : undefined

  /** Proving takes hours, so it runs beside updates. */
  let proving: Promise<unknown> | undefined
  const proveRest = (): void => {
    const height = readableGeneration(dataDir)?.generation.tip.height ?? -1
    const proved = readProvedBlocks(dataDir, height + 1)
    const lastCoins = Date.parse(readCoinComparison(dataDir)?.at ?? '') || 0
    const jobs = [
      ...(proved && proved.blocks < proved.of ? [['prove']] : []),
      ...(settings.AUDIT_COINS === 'weekly' && !isSimulated && height >= 0 && now() - lastCoins > coinsPauseMs
        ? [['audit', '--coins']]
        : []),
    ]
    if (jobs.length === 0) return
    const runAll = async (): Promise<void> => {
      for (const job of jobs) if (!prover.stopped) await prover.run(job, true)
    }
    proving ??= runAll().finally(() => {
      proving = undefined
    })
  }

  const fetchData = async (): Promise<Ended> => (fetches() ? children.run(['fetch']) : { exitCode: 0, code: null })
  // Stored data of a failed source stays.
  const update: Work = async () => {
    const fetched = await fetchData()
    const next = await pass()
    return retryAfter(fetched, next ? update : completeUpdate) ?? next
  }
  const pass: Work = async () => {
    const ended = await children.run(['update'])
    proveRest()
    return ended.exitCode === 0 ? retryIfOpen() : retryAfter(ended, pass)
  }
  const passAgain: Work = async () =>
    (await mayHaveNewBlock(toUpdateSettings(settings, process.env))) ? pass() : retryIfOpen()
  const completeUpdate: Work = async () => {
    const fetched = await fetchData()
    const computed = fetches() && fetched.exitCode === 0 ? await children.run(['compute']) : undefined
    proveRest()
    return retryAfter(fetched, completeUpdate) ?? (computed && retryAfter(computed, pass)) ?? retryIfOpen()
  }
  const retryIfOpen = (): Retry | undefined =>
    isYesterdayOpen(dataDir, now()) ? { code: null, work: passAgain } : undefined
  const snapshots: Work = async () => {
    if (fetches()) await children.run(['fetch', '--snapshots', ...(settings.FOLLOW === 'on' ? ['--hourly'] : [])])
    return undefined
  }

  /** `count`: earlier retries for the same reason. Undefined after the last attempt. */
  const pauseBefore = (code: string | null, count: number): number | undefined => {
    if (code !== null) return backoffPause(backoffMs, count)
    return count < retries.max ? retries.pauseMs : undefined
  }

  const plan = (job: string, times: string, work: Work) => {
    if (times === 'off') {
      journal.setDue(job, undefined)
      return []
    }
    let pending: Promise<void> | undefined
    let retry: NodeJS.Timeout | undefined
    const next = (): number | undefined => task.getNextRun()?.getTime()
    const run = (steps: Work, before?: string | null, retried = 0): Promise<void> => {
      clearTimeout(retry)
      pending ??= inTurn(async () => {
        try {
          const unfinished = children.stopped ? undefined : await steps()
          // An interrupted job stays due.
          if (children.stopped) return
          if (!unfinished) return journal.setDue(job, next())
          const { code, work } = unfinished
          const count = before === code ? retried : 0
          const pauseMs = pauseBefore(code, count)
          log.warn({ job, code, pauseMs }, describeRetry(job, code, pauseMs))
          if (pauseMs === undefined) return journal.setDue(job, next())
          retry = setTimeout(() => run(work, code, count + 1), pauseMs)
          journal.setDue(job, Math.min(now() + pauseMs, next() ?? Number.POSITIVE_INFINITY))
        } catch (error) {
          log.error({ job, err: error }, `${job} failed: ${error instanceof Error ? error.message : error}`)
        } finally {
          pending = undefined
        }
      })
      return pending
    }
    const task = schedule(times, () => run(work), {
      timezone: 'UTC',
      noOverlap: true,
      name: job,
      logger: cronLogger(log),
    })
    // For example if the machine was asleep.
    task.on('execution:missed', () => run(work))
    const due = journal.due(job)
    const isRetry = (at: number): boolean =>
      at <= now() + Math.max(retries.pauseMs, ...backoffMs) && at < (next() ?? at)
    const isDue = due === undefined || due <= Date.now() || isRetry(due)
    const isOutdated = (): boolean => work === update && (journal.hasFailed(updateJobs) || !isUpdatedWith(settings))
    if (updated && work === update) void run(completeUpdate)
    else if (isDue || isOutdated()) {
      // If it is interrupted, the next start counts it.
      if (!isDue) journal.setDue(job, now())
      if (due === undefined || journal.killedSince(job, due) < maxAttempts) void run(work)
      else log.error({ job }, `${job} was interrupted ${maxAttempts} times and now waits for its next scheduled time`)
    }
    return [{ job, task, start: () => void run(work), idle: () => pending, giveUp: () => clearTimeout(retry) }]
  }
  const planned = [
    ...plan('snapshots', settings.SNAPSHOT_SCHEDULE, snapshots),
    ...plan('update', settings.UPDATE_SCHEDULE, update),
  ]

  if (!updated) proveRest()

  return {
    recentRuns: () => journal.recentRuns(),
    update: () => planned.find(({ job }) => job === 'update')?.start(),
    stop: async () => {
      children.stop()
      prover.stop()
      follower.stop()
      for (const { task, giveUp } of planned) {
        giveUp()
        await task.destroy()
      }
      await Promise.all([proving, following, ...planned.map(({ idle }) => idle())])
    },
  }
}

function describeRetry(job: string, code: string | null, pauseMs: number | undefined): string {
  if (pauseMs === undefined) return 'yesterday is still not closed: no block of today came in time'
  const reason =
    code === null ? 'yesterday is not closed yet: no block of today has come' : `${job} met ${code}, which may pass`
  return `${reason}; trying again in ${formatDuration(pauseMs / 1000)}`
}

const cronLogger = (log: Logger) => ({
  info: (message: string) => log.info(message),
  warn: (message: string) => log.warn(message),
  error: (message: string | Error) => log.error(message),
  debug: (message: string | Error) => log.debug(message),
})

/** About one block every ten minutes. */
const steadyNetworks: ReadonlySet<NetworkName> = new Set(['mainnet', 'testnet3', 'testnet4', 'signet'])

/**
 * True if the published data ends the day before yesterday: yesterday closes only when a block of
 * today follows. Half an hour after midnight none has come one night in twenty.
 */
function isYesterdayOpen(dataDir: string, now: number): boolean {
  const network = folderNetwork(dataDir)
  const newest = listGenerations(dataDir).at(-1)?.opened?.generation
  return network !== undefined && steadyNetworks.has(network) && newest?.last_date === isoDate(dayAt(now) - 2)
}
