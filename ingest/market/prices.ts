import type { DuckDBConnection } from '@duckdb/node-api'
import { msPerDay } from '#base/days.ts'
import type { SimulatedHour } from '#ingest/simulated/hourly-prices.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { disagreementTolerance, mergeBars } from './merged-bars.ts'
import { simulatedSource, tables } from './observations.ts'
import { type Appended, appendObservations } from './store.ts'
import { hourMs } from './wire.ts'

/** Columns by UTC day from the first known price to the last, in USD. */
export interface DailyPrices {
  readonly firstDay: number
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** USD; NaN if unknown. */
  readonly volume: Float64Array
  /** Sources of the price; 0 if carried over from the day before. */
  readonly sources: Int32Array
  /** Highest minus lowest close ÷ price; NaN with fewer than two sources. */
  readonly disagreement: Float64Array
  readonly source: string
  readonly simulated: boolean
}

/**
 * Merges stored daily prices; undefined without any. Leaves the tables of `mergeBars` behind.
 * @param onchain as `mergeBars`
 */
export async function readDailyPrices(
  connection: DuckDBConnection,
  dataDir: string,
  onchain?: string,
): Promise<DailyPrices | undefined> {
  await mergeBars(connection, dataDir, tables.prices, undefined, onchain)
  const { date, open, high, low, close, volume, sources, disagreement } = await readColumns(
    connection,
    `SELECT date, open, high, low, close, volume, sources, disagreement FROM prices_merged ORDER BY date`,
  )
  if (date?.length === 0) return undefined
  const names = await connection.runAndReadAll('SELECT DISTINCT source FROM prices_bars WHERE counted ORDER BY source')
  const used = names.getRows().map(([name]) => String(name))
  return {
    firstDay: date![0]!,
    open: floats(open!),
    high: floats(high!),
    low: floats(low!),
    close: floats(close!),
    volume: floats(volume!),
    sources: Int32Array.from(sources!),
    disagreement: floats(disagreement!),
    source: used.join(', '),
    simulated: used.includes(simulatedSource),
  }
}

const floats = (column: ReadColumn): Float64Array => Float64Array.from(column)

export interface PriceDoubts {
  /** Days with closes more than 3 % apart. */
  readonly disagreeing: number
  /** Unix day of the largest difference, as a fraction. */
  readonly worst: { readonly day: number; readonly disagreement: number } | undefined
  /** Days without own price. */
  readonly carried: number
}

export function findDoubts({ firstDay, disagreement, sources }: DailyPrices): PriceDoubts {
  const days = [...disagreement.keys()].filter((i) => disagreement[i]! > disagreementTolerance)
  const worst = days.reduce<number | undefined>(
    (max, i) => (max === undefined || disagreement[i]! > disagreement[max]! ? i : max),
    undefined,
  )
  return {
    disagreeing: days.length,
    worst: worst === undefined ? undefined : { day: firstDay + worst, disagreement: disagreement[worst]! },
    carried: sources.filter((count) => count === 0).length,
  }
}

/** USD by unix day; NaN if unknown. */
export type CloseOn = (day: number) => number

export const toCloseOn = ({ firstDay, close }: DailyPrices): CloseOn => {
  return (day) => close[day - firstDay] ?? Number.NaN
}

/** Fails if the data folder has real market data. */
export function writeSimulatedHours(
  connection: DuckDBConnection,
  dataDir: string,
  hours: readonly SimulatedHour[],
): Promise<Appended> {
  const observed = hours.map(({ volume, ...bar }) => ({ ...bar, volume_btc: null, volume_usd: volume }))
  const fetchedAt = (hours.at(-1)?.time ?? 0) + hourMs
  return appendObservations(connection, dataDir, tables.prices_hourly, simulatedSource, observed, fetchedAt)
}

/** Fails if the data folder has real market data. */
export function writeSimulatedPrices(
  connection: DuckDBConnection,
  dataDir: string,
  rows: readonly { day: number; open: number; high: number; low: number; close: number; volume: number }[],
): Promise<Appended> {
  const observed = rows.map(({ day: date, open, high, low, close, volume }) => {
    return { date, open, high, low, close, volume_btc: null, volume_usd: volume }
  })
  const lastDay = rows.reduce((latest, row) => Math.max(latest, row.day), 0)
  const fetchedAt = (lastDay + 1) * msPerDay
  return appendObservations(connection, dataDir, tables.prices, simulatedSource, observed, fetchedAt)
}
