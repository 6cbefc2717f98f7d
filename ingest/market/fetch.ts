import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#root/errors.ts'
import { type Attempt, recordAttempt } from './attempts.ts'
import { concernsWholeSource, type HttpClient, keyVariable } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { clientOf, type Environment } from './settings.ts'
import type { MarketSource } from './source.ts'
import { marketSources } from './sources.ts'
import { type Appended, appendObservations, refuseMixture } from './store.ts'

/** How fetching one source went. */
export interface SourceReport extends Appended {
  readonly source: string
  readonly name: string
  readonly outcome: Attempt['outcome']
  /** Stretches missing in what was fetched now. */
  readonly gaps: number
  /** What went wrong, and what to do about it. */
  readonly message?: string
  readonly cure?: string
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
  /** Milliseconds since 1970. */
  readonly now?: number
  /** Milliseconds before a failed request is first repeated. */
  readonly retryDelay?: number
  /** Called for each source as soon as it is done. */
  readonly onReport?: (report: SourceReport) => void
}

/**
 * Fetches from the sources side by side and stores what is new. A source that fails, or that does not serve this
 * address, stops none of the others: it is reported, and its stored data stay.
 * @throws invalid_argument for an unknown source, invalid_configuration for a bad address, before anything is fetched
 */
export async function fetchSources(options: FetchOptions): Promise<SourceReport[]> {
  const unknown = options.sources?.find((id) => !marketSources.some((source) => source.id === id))
  if (unknown !== undefined)
    throw new CoinstrataError('invalid_argument', `there is no market data source "${unknown}"`, {
      cure: `choose from ${marketSources.map(({ id }) => id).join(', ')}`,
    })
  const chosen = marketSources
    .filter(({ id, snapshots }) => (options.sources?.includes(id) ?? true) && (!options.snapshotsOnly || snapshots))
    .map((source) => ({ source, http: clientOf(source, options.env, options.retryDelay) }))
  refuseMixture(options.dataDir, 'the network')
  const settled = await Promise.allSettled(
    chosen.map(async ({ source, http }) => {
      const report = http
        ? await fetchSource(source, http, options)
        : { ...nothing(source), outcome: 'not_configured' as const, ...missingKey(source) }
      const { outcome, message } = report
      const at = options.now ?? Date.now()
      // A snapshot that succeeds must not hide that the last fetch failed.
      const asked = options.snapshotsOnly ? snapshotsOf(source.id) : source.id
      recordAttempt(options.dataDir, asked, message === undefined ? { at, outcome } : { at, outcome, message })
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

async function fetchSource(
  source: MarketSource,
  http: HttpClient,
  { connection, dataDir, since, snapshotsOnly, now = Date.now() }: FetchOptions,
): Promise<SourceReport> {
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
  const context = { http, connection, dataDir, source: source.id, since, now }
  if (!snapshotsOnly)
    for (const series of source.series) await attempt(async () => count(await series.collect(context)))
  const snapshots: Observation<'open_interest'>[] = []
  for (const snapshot of source.snapshots ?? [])
    await attempt(async () => void snapshots.push(await snapshot(http, now)))
  const folder = snapshotsOf(source.id)
  count(await appendObservations(connection, dataDir, tables.open_interest, folder, snapshots, now))
  const [failure] = failures
  const counts = { ...nothing(source), ...total }
  if (!failure) return { ...counts, outcome: 'ok' }
  const outcome = failure.code === 'market_source_blocked' ? 'blocked' : 'failed'
  const { message, cure } = failure
  return { ...counts, outcome, message, ...(cure !== undefined && { cure }) }
}

/** Where a source's snapshots are stored: apart from its history, which continues where it ends itself. */
export const snapshotsOf = (source: string): string => `${source}-snapshots`

const nothing = ({ id, name }: MarketSource) => ({ source: id, name, added: 0, corrected: 0, unchanged: 0, gaps: 0 })

/** Why a source without its key is left out, and how to get one. */
export const missingKey = ({ id, key }: MarketSource) => ({
  message: `${id} wants a key`,
  cure: `set ${keyVariable(id)} to ${key?.obtain}`,
})
