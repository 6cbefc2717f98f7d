import { statfsSync } from 'node:fs'
import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { msPerDay, parseDay } from '#base/days.ts'
import { type OperationalState, type Problem, type ServiceState, serviceStates } from '#contract/operational-state.ts'
import type { Generation } from '#sql/generation.ts'
import { type Run, readRunJournal } from './run-journal.ts'
import { readAttempts } from './source-attempts.ts'

export interface StateOptions {
  /** Undefined without a generation, 'damaged' if it cannot be opened. */
  readonly served: Generation | 'damaged' | undefined
  /** Files of the served generation are missing or damaged; data already in memory is still served. */
  readonly isIncomplete?: boolean
  /** Data is stale if the newest block is older. */
  readonly maxAgeMs: number
  /** Runs known to this process; on a full disk they are missing in the journal. */
  readonly recentRuns?: readonly Run[]
  readonly knownProblems?: readonly Problem[]
  /** Milliseconds since 1970. */
  readonly now?: number
}

/** Jobs that end with a new generation. */
export const updateJobs: ReadonlySet<string> = new Set(['update', 'ingest', 'compute', 'pull'])
/** Problem codes of jobs whose failure does not affect published data. */
const minorJobs = {
  fetch: 'fetch_failed',
  snapshots: 'snapshots_failed',
  prove: 'proof_failed',
  publish: 'publish_failed',
} as const
/** Ends of runs that are no failures: stopped with the service, or another run was active. */
const harmlessCodes: ReadonlySet<string> = new Set(['stopped', 'data_folder_in_use'])
/** Short, because requests wait for it. */
const journalTimeoutMs = 200
/** A due update starts immediately unless it waits for another run. */
const overdueAfterMs = 2 * 3_600_000
/** Sources are asked every night; single failures are normal. */
const silentDays = 3
/** Expected free space for logs and temporary files, besides twice the published data. */
const spareBytes = 2 ** 30
/** Below it no run can record its failure. */
const minFreeBytes = 2 ** 20

/**
 * The operational state of a data folder and its latest runs, newest first. Reads a few small files; does not fail or wait long
 * if they are damaged or locked.
 */
export function readOperations(dataDir: string, options: StateOptions): { state: OperationalState; runs: Run[] } {
  const { served, isIncomplete = false, maxAgeMs, recentRuns = [], knownProblems = [], now = Date.now() } = options
  const journal = attempt(() =>
    readRunJournal(dataDir, (runs) => ({ runs: runs.newest(2), due: runs.due() }), journalTimeoutMs),
  )
  const runs = [...recentRuns, ...(journal.value?.runs ?? [])].sort((one, other) => other.startedAt - one.startedAt)
  const renewals = runs.filter(({ job }) => updateJobs.has(job))
  const [lastUpdate] = renewals
  const due = journal.value?.due.get('update')
  const problems = [
    ...findGenerationProblems(served, maxAgeMs, now),
    ...(isIncomplete ? [problem('generation_damaged', 'failed', 'published files are missing or damaged')] : []),
    ...findRunProblems(runs, renewals),
    ...(due !== undefined && now - due > overdueAfterMs && lastUpdate?.outcome !== 'running'
      ? [problem('update_overdue', 'stale', `an update was due ${formatAge(now - due)} ago`)]
      : []),
    ...findSourceProblems(dataDir, now),
    ...findDiskProblems(dataDir, served),
    ...knownProblems,
    ...(journal.failed ? [problem('journal_unreadable', 'degraded', 'the journal of runs cannot be read')] : []),
  ]
  const status = serviceStates[Math.max(0, ...problems.map(({ state }) => serviceStates.indexOf(state)))] ?? 'ok'
  const lastOk = renewals.find(({ outcome }) => outcome === 'ok')
  const state = {
    status,
    problems,
    last_success: formatTime(lastOk?.endedAt ?? null),
    last_update: lastUpdate ? describeRun(lastUpdate, now) : null,
    next_update: formatTime(due ?? null),
  }
  return { state, runs }
}

function findGenerationProblems(served: StateOptions['served'], maxAgeMs: number, now: number): Problem[] {
  if (served === undefined) return [problem('nothing_published', 'data_not_ready', 'nothing is published yet')]
  if (served === 'damaged') {
    return [problem('generation_damaged', 'data_not_ready', 'the published data is damaged and cannot be opened')]
  }
  const age = now - Date.parse(served.tip.time)
  const problems: Problem[] = []
  if (age > maxAgeMs) problems.push(problem('tip_old', 'stale', `the newest block is ${formatAge(age)} old`))
  if (-age > maxTimeAheadMs) {
    problems.push(problem('clock_behind', 'degraded', `the clock is ${formatAge(-age)} behind the newest block`))
  }
  const pricedTo = served.prices?.last_date
  if (pricedTo !== undefined && parseDay(served.last_date) - parseDay(pricedTo) >= silentDays) {
    problems.push(problem('prices_old', 'degraded', `prices end on ${pricedTo}, days on ${served.last_date}`))
  }
  return problems
}

function findRunProblems(runs: readonly Run[], renewals: readonly Run[]): Problem[] {
  const hasEnded = ({ outcome, code }: Run): boolean =>
    outcome !== 'running' && (code === null || !harmlessCodes.has(code))
  const ended = renewals.find(hasEnded)
  const problems: Problem[] = []
  if (ended?.outcome === 'failed') problems.push(problem('update_failed', 'failed', failure(ended)))
  for (const [job, code] of Object.entries(minorJobs)) {
    const last = runs.find((run) => run.job === job && hasEnded(run))
    if (last?.outcome === 'failed') problems.push(problem(code, 'degraded', failure(last)))
  }
  return problems
}

const failure = ({ job, code, startedAt }: Run): string =>
  `the last ${job} failed${code === null ? '' : ` with ${code}`}; it began ${formatTime(startedAt)}`

function findSourceProblems(dataDir: string, now: number): Problem[] {
  const attempts = attempt(() => readAttempts(dataDir)).value ?? {}
  return Object.entries(attempts)
    .filter(([, { at, outcome, lastSuccess }]) => {
      // Sources that are no longer asked, do not serve this country or lack a key are the operator's choice.
      const isAsked = outcome === 'failed' && now - at < silentDays * msPerDay
      return isAsked && lastSuccess !== undefined && now - lastSuccess > silentDays * msPerDay
    })
    .map(([source, { lastSuccess = 0 }]) =>
      problem('market_source_silent', 'degraded', `${source} has not answered for ${formatAge(now - lastSuccess)}`),
    )
}

function findDiskProblems(dataDir: string, served: StateOptions['served']): Problem[] {
  const room = freeBytes(dataDir)
  const bytes = typeof served === 'object' ? publishedBytes(served) : 0
  if (room === undefined || room >= 2 * bytes + spareBytes) return []
  if (room < minFreeBytes) return [problem('disk_full', 'failed', 'the disk is full: nothing can be written')]
  return [problem('disk_low', 'degraded', `the disk has ${Math.floor(room / 2 ** 20)} MB left`)]
}

/** Free space on the disk of a data folder; undefined if it cannot be determined. */
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

const problem = (code: Problem['code'], state: ServiceState, message: string): Problem => ({ code, state, message })

const formatTime = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString()

function formatAge(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000)
  if (hours < 1) return `${Math.floor(milliseconds / 60_000)} minutes`
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}

/** State files may be locked or damaged, which is a problem to report and not an error. */
function attempt<T>(work: () => T): { readonly value: T | undefined; readonly failed: boolean } {
  try {
    return { value: work(), failed: false }
  } catch {
    return { value: undefined, failed: true }
  }
}
