import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount } from '#base/quantities.ts'
import { fetchSources, type SourceReport } from '#ingest/market/fetch.ts'
import { defaultSources } from '#ingest/market/sources.ts'
import type { Settings } from '#root/config.ts'
import { showFetchProgress } from './fetch-progress.ts'
import { besideLabel, type Output } from './output.ts'
import type { ProcessContext } from './process-context.ts'

export interface FetchOptions {
  /** First time to fetch again, in ms since 1970. */
  readonly since?: number
  readonly snapshots?: boolean
  readonly hourly?: boolean
}

/**
 * Returns the failed sources for the run journal. Throws `market_source_failed` if no source
 * answered.
 */
export async function fetchMarket(
  connection: DuckDBConnection,
  { DATA_DIR: dataDir, MARKET_SOURCES, ACCESS }: Pick<Settings, 'DATA_DIR' | 'MARKET_SOURCES' | 'ACCESS'>,
  sources: readonly string[],
  { since, snapshots = false, hourly = false }: FetchOptions,
  { environment, stderr }: ProcessContext,
  { log, isJson, stdout }: Output,
): Promise<string | null> {
  const chosen = sources.length > 0 ? sources : selectSources(MARKET_SOURCES, ACCESS === 'tiered')
  log.info('asking the sources of market data')
  const view = showFetchProgress(log, stderr)
  // Printed at the end, or summarized in one error if no source was reached.
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
      const waits = !isJson && (report.unreached || (report.outcome === 'not_configured' && sources.length === 0))
      if (waits) waiting.push(report)
      view.finish(report.source, waits ? '' : describeReport(report), stdout)
    },
  }).finally(view.done)
  if (reports.length === 0) stdout.write('MARKET_SOURCES names no source to ask\n')
  const attempted = reports.filter(({ outcome }) => outcome !== 'not_configured' || sources.length > 0)
  requireNetwork(attempted)
  for (const report of waiting) stdout.write(describeReport(report))
  return describeFailures(attempted)
}

const cure = 'check the network; stored data is unchanged, and the next run continues where it ends'

/** Throws `market_source_failed` if none of several sources was reached. */
export function requireNetwork(attempted: readonly SourceReport[]): void {
  if (attempted.length < 2 || !attempted.every(({ unreached }) => unreached)) return
  const message = `the internet cannot be reached: none of ${attempted.length} sources of market data answered`
  throw new CoinstrataError('market_source_failed', `${message} (${attempted[0]!.message})`, {
    cure: `${cure}; "coinstrata sources" says what became of each source`,
  })
}

/** Throws `market_source_failed` if all failed. */
function describeFailures(attempted: readonly SourceReport[]): string | null {
  const failed = attempted.filter(({ outcome }) => outcome !== 'ok')
  if (failed.length === 0) return null
  const names = failed.map(({ source, outcome }) => `${source} ${outcome.replace('_', ' ')}`).join(', ')
  if (failed.length < attempted.length) return names
  throw new CoinstrataError('market_source_failed', `no source of market data answered: ${names}`, { cure })
}

/** If data are `shared`, sources that forbid republishing must be named. */
function selectSources(setting: string, shared: boolean): readonly string[] {
  if (setting === 'all') return defaultSources(shared).map(({ id }) => id)
  return setting === 'none' ? [] : setting.split(',')
}

function describeReport(report: SourceReport): string {
  const { source, outcome, added, corrected, unchanged, gaps, message, cure, notices = [] } = report
  const counts = `${formatCount(added)} added, ${formatCount(corrected)} corrected, ${formatCount(unchanged)} already known`
  const stored = added + corrected + unchanged
  const holes = gaps > 0 ? `; ${formatCount(gaps)} gaps` : ''
  const failure = message === undefined ? [] : [message, ...(cure === undefined ? [] : [`What to do: ${cure}`])]
  const lines = [...(outcome === 'ok' || stored > 0 ? [counts + holes] : []), ...notices, ...failure]
  const mark = outcome === 'not_configured' ? 'no key' : outcome
  return besideLabel(mark.padEnd(9) + source.padEnd(16), lines)
}
