import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { formatMinute, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { type Attempt, readAttempts, recordAttempt, snapshotName } from '#state/source-attempts.ts'
import { concernsWholeSource, type HttpClient, isUnreachable, keyVariable, retryAfterMs } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { defaultStoreIntervalMs, type Series } from './series.ts'
import type { MarketSource } from './source.ts'
import { createSourceClient, type Environment } from './source-settings.ts'
import { findSources } from './sources.ts'
import { type Appended, appendObservations, refuseMixture } from './store.ts'

export interface SourceReport extends Appended {
  readonly source: string
  readonly name: string
  readonly outcome: Attempt['outcome']
  readonly unreached?: boolean
  readonly gaps: number
  readonly notices?: readonly string[]
  readonly message?: string
  readonly cure?: string
}

export interface SourceProgress {
  readonly source: string
  readonly rows: number
  /** The current series is complete up to here, milliseconds since 1970. */
  readonly reached: number
  readonly share: number
}

export interface FetchOptions {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly env: Environment
  /** Source ids; default: all. */
  readonly sources?: readonly string[]
  /** Fetch again from here (milliseconds since 1970); default: each series continues. */
  readonly since?: number
  /** Only current values, for the hourly job. */
  readonly snapshotsOnly?: boolean
  /** With `snapshotsOnly`: also recent hourly prices. */
  readonly hourlyPrices?: boolean
  readonly now?: number
  readonly retryDelayMs?: number
  readonly storeIntervalMs?: number
  readonly onProgress?: (progress: SourceProgress) => void
  readonly onReport?: (report: SourceReport) => void
}

/**
 * Fetches all sources concurrently and stores new observations. A source that fails or blocks this
 * address does not stop others: its report says so, its stored data stays. Fails before fetching
 * for an unknown source or invalid address.
 */
export async function fetchSources(options: FetchOptions): Promise<SourceReport[]> {
  const { retryDelayMs } = options
  const retryOptions = retryDelayMs === undefined ? {} : { retryDelayMs }
  const chosen = findSources(options.sources)
    .filter((source) => !options.snapshotsOnly || source.snapshots || selectSeries(source, options).length > 0)
    .map((source) => ({ source, http: createSourceClient(source, options.env, retryOptions) }))
  refuseMixture(options.dataDir, 'the network')
  const settled = await Promise.allSettled(
    chosen.map(async ({ source, http }) => {
      const clock = () => options.now ?? Date.now()
      const pause = readPause(options.dataDir, source.id, clock())
      if (pause) {
        const report = { ...emptyReport(source), outcome: 'paused' as const, ...pause }
        options.onReport?.(report)
        return report
      }
      const { retryAfter = 0, ...report } = http
        ? await fetchSource(source, http, options).catch((error: unknown) => reportDamage(source, error))
        : { ...emptyReport(source), outcome: 'not_configured' as const, ...missingKey(source) }
      const { outcome, message } = report
      const at = clock()
      const clockAheadMs = http?.clockAheadMs()
      // Separate: a successful snapshot must not hide that the last fetch failed.
      recordAttempt(options.dataDir, options.snapshotsOnly ? snapshotName(source.id) : source.id, {
        at,
        outcome,
        ...(message !== undefined && { message }),
        ...(clockAheadMs !== undefined && { clockAheadMs }),
        ...(retryAfter > 0 && { notBefore: at + retryAfter }),
      })
      options.onReport?.(report)
      return report
    }),
  )
  // All have settled: the connection is free when the caller gets the error.
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

function selectSeries({ series }: MarketSource, { snapshotsOnly, hourlyPrices }: FetchOptions): readonly Series[] {
  if (!snapshotsOnly) return series
  return hourlyPrices ? series.filter(({ kind }) => kind === tables.prices_hourly.kind) : []
}

async function fetchSource(
  source: MarketSource,
  http: HttpClient,
  options: FetchOptions,
): Promise<SourceReport & { retryAfter?: number }> {
  const { connection, dataDir, since, snapshotsOnly, now = Date.now(), onProgress } = options
  const { storeIntervalMs = defaultStoreIntervalMs } = options
  const total = { added: 0, corrected: 0, unchanged: 0, gaps: 0 }
  const count = (done: Appended & { gaps?: number }) => {
    total.added += done.added
    total.corrected += done.corrected
    total.unchanged += done.unchanged
    total.gaps += done.gaps ?? 0
  }
  const failures: CoinstrataError[] = []
  const attempt = async (work: () => Promise<void>) => {
    if (failures.some(concernsWholeSource)) return
    try {
      await work()
    } catch (error) {
      // Other errors, such as a full disk, concern the whole run.
      if (!(error instanceof CoinstrataError) || !error.code.startsWith('market_source_')) throw error
      failures.push(error)
    }
  }
  const context = { http, connection, dataDir, source: source.id, since, now, storeIntervalMs }
  const selected = selectSeries(source, options)
  const all = await Promise.all(selected.map(async (series) => ({ series, open: await series.open(context) })))
  const fetched = readFetched(dataDir)[source.id] ?? {}
  // If rate limits cut a run short, the next starts with series fetched longest ago.
  const lastFetch = (id: string): number => (fetched[id] === undefined || fetched[id] > now ? 0 : fetched[id])
  if (source.rotates) all.sort((a, b) => lastFetch(a.series.id) - lastFetch(b.series.id))
  const totalSteps = all.reduce((sum, { open }) => sum + open.steps, 0)
  let [rowsBefore, stepsBefore] = [0, 0]
  for (const { series, open } of all) {
    let received = 0
    await attempt(async () => {
      const collected = await open.collect(({ rows, reached, done }) => {
        received = rows
        const share = (stepsBefore + done) / totalSteps
        onProgress?.({ source: source.id, rows: rowsBefore + rows, reached, share })
      })
      count(collected)
      if (source.rotates) recordFetched(dataDir, source.id, series.id, now)
    })
    rowsBefore += received
    stepsBefore += open.steps
  }
  const snapshots: Observation<'open_interest'>[] = []
  for (const snapshot of source.snapshots ?? [])
    await attempt(async () => void snapshots.push(await snapshot(http, now)))
  const folder = snapshotName(source.id)
  count(await appendObservations(connection, dataDir, tables.open_interest, folder, snapshots, now))
  const notices: string[] = []
  if (!snapshotsOnly) await attempt(async () => void notices.push(...((await source.notices?.(http)) ?? [])))
  const [failure] = failures
  const counts = { ...emptyReport(source), ...total, ...(notices.length > 0 && { notices }) }
  if (!failure) return { ...counts, outcome: 'ok' }
  const retryAfter = Math.max(...failures.map(retryAfterMs))
  const outcome = failure.code === 'market_source_blocked' ? 'blocked' : retryAfter > 0 ? 'paused' : 'failed'
  const { message, cure } = failure
  const unreached = isUnreachable(failure)
  return { ...counts, outcome, unreached, message, ...(cure !== undefined && { cure }), retryAfter }
}

/** A source with a damaged file fails alone: what others do not repeat would be lost. */
function reportDamage(source: MarketSource, error: unknown): SourceReport & { retryAfter?: number } {
  if (!(error instanceof CoinstrataError) || error.code !== 'data_folder_damaged') throw error
  const { message, cure } = error
  return { ...emptyReport(source), outcome: 'failed', message, ...(cure !== undefined && { cure }) }
}

/** No source needs longer; a damaged record must not silence one for ever. */
const maxPauseMs = 7 * msPerDay

/** Message for a source that requested a pause earlier. */
function readPause(dataDir: string, source: string, now: number): { message: string; cure: string } | undefined {
  const attempts = readAttempts(dataDir)
  const notBefore = Math.max(...[source, snapshotName(source)].map((name) => attempts[name]?.notBefore ?? 0))
  if (notBefore <= now || notBefore > now + maxPauseMs) return undefined
  return { message: `wants no requests before ${formatMinute(notBefore)}`, cure: 'the first run after that asks again' }
}

const emptyReport = ({ id, name }: MarketSource) => ({
  source: id,
  name,
  added: 0,
  corrected: 0,
  unchanged: 0,
  gaps: 0,
})

export const missingKey = ({ id, key }: MarketSource) => ({
  message: `${id} wants a key`,
  cure: `set ${keyVariable(id)} to ${key?.obtain}`,
})

const fetchedFile = (dataDir: string): string => path.join(dataDir, 'state', 'market-series.json')
const fetchedSchema = z.record(z.string(), z.record(z.string(), z.number()))

/**
 * Milliseconds since 1970 of each series' last complete fetch, by source. Empty if damaged: decides
 * only the order of series.
 */
const readFetched = (dataDir: string): z.infer<typeof fetchedSchema> =>
  readIntactJson(fetchedFile(dataDir), fetchedSchema) ?? {}

function recordFetched(dataDir: string, source: string, series: string, at: number): void {
  const fetched = readFetched(dataDir)
  fetched[source] = { ...fetched[source], [series]: at }
  writeIntactJson(fetchedFile(dataDir), fetched)
}
