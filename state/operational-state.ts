import { statfsSync } from 'node:fs'
import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { msPerDay, parseDay } from '#base/days.ts'
import { findCure, isTransient } from '#base/error-codes.ts'
import {
  type OperationalState,
  type Problem,
  type ProblemCode,
  problemCure,
  type ServiceState,
  serviceStates,
  toProblem,
} from '#contract/operational-state.ts'
import { describePriceGap } from '#contract/pricing.ts'
import type { Generation } from '#sql/generation.ts'
import { type Following, readFollowing } from './following.ts'
import { followLock, readLockOwner } from './lock-owner.ts'
import { readRescan } from './rescan.ts'
import { type Run, readRunJournal } from './run-journal.ts'
import { readAttempts } from './source-attempts.ts'

export interface StateOptions {
  /** Undefined without a generation, 'damaged' if it cannot be opened. */
  readonly served: Generation | 'damaged' | undefined
  /** Missing or damaged published tables, which are not served. */
  readonly damaged?: readonly string[]
  /** Data is stale if the newest block is older. */
  readonly maxAgeMs: number
  /** Runs known to this process; a full disk's journal lacks them. */
  readonly recentRuns?: readonly Run[]
  readonly knownProblems?: readonly Problem[]
  /** Milliseconds since 1970. */
  readonly now?: number
}

type Attempts = ReturnType<typeof readAttempts>

/** Checks other things than the job `audit`. */
export const coinsJob = 'audit --coins'
/** The same with a file of the operator: counts if it was compared. */
export const coinsFileJob = 'audit --file'
/** Jobs that end with a new generation. */
export const updateJobs: ReadonlySet<string> = new Set(['update', 'ingest', 'compute', 'pull'])
/** Problem codes of jobs that do not affect published data. */
const minorJobs = {
  fetch: 'fetch_failed',
  snapshots: 'snapshots_failed',
  prove: 'proof_failed',
  publish: 'publish_failed',
} as const
/** No failures: stopped with the service, another run was active, or a mistyped command. */
const harmlessCodes: ReadonlySet<string> = new Set(['stopped', 'data_folder_in_use', 'invalid_argument'])
/** Short, because requests wait for it. */
const journalTimeoutMs = 200
/** A due update starts immediately unless it waits for another run. */
const overdueAfterMs = 2 * 3_600_000
/** Asked every night; single failures are normal. */
const silentDays = 3
/** Shorter silences, such as restarts, are normal. */
const nodeSilenceMs = 60_000
/** Blocks and sources allow no greater precision. */
const maxClockErrorMs = 10 * 60_000
/** Older attempts say nothing of the clock. */
const clockDays = 2
/** For logs and temporary files, besides twice the published data. */
const spareBytes = 2 ** 30
/** Below it no run can record its failure. */
const minFreeBytes = 2 ** 20

/**
 * State of a data folder and its latest runs, newest first. Reads a few small files; does not fail
 * or wait long if they are damaged or locked. `following` is undefined if no process follows.
 */
export function readOperations(
  dataDir: string,
  options: StateOptions,
): { state: OperationalState; runs: Run[]; following: Following | undefined } {
  const { served, damaged = [], maxAgeMs, recentRuns = [], knownProblems = [], now = Date.now() } = options
  const journal = attempt(() =>
    readRunJournal(dataDir, (runs) => ({ runs: runs.newest(2), due: runs.due() }), journalTimeoutMs),
  )
  const runs = [...recentRuns, ...(journal.value?.runs ?? [])].sort((one, other) => other.startedAt - one.startedAt)
  const renewals = runs.filter(({ job }) => updateJobs.has(job))
  const [lastUpdate] = renewals
  const isFollowing = runs.some(({ job, outcome }) => job === 'follow' && outcome === 'running')
  const following = isFollowing ? attempt(() => readFollowing(dataDir)).value : undefined
  const attempts = attempt(() => readAttempts(dataDir)).value ?? {}
  const due = journal.value?.due.get('update')
  const problems = [
    ...findGenerationProblems(served, maxAgeMs, now),
    ...(damaged.length > 0 ? [toProblem('generation_damaged', 'failed', describeDamage(damaged))] : []),
    ...findRunProblems(runs, renewals, due !== undefined && due > now ? due : undefined),
    ...findAuditProblems('audit', runs, served),
    ...findAuditProblems(coinsJob, runs, served),
    ...(due !== undefined && now - due > overdueAfterMs && lastUpdate?.outcome !== 'running'
      ? [toProblem('update_overdue', 'stale', `an update was due ${formatAge(now - due)} ago`)]
      : []),
    ...findFollowProblems(dataDir, runs, now),
    ...findNodeProblems(following, now),
    ...findClockProblems(served, attempts, now),
    ...findSourceProblems(attempts, now),
    ...findDiskProblems(dataDir, served),
    ...findWaitingRescan(dataDir),
    ...knownProblems,
    ...(journal.failed ? [toProblem('journal_unreadable', 'degraded', 'the journal of runs cannot be read')] : []),
  ]
  const status = serviceStates[Math.max(0, ...problems.map(({ state }) => serviceStates.indexOf(state)))] ?? 'ok'
  // The record of the same run, which the journal has too, is without it.
  const reported = renewals.find((run) => run.progress)
  const progress = (lastUpdate?.outcome === 'running' && reported?.progress) || null
  const lastOk = renewals.find(({ outcome }) => outcome === 'ok')
  const state = {
    status,
    problems,
    last_success: formatTime(lastOk?.endedAt ?? null),
    last_update: lastUpdate ? { ...describeRun(lastUpdate, now), progress } : null,
    next_update: formatTime(due ?? null),
  }
  return { state, runs, following }
}

function findGenerationProblems(served: StateOptions['served'], maxAgeMs: number, now: number): Problem[] {
  if (served === undefined) return [toProblem('nothing_published', 'data_not_ready', 'nothing is published yet')]
  if (served === 'damaged') {
    return [toProblem('generation_damaged', 'data_not_ready', 'the published data is damaged and cannot be opened')]
  }
  const age = now - Date.parse(served.tip.time)
  const problems: Problem[] = []
  if (age > maxAgeMs) problems.push(toProblem('tip_old', 'stale', `the newest block is ${formatAge(age)} old`))
  const pricedTo = served.prices?.last_date
  if (pricedTo !== undefined && parseDay(served.last_date) - parseDay(pricedTo) >= silentDays) {
    problems.push(toProblem('prices_old', 'degraded', `prices end on ${pricedTo}, days on ${served.last_date}`))
  }
  const gap = served.prices?.onchain_gap
  if (gap !== undefined) problems.push(toProblem('prices_doubtful', 'degraded', describePriceGap(gap)))
  return problems
}

const describeDamage = (tables: readonly string[]): string =>
  `published tables are missing or damaged, and not served: ${tables.join(', ')}`

function findRunProblems(runs: readonly Run[], renewals: readonly Run[], nextUpdate: number | undefined): Problem[] {
  const ended = renewals.find(hasEnded)
  const problems: Problem[] = []
  if (ended?.outcome === 'failed') {
    // A failed pull may have offered nothing newer; otherwise the data become stale in time.
    const isPull = ended.job === 'pull'
    problems.push(
      isPull
        ? { ...describeFailure('pull_failed', 'degraded', ended), cure: problemCure('pull_failed') }
        : describeFailure('update_failed', 'failed', ended, nextUpdate),
    )
  }
  for (const [job, code] of Object.entries(minorJobs)) {
    const last = runs.find((run) => run.job === job && hasEnded(run))
    if (last?.outcome === 'failed') problems.push(describeFailure(code, 'degraded', last))
  }
  return problems
}

const hasEnded = ({ outcome, code }: Run): boolean =>
  outcome !== 'running' && (code === null || !harmlessCodes.has(code))

/**
 * A later audit of the same kind, or another generation unless the coins differed, settles a
 * finding.
 */
function findAuditProblems(job: string, runs: readonly Run[], served: StateOptions['served']): Problem[] {
  const wasCompared = ({ job: of, code }: Run): boolean =>
    of === coinsFileJob && job === coinsJob && (code === null || code === 'audit_failed')
  const last = runs.find((run) => (run.job === job || wasCompared(run)) && hasEnded(run))
  const publishedAt = typeof served === 'object' ? Date.parse(served.created_at) : 0
  const isWrong = last?.code === 'audit_failed'
  const isSettled = publishedAt > (last?.startedAt ?? 0) && !(isWrong && job === coinsJob)
  if (last?.outcome !== 'failed' || isSettled) return []
  const problem = describeFailure('audit_failed', isWrong ? 'failed' : 'degraded', last)
  const found = isWrong && last.message !== null ? `; ${last.message.replaceAll(/(?<!\S)(?:\/[^\s/]+)+\//g, '')}` : ''
  return [{ ...problem, message: problem.message + found }]
}

function describeFailure(problem: ProblemCode, state: ServiceState, run: Run, nextRun?: number): Problem {
  const { job, code, startedAt } = run
  const failure = `the last ${job} failed${code === null ? '' : ` with ${code}`}; it began ${formatTime(startedAt)}`
  const retry = isTransient(code) ? ', and is tried again at' : ', and is not tried again before'
  const message = nextRun === undefined ? failure : `${failure}${retry} ${formatTime(nextRun)}`
  return toProblem(problem, state, message, findCure(code))
}

/** `start` tries again within ten minutes, so an older failure is of a time when it followed. */
const followRetryMs = 20 * 60_000

function findFollowProblems(dataDir: string, runs: readonly Run[], now: number): Problem[] {
  const last = runs.find(({ job }) => job === 'follow')
  if (last?.outcome !== 'failed' || last.code === 'stopped') return []
  if (now - (last.endedAt ?? last.startedAt) > followRetryMs) return []
  const problem = describeFailure('follow_failed', 'degraded', last)
  if (last.code !== 'data_folder_in_use') return [problem]
  return [{ ...problem, message: `${problem.message}; ${readLockOwner(followLock(dataDir))}, follows the node` }]
}

function findNodeProblems(following: Following | undefined, now: number): Problem[] {
  const silentMs = now - (following?.unreachableSince ?? now)
  if (silentMs <= nodeSilenceMs) return []
  const isRefused = following?.code === 'rpc_refused'
  const message = `the node has ${isRefused ? 'refused access (rpc_refused)' : 'not answered'} for ${formatAge(silentMs)}`
  return [toProblem('node_unreachable', 'degraded', message, isRefused ? findCure('rpc_refused') : undefined)]
}

/** Compares the clock with the newest block and with sources asked lately. */
function findClockProblems(served: StateOptions['served'], attempts: Attempts, now: number): Problem[] {
  const blockAheadMs = typeof served === 'object' ? Date.parse(served.tip.time) - now : 0
  if (blockAheadMs > maxTimeAheadMs) {
    return [toProblem('clock_behind', 'degraded', `the clock is ${formatAge(blockAheadMs)} behind the newest block`)]
  }
  const aheadMs = Object.values(attempts)
    // Future attempts are from before the clock was set back.
    .filter(({ at }) => at <= now && now - at < clockDays * msPerDay)
    .flatMap(({ clockAheadMs }) => clockAheadMs ?? [])
    .sort((one, other) => one - other)
  const median = aheadMs[Math.floor(aheadMs.length / 2)] ?? 0
  if (Math.abs(median) <= maxClockErrorMs) return []
  const [code, direction] = median < 0 ? (['clock_ahead', 'ahead of'] as const) : (['clock_behind', 'behind'] as const)
  const message = `the clock is ${formatAge(Math.abs(median))} ${direction} those of the sources of market data`
  return [toProblem(code, 'degraded', message)]
}

function findSourceProblems(attempts: Attempts, now: number): Problem[] {
  return Object.entries(attempts)
    .filter(([, { at, outcome, lastSuccess }]) => {
      // Sources no longer asked, closed to this country or without a key are the operator's choice.
      const isAsked = outcome === 'failed' && now - at < silentDays * msPerDay
      return isAsked && lastSuccess !== undefined && now - lastSuccess > silentDays * msPerDay
    })
    .map(([source, { lastSuccess = 0 }]) =>
      toProblem('market_source_silent', 'degraded', `${source} has not answered for ${formatAge(now - lastSuccess)}`),
    )
}

function findWaitingRescan(dataDir: string): Problem[] {
  const { value: rescan } = attempt(() => readRescan(dataDir))
  if (!rescan || rescan.isAllowed) return []
  return [toProblem('rescan_waiting', 'degraded', `${rescan.why}: ${rescan.effort}, once you allow it`)]
}

/** Problems of a disk without room for the next generations. */
export function findDiskProblems(dataDir: string, served: StateOptions['served']): Problem[] {
  const room = freeBytes(dataDir)
  const bytes = typeof served === 'object' ? publishedBytes(served) : 0
  if (room === undefined || room >= 2 * bytes + spareBytes) return []
  if (room < minFreeBytes) return [toProblem('disk_full', 'failed', 'the disk is full: nothing can be written')]
  return [toProblem('disk_low', 'degraded', `the disk has ${Math.floor(room / 2 ** 20)} MB left`)]
}

/** Free space of a data folder's disk; undefined if unknown. */
export function freeBytes(dataDir: string): number | undefined {
  const { value } = attempt(() => statfsSync(dataDir))
  return value && value.bavail * value.bsize
}

export const publishedBytes = ({ tables }: Generation): number =>
  Object.values(tables).reduce((sum, { bytes }) => sum + bytes, 0)

function describeRun({ startedAt, endedAt, outcome, code }: Run, now: number) {
  const end = outcome === 'running' ? now : endedAt
  return {
    started_at: new Date(startedAt).toISOString(),
    ended_at: formatTime(endedAt),
    outcome,
    code,
    seconds: end === null ? null : Math.round((end - startedAt) / 1000),
  }
}

const formatTime = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString()

function formatAge(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000)
  if (hours < 1) return `${Math.floor(milliseconds / 60_000)} minutes`
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}

/** Locked or damaged state files are problems to report, not errors. */
function attempt<T>(work: () => T): { readonly value: T | undefined; readonly failed: boolean } {
  try {
    return { value: work(), failed: false }
  } catch {
    return { value: undefined, failed: true }
  }
}
