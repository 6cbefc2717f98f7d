import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach } from 'vitest'
import { isoDate } from '#base/days.ts'
import { Draft } from '#compute/publish/draft.ts'
import { publishMarketTables } from '#compute/publish/market-tables.ts'
import { type Observation, tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { bindInputs } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'

export const dayLength = 86_400_000
/** Unix day of the first closed day. */
export const first = Date.parse('2024-03-01') / dayLength
/** Closes of four days; the fourth is not closed. */
const closes = [50_000, 52_000, 51_000, 53_000]
const lastDay = first + 2

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-market-tables-'))
  mkdirSync(path.join(folder, 'published'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Stored {
  readonly funding?: Observation<'funding'>[]
  readonly open_interest?: Observation<'open_interest'>[]
  readonly etf?: Observation<'etf'>[]
  readonly treasuries?: Observation<'treasuries'>[]
}

/**
 * Publishes what is stored, with a supply of 1,000 BTC on each of the days, and hands over a reader
 * of the tables.
 */
export async function publish(
  stored: Stored,
  look: (rowsOf: (query: string) => Promise<unknown[][]>, names: string[]) => Promise<void>,
): Promise<void> {
  const dataDir = path.join(folder, 'data')
  await withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 1 }, async (connection) => {
    const draft = new Draft(connection, path.join(folder, 'published', 'made'))
    const days = rowsRelation(
      'days',
      { date: 'DATE', supply_sats: 'BIGINT' },
      [0, 1, 2].map((day) => ({ date: isoDate(first + day), supply_sats: 100_000_000_000 })),
    )
    await store(connection, dataDir, stored)
    const closeOn = (day: number): number => closes[day - first] ?? Number.NaN
    const aggregates = await publishMarketTables({ draft, dataDir, closeOn, lastDay, real: false, notes: [] }, days)
    const names = Object.keys(draft.tables)
    const from = aggregates.flatMap(({ name, rows: [row, ...more] }) => {
      if (!row || !name.endsWith('_aggregate')) return []
      const types = Object.fromEntries(Object.keys(row).map((column) => [column, 'DOUBLE']))
      const dated = [row, ...more].map((one) => ({ ...one, date: isoDate(one.date) }))
      return [rowsRelation(name, { ...types, date: 'DATE' }, dated)]
    })
    await look(async (query) => {
      const text = names.reduce(
        (sql, name) => sql.replaceAll(`<${name}>`, `'${path.join(draft.folder, `${name}.parquet`)}'`),
        query,
      )
      return (await connection.runAndReadAll(bindInputs(text, { from }))).getRowsJson()
    }, names)
  })
}

async function store(connection: DuckDBConnection, dataDir: string, stored: Stored): Promise<void> {
  const at = (first + 5) * dayLength
  await appendObservations(connection, dataDir, tables.funding, 'made', stored.funding ?? [], at)
  await appendObservations(connection, dataDir, tables.open_interest, 'made', stored.open_interest ?? [], at)
  await appendObservations(connection, dataDir, tables.etf, 'made', stored.etf ?? [], at)
  await appendObservations(connection, dataDir, tables.treasuries, 'made', stored.treasuries ?? [], at)
}
