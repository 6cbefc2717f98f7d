import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import { fetchSources, type SourceReport } from '#ingest/market/fetch.ts'
import { usualSources } from '#ingest/market/sources.ts'
import { showFetchProgress } from './fetch-progress.ts'
import { grouped } from './numbers.ts'
import type { Surroundings } from './surroundings.ts'

export interface FetchCommand {
  /** Ids of sources; those of MARKET_SOURCES where there are none. */
  readonly sources: readonly string[]
  readonly marketSources: string
  /** Others than the operator see what is served, so that some sources are fetched only if named. */
  readonly shared: boolean
  /** Milliseconds since 1970 from which to fetch again. */
  readonly since: number | undefined
  /** Only the open interest of this moment. */
  readonly snapshots: boolean
  /** With it: the prices of the last hours. */
  readonly hourly: boolean
}

/**
 * Fetches market data, shows how far it is, and prints how it went with each source. Returns what the others should know of the run: which
 * sources failed. Throws `market_source_failed` where not one source answered, and `invalid_argument`.
 */
export async function fetchMarket(
  connection: DuckDBConnection,
  dataDir: string,
  { sources, marketSources, shared, since, snapshots, hourly }: FetchCommand,
  { environment, stdout, stderr }: Surroundings,
  log: Logger,
): Promise<string | null> {
  const chosen = sources.length > 0 ? sources : chosenSources(marketSources, shared)
  log.info('asking the sources of market data')
  const view = showFetchProgress(log, stderr)
  // Told at the end, and in one sentence where no source was reached at all.
  const waiting: SourceReport[] = []
  const reports = await fetchSources({
    connection,
    dataDir,
    env: environment,
    snapshotsOnly: snapshots,
    hourlyPrices: hourly,
    sources: chosen,
    ...(since !== undefined && { since }),
    onProgress: view.show,
    onReport: (report) => {
      const waits = report.unreached || (report.outcome === 'not_configured' && sources.length === 0)
      if (waits) waiting.push(report)
      view.finish(report.source, waits ? '' : describeReport(report), stdout)
    },
  }).finally(view.done)
  if (reports.length === 0) stdout.write('MARKET_SOURCES names no source to ask\n')
  const asked = reports.filter(({ outcome }) => outcome !== 'not_configured' || sources.length > 0)
  requireNetwork(asked)
  for (const report of waiting) stdout.write(describeReport(report))
  return failuresOf(asked)
}

const cure = 'check the network; stored data is unchanged, and the next run continues where it ends'

/** Throws `market_source_failed` where nothing was heard of any of several sources. */
export function requireNetwork(asked: readonly SourceReport[]): void {
  if (asked.length < 2 || !asked.every(({ unreached }) => unreached)) return
  const message = `the internet cannot be reached: none of ${asked.length} sources of market data answered`
  throw new CoinstrataError('market_source_failed', `${message} (${asked[0]!.message})`, {
    cure: `${cure}; "coinstrata sources" says what became of each source`,
  })
}

/** Which sources failed. Throws `market_source_failed` where all did. */
function failuresOf(asked: readonly SourceReport[]): string | null {
  const failed = asked.filter(({ outcome }) => outcome !== 'ok')
  if (failed.length === 0) return null
  const names = failed.map(({ source, outcome }) => `${source} ${outcome.replace('_', ' ')}`).join(', ')
  if (failed.length < asked.length) return names
  throw new CoinstrataError('market_source_failed', `no source of market data answered: ${names}`, { cure })
}

/** The sources that MARKET_SOURCES names. */
function chosenSources(setting: string, shared: boolean): readonly string[] {
  if (setting === 'all') return usualSources(shared).map(({ id }) => id)
  return setting === 'none' ? [] : setting.split(',')
}

function describeReport(report: SourceReport): string {
  const { source, outcome, added, corrected, unchanged, gaps, message, cure, notices = [] } = report
  const counts = `${grouped(added)} added, ${grouped(corrected)} corrected, ${grouped(unchanged)} already known`
  const stored = added + corrected + unchanged
  const holes = gaps > 0 ? `; ${grouped(gaps)} gaps` : ''
  const failure = message === undefined ? [] : [message, ...(cure === undefined ? [] : [`What to do: ${cure}`])]
  const lines = [...(outcome === 'ok' || stored > 0 ? [counts + holes] : []), ...notices, ...failure]
  const mark = outcome === 'not_configured' ? 'no key' : outcome
  return lines
    .map((line, i) => `${(i === 0 ? mark : '').padEnd(9)}${(i === 0 ? source : '').padEnd(16)}${line}\n`)
    .join('')
}
