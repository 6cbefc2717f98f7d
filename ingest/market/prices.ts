import type { DuckDBConnection } from '@duckdb/node-api'
import { millisecondsPerDay } from '#base/days.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { mergeBars, tolerance } from './merged-bars.ts'
import { simulatedSource, tables } from './observations.ts'
import { type Appended, appendObservations } from './store.ts'

/** One price per UTC day from the first known to the last, in USD. */
export interface DailyPrices {
  /** Unix day of the first element. */
  readonly firstDay: number
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** USD traded that day; NaN where no source knows it. */
  readonly volume: Float64Array
  /** How many sources made the price of the day; 0 where it is carried over from the day before. */
  readonly sources: Int32Array
  /** Highest minus lowest close of these, as a fraction of the price; NaN with fewer than two. */
  readonly disagreement: Float64Array
  /** All sources that made a price, comma-separated. */
  readonly source: string
  readonly simulated: boolean
}

/**
 * The daily price series of a data folder, of all sources stored in it; undefined when there is none. The temporary
 * tables of `mergeBars` hold it afterwards. Throws `data_folder_mismatch`.
 */
export async function readDailyPrices(connection: DuckDBConnection, dataDir: string): Promise<DailyPrices | undefined> {
  await mergeBars(connection, dataDir, tables.prices)
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

/** How much the sources of a price series contradict each other, and where it has none. */
export interface PriceDoubts {
  /** Days on which the closes differ by more than 3 %. */
  readonly disagreeing: number
  /** Unix day on which they differ most, and by which fraction; undefined without a disagreeing day. */
  readonly worst: { readonly day: number; readonly disagreement: number } | undefined
  /** Days that carry the close of the day before. */
  readonly carried: number
}

export function doubtsOf({ firstDay, disagreement, sources }: DailyPrices): PriceDoubts {
  const days = [...disagreement.keys()].filter((i) => disagreement[i]! > tolerance)
  const worst = days.reduce<number | undefined>(
    (most, i) => (most === undefined || disagreement[i]! > disagreement[most]! ? i : most),
    undefined,
  )
  return {
    disagreeing: days.length,
    worst: worst === undefined ? undefined : { day: firstDay + worst, disagreement: disagreement[worst]! },
    carried: sources.filter((count) => count === 0).length,
  }
}

/** A day's close in USD by unix day; NaN where there is none. */
export type CloseOn = (day: number) => number

/** The closes of a series as a function of the day. */
export const closesOf = ({ firstDay, close }: DailyPrices): CloseOn => {
  return (day) => close[day - firstDay] ?? Number.NaN
}

/** Stores simulated daily prices, which only an otherwise simulated data folder takes. */
export function writeSimulatedPrices(
  connection: DuckDBConnection,
  dataDir: string,
  rows: readonly { day: number; open: number; high: number; low: number; close: number; volume: number }[],
): Promise<Appended> {
  const observed = rows.map(({ day: date, open, high, low, close, volume }) => {
    return { date, open, high, low, close, volume_btc: null, volume_usd: volume }
  })
  const lastDay = rows.reduce((latest, row) => Math.max(latest, row.day), 0)
  return appendObservations(
    connection,
    dataDir,
    tables.prices,
    simulatedSource,
    observed,
    (lastDay + 1) * millisecondsPerDay,
  )
}
