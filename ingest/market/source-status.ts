import type { DuckDBConnection } from '@duckdb/node-api'
import { type Attempt, readAttempts, snapshotName } from '#state/source-attempts.ts'
import { missingKey } from './fetch.ts'
import { type ObservationTable, tables } from './observations.ts'
import type { MarketSource } from './source.ts'
import { type Environment, readSourceSettings } from './source-settings.ts'
import { marketSources } from './sources.ts'
import { storedExtent } from './store.ts'

/** Instants in milliseconds since 1970. */
export interface SourceStatus {
  readonly source: string
  readonly name: string
  readonly kinds: readonly string[]
  readonly baseUrl: string
  /** False if a required key is missing. */
  readonly configured: boolean
  readonly lastAttempt: Attempt | undefined
  readonly lastSnapshot: Attempt | undefined
  readonly observations: number
  readonly first: number | undefined
  readonly last: number | undefined
  readonly gaps: number
  readonly nextStep: string | undefined
}

export async function sourceStatus(
  connection: DuckDBConnection,
  dataDir: string,
  env: Environment,
): Promise<SourceStatus[]> {
  const attempts = readAttempts(dataDir)
  const statuses: SourceStatus[] = []
  for (const source of marketSources) {
    const { baseUrl, apiKey } = readSourceSettings(source, env)
    const configured = !source.key || apiKey !== undefined
    const lastAttempt = attempts[source.id]
    let gaps = 0
    for (const series of source.series) gaps += await series.gaps(connection, dataDir, source.id)
    statuses.push({
      source: source.id,
      name: source.name,
      kinds: listKinds(source),
      baseUrl,
      configured,
      lastAttempt,
      lastSnapshot: attempts[snapshotName(source.id)],
      ...(await readExtent(connection, dataDir, source.id)),
      gaps,
      nextStep: configured ? suggestNextStep(source, lastAttempt, gaps) : missingKey(source).cure,
    })
  }
  return statuses
}

const listKinds = ({ series, snapshots }: MarketSource): string[] => [
  ...new Set(series.map(({ kind }) => kind).concat(snapshots ? 'open_interest' : [])),
]

async function readExtent(connection: DuckDBConnection, dataDir: string, source: string) {
  const kinds: readonly ObservationTable[] = Object.values(tables)
  const extents = []
  for (const table of kinds) {
    for (const stored of [source, snapshotName(source)]) {
      const extent = await storedExtent(connection, dataDir, table, stored)
      if (extent) extents.push(extent)
    }
  }
  return {
    observations: extents.reduce((sum, { observations }) => sum + observations, 0),
    first: extents.length > 0 ? Math.min(...extents.map(({ first }) => first)) : undefined,
    last: extents.length > 0 ? Math.max(...extents.map(({ last }) => last)) : undefined,
  }
}

function suggestNextStep({ id }: MarketSource, attempt: Attempt | undefined, gaps: number): string | undefined {
  if (!attempt) return `run coinstrata fetch ${id}`
  if (attempt.outcome === 'blocked') return 'nothing: it does not serve this address, and the other sources go on'
  if (attempt.outcome === 'failed') return `run coinstrata fetch ${id} again: ${attempt.message ?? 'it failed'}`
  return gaps > 0
    ? `to try and fill the gaps, run coinstrata fetch ${id} --since with the date of the first`
    : undefined
}
