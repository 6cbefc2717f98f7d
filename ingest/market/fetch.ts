import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import { type Attempt, readAttempts, recordAttempt, snapshotsOf } from '#state/source-attempts.ts'
import { readFetched, recordFetched } from './fetched-series.ts'
import { askAgainAfter, concernsWholeSource, type HttpClient, keyVariable, wasNotReached } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { type Series, usualStoreEvery } from './series.ts'
import { clientOf, type Environment } from './settings.ts'
import type { MarketSource } from './source.ts'
import { marketSources } from './sources.ts'
import { type Appended, appendObservations, refuseMixture } from './store.ts'

/** How fetching one source went. */
export interface SourceReport extends Appended {
  readonly source: string
  readonly name: string
  readonly outcome: Attempt['outcome']
  /** Nothing was heard of the source. */
  readonly unreached?: boolean
  /** Stretches missing in what was fetched now. */
  readonly gaps: number
  /** What to know of an answer that was otherwise good. */
  readonly notices?: readonly string[]
  /** What went wrong, and what to do about it. */
  readonly message?: string
  readonly cure?: string
}

/** How far the fetching of a source is. */
export interface SourceProgress {
  readonly source: string
  /** Rows received so far. */
  readonly rows: number
  /** Everything of the running series before this instant has been fetched; in milliseconds since 1970. */
  readonly reached: number
  /** Share of the work that is done, as a fraction. */
  readonly share: number
}

export interface FetchOptions {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly env: Environment
  /** Ids of the sources to fetch; all of them without it. */
  readonly sources?: readonly string[]
  /** Milliseconds since 1970 from which to fetch again; without it each series continues where it ends. */
  readonly since?: number
  /** Only what the venues say of this moment, as the hourly job wants. */
  readonly snapshotsOnly?: boolean
  /** With these, the prices of the hours since the last time. */
  readonly hourlyPrices?: boolean
  /** Milliseconds since 1970. */
  readonly now?: number
  /** Milliseconds before a failed request is first repeated. */
  readonly retryDelay?: number
  /** Milliseconds after which fetched rows are stored at the latest. */
  readonly storeEvery?: number
  /** Called after each request that brought a source further. */
  readonly onProgress?: (progress: SourceProgress) => void
  /** Called for each source as soon as it is done. */
  readonly onReport?: (report: SourceReport) => void
}

/**
 * Fetches from the sources side by side and stores what is new. A source that fails, or that does not serve this
 * address, stops none of the others: it is reported, and its stored data stay. Throws `invalid_argument` for an unknown
 * source, `invalid_configuration` for a bad address, before anything is fetched.
 */
export async function fetchSources(options: FetchOptions): Promise<SourceReport[]> {
  const unknown = options.sources?.find((id) => !marketSources.some((source) => source.id === id))
  if (unknown !== undefined)
    throw new CoinstrataError('invalid_argument', `there is no market data source "${unknown}"`, {
      cure: `choose from ${marketSources.map(({ id }) => id).join(', ')}`,
    })
  const { retryDelay } = options
  const patience = retryDelay === undefined ? {} : { retryDelay }
  const chosen = marketSources
    .filter((source) => options.sources?.includes(source.id) ?? true)
    .filter((source) => !options.snapshotsOnly || source.snapshots || seriesOf(source, options).length > 0)
    .map((source) => ({ source, http: clientOf(source, options.env, patience) }))
  refuseMixture(options.dataDir, 'the network')
  const settled = await Promise.allSettled(
    chosen.map(async ({ source, http }) => {
      const clock = () => options.now ?? Date.now()
      const pause = pauseOf(options.dataDir, source.id, clock())
      if (pause) {
        const report = { ...nothing(source), outcome: 'paused' as const, ...pause }
        options.onReport?.(report)
        return report
      }
      const { retryAfter = 0, ...report } = http
        ? await fetchSource(source, http, options)
        : { ...nothing(source), outcome: 'not_configured' as const, ...missingKey(source) }
      const { outcome, message } = report
      const at = clock()
      // A snapshot that succeeds must not hide that the last fetch failed.
      recordAttempt(options.dataDir, options.snapshotsOnly ? snapshotsOf(source.id) : source.id, {
        at,
        outcome,
        ...(message !== undefined && { message }),
        ...(retryAfter > 0 && { notBefore: at + retryAfter }),
      })
      options.onReport?.(report)
      return report
    }),
  )
  // All have ended by now, so the connection is free when the caller gets the error.
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** The series of a source that are wanted. */
function seriesOf({ series }: MarketSource, { snapshotsOnly, hourlyPrices }: FetchOptions): readonly Series[] {
  if (!snapshotsOnly) return series
  return hourlyPrices ? series.filter(({ kind }) => kind === tables.prices_hourly.kind) : []
}

async function fetchSource(
  source: MarketSource,
  http: HttpClient,
  options: FetchOptions,
): Promise<SourceReport & { retryAfter?: number }> {
  const { connection, dataDir, since, snapshotsOnly, now = Date.now(), onProgress } = options
  const { storeEvery = usualStoreEvery } = options
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
      // Anything but a source's failure, such as a full disk, concerns the whole run.
      if (!(error instanceof CoinstrataError) || !error.code.startsWith('market_source_')) throw error
      failures.push(error)
    }
  }
  const context = { http, connection, dataDir, source: source.id, since, now, storeEvery }
  const wanted = seriesOf(source, options)
  const all = await Promise.all(wanted.map(async (series) => ({ series, open: await series.open(context) })))
  const fetched = readFetched(dataDir, source.id)
  // Where a source cuts a run short, the next run begins with what this one did not come to.
  if (source.rotates) all.sort((a, b) => (fetched[a.series.id] ?? 0) - (fetched[b.series.id] ?? 0))
  let [rowsBefore, stepsBefore] = [0, 0]
  for (const [i, { series, open }] of all.entries()) {
    const stepsAfter = all.slice(i + 1).reduce((sum, next) => sum + next.open.steps, 0)
    let [rows, steps] = [0, open.steps]
    await attempt(async () => {
      const collected = await open.collect((progress) => {
        ;({ rows, steps } = progress)
        const share = (stepsBefore + progress.done) / (stepsBefore + steps + stepsAfter)
        onProgress?.({ source: source.id, rows: rowsBefore + rows, reached: progress.reached, share })
      })
      count(collected)
      if (source.rotates) recordFetched(dataDir, source.id, series.id, now)
    })
    rowsBefore += rows
    stepsBefore += steps
  }
  const snapshots: Observation<'open_interest'>[] = []
  for (const snapshot of source.snapshots ?? [])
    await attempt(async () => void snapshots.push(await snapshot(http, now)))
  const folder = snapshotsOf(source.id)
  count(await appendObservations(connection, dataDir, tables.open_interest, folder, snapshots, now))
  const notices: string[] = []
  if (!snapshotsOnly) await attempt(async () => void notices.push(...((await source.notices?.(http)) ?? [])))
  const [failure] = failures
  const counts = { ...nothing(source), ...total, ...(notices.length > 0 && { notices }) }
  if (!failure) return { ...counts, outcome: 'ok' }
  const retryAfter = Math.max(...failures.map(askAgainAfter))
  const outcome = failure.code === 'market_source_blocked' ? 'blocked' : retryAfter > 0 ? 'paused' : 'failed'
  const { message, cure } = failure
  const unreached = wasNotReached(failure)
  return { ...counts, outcome, unreached, message, ...(cure !== undefined && { cure }), retryAfter }
}

/** What to say of a source that wants no requests yet, because of one that it refused in an earlier run. */
function pauseOf(dataDir: string, source: string, now: number): { message: string; cure: string } | undefined {
  const attempts = readAttempts(dataDir)
  const notBefore = Math.max(...[source, snapshotsOf(source)].map((name) => attempts[name]?.notBefore ?? 0))
  if (notBefore <= now) return undefined
  const until = `${new Date(notBefore).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return { message: `wants no requests before ${until}`, cure: 'the first run after that asks again' }
}

const nothing = ({ id, name }: MarketSource) => ({ source: id, name, added: 0, corrected: 0, unchanged: 0, gaps: 0 })

/** Why a source without its key is left out, and how to get one. */
export const missingKey = ({ id, key }: MarketSource) => ({
  message: `${id} wants a key`,
  cure: `set ${keyVariable(id)} to ${key?.obtain}`,
})
