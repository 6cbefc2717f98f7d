import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseDay } from '#base/days.ts'
import { type Observation, tables } from '#ingest/market/observations.ts'
import { readDailyPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'

/**
 * A day's bar of one source as a test writes it; what is left out equals the close, and the volume
 * is one bitcoin.
 */
export interface Bar extends Partial<Omit<Observation<'prices'>, 'date' | 'close'>> {
  readonly source: string
  readonly date: string
  readonly close: number
}

/** The daily prices of a folder in which these bars are stored. */
export async function readPrices(...bars: readonly Bar[]) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-prices-'))
  try {
    return await withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
      for (const [source, own] of Map.groupBy(bars, (bar) => bar.source)) {
        const rows = own.map(({ source: _, date, close, ...rest }) => {
          const flat = { open: close, high: close, low: close, close, volume_btc: 1, volume_usd: null }
          return { ...flat, ...rest, date: parseDay(date) }
        })
        await appendObservations(connection, folder, tables.prices, source, rows, 0)
      }
      return await readDailyPrices(connection, folder)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
