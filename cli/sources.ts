import { mkdtempDisposableSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { dayAt, formatMinute, isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount } from '#base/quantities.ts'
import { type ObservationTable, simulatedSource, tables } from '#ingest/market/observations.ts'
import { type Probe, probeSources } from '#ingest/market/probe.ts'
import { type SourceStatus, sourceStatus } from '#ingest/market/source-status.ts'
import { storedExtent } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { besideLabel } from './output.ts'
import type { ProcessContext } from './process-context.ts'

export async function describeSources(dataDir: string, environment: NodeJS.ProcessEnv): Promise<string> {
  // In the data folder only its writer keeps temporary files.
  using temporaryFolder = mkdtempDisposableSync(path.join(os.tmpdir(), 'coinstrata-sources-'))
  return await withSession({ temporaryFolder: temporaryFolder.path }, async (connection) => {
    const simulated = await describeStored(connection, dataDir, simulatedSource)
    if (simulated !== '') return `${simulated}This data folder is simulated, so no source is asked.\n`
    const statuses = await sourceStatus(connection, dataDir, environment)
    return statuses.map(describeSource).join('') + (await describeStored(connection, dataDir, 'import'))
  })
}

function describeSource(status: SourceStatus): string {
  const { source, kinds, name, baseUrl, lastAttempt, lastSnapshot, observations, first, last, gaps, nextStep } = status
  const successes = [lastAttempt?.lastSuccess ?? [], lastSnapshot?.lastSuccess ?? []].flat()
  const lines = [
    `${name}: ${kinds.map(formatKind).join(', ')}; ${baseUrl}`,
    successes.length > 0 ? `last answered ${formatMinute(Math.max(...successes))}` : 'has not answered yet',
    ...(first === undefined || last === undefined ? [] : [describeExtent(observations, first, last, gaps)]),
    ...(nextStep === undefined ? [] : [`next: ${nextStep}`]),
  ]
  return besideLabel(source.padEnd(16) + formatMark(status).padEnd(9), lines)
}

function formatMark({ configured, lastAttempt, lastSnapshot }: SourceStatus): string {
  if (!configured) return 'no key'
  const { outcome } = lastAttempt ?? lastSnapshot ?? {}
  return outcome === undefined || outcome === 'not_configured' ? 'new' : outcome
}

/** For data of no source, such as imports. */
async function describeStored(connection: DuckDBConnection, dataDir: string, name: string): Promise<string> {
  const kinds: readonly ObservationTable[] = Object.values(tables)
  const lines: string[] = []
  for (const table of kinds) {
    const extent = await storedExtent(connection, dataDir, table, name)
    if (!extent) continue
    const { observations, first, last } = extent
    lines.push(
      `${name.padEnd(16)}${'ok'.padEnd(9)}${formatKind(table.kind)}: ${describeExtent(observations, first, last, 0)}\n`,
    )
  }
  return lines.join('')
}

const formatKind = (kind: string): string => kind.replace('_', ' ')

const describeExtent = (observations: number, first: number, last: number, gaps: number): string =>
  `${formatCount(observations)} observations from ${isoDate(dayAt(first))} to ${isoDate(dayAt(last))}${gaps > 0 ? `, ${formatCount(gaps)} gaps` : ''}`

/**
 * Asks each source once. Throws `market_source_failed`, after printing, if a configured source does
 * not answer as documented.
 */
export async function probeMarket(sources: readonly string[], { environment, stdout }: ProcessContext): Promise<void> {
  const probes = await probeSources({ env: environment, ...(sources.length > 0 && { sources }) })
  stdout.write(probes.map(describeProbe).join(''))
  const attempted = probes.filter(({ verdict }) => verdict !== 'no_key')
  const wrong = attempted.filter(({ verdict }) => verdict !== 'works')
  if (wrong.length === 0) return
  const names = wrong.map(({ source, verdict }) => `${source} ${verdict}`).join(', ')
  throw new CoinstrataError('market_source_failed', `${wrong.length} of ${attempted.length} sources: ${names}`, {
    cure: 'nothing was stored; a source that changed needs a newer version of Coinstrata; one that refuses needs a key, a slower pace or another address',
  })
}

const describeProbe = ({ source, verdict, findings }: Probe): string =>
  besideLabel(source.padEnd(16) + verdict.replace('_', ' ').padEnd(13), findings)
