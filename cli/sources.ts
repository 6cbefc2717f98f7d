import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { dayAt, isoDate } from '#base/days.ts'
import { type ObservationTable, simulatedSource, tables } from '#ingest/market/observations.ts'
import { type SourceStatus, sourceStatus } from '#ingest/market/status.ts'
import { storedExtent } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { grouped } from './numbers.ts'

/** What `coinstrata sources` prints: how it went with each source of market data and what is stored of it, then imported files. */
export async function describeSources(dataDir: string, environment: NodeJS.ProcessEnv): Promise<string> {
  // Not in the data folder, where only its one writer keeps temporary files.
  const temporaryFolder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-sources-'))
  try {
    return await withSession({ temporaryFolder }, async (connection) => {
      const simulated = await describeStored(connection, dataDir, simulatedSource)
      if (simulated !== '') return `${simulated}This data folder is simulated, so no source is asked.\n`
      const statuses = await sourceStatus(connection, dataDir, environment)
      return statuses.map(describeSource).join('') + (await describeStored(connection, dataDir, 'import'))
    })
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

function describeSource(status: SourceStatus): string {
  const { source, kinds, name, baseUrl, lastAttempt, lastSnapshot, observations, first, last, gaps, nextStep } = status
  const successes = [lastAttempt?.lastSuccess ?? [], lastSnapshot?.lastSuccess ?? []].flat()
  const lines = [
    `${name}: ${kinds.map(kindName).join(', ')}; ${baseUrl}`,
    successes.length > 0 ? `last answered ${time(Math.max(...successes))}` : 'has not answered yet',
    ...(first === undefined || last === undefined ? [] : [stored(observations, first, last, gaps)]),
    ...(nextStep === undefined ? [] : [`next: ${nextStep}`]),
  ]
  return lines
    .map((line, i) => `${(i === 0 ? source : '').padEnd(16)}${(i === 0 ? markOf(status) : '').padEnd(9)}${line}\n`)
    .join('')
}

function markOf({ configured, lastAttempt, lastSnapshot }: SourceStatus): string {
  if (!configured) return 'no key'
  const { outcome } = lastAttempt ?? lastSnapshot ?? {}
  return outcome === undefined || outcome === 'not_configured' ? 'new' : outcome
}

/** What is stored under a name that stands for no source to ask. */
async function describeStored(connection: DuckDBConnection, dataDir: string, name: string): Promise<string> {
  const kinds: readonly ObservationTable[] = Object.values(tables)
  const lines: string[] = []
  for (const table of kinds) {
    const extent = await storedExtent(connection, dataDir, table, name)
    if (!extent) continue
    const { observations, first, last } = extent
    lines.push(`${name.padEnd(16)}${'ok'.padEnd(9)}${kindName(table.kind)}: ${stored(observations, first, last, 0)}\n`)
  }
  return lines.join('')
}

const kindName = (kind: string): string => kind.replace('_', ' ')

const stored = (observations: number, first: number, last: number, gaps: number): string =>
  `${grouped(observations)} observations from ${isoDate(dayAt(first))} to ${isoDate(dayAt(last))}${gaps > 0 ? `, ${grouped(gaps)} gaps` : ''}`

const time = (instant: number): string => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`
