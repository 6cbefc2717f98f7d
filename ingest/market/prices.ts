import type { DuckDBConnection } from '@duckdb/node-api'
import { millisecondsPerDay } from '#root/days.ts'
import { type Observation, simulatedSource, tables } from './observations.ts'
import { type Appended, appendObservations, readObservations } from './store.ts'

/** One price per UTC day from the first known to the last, in USD; NaN on days without one. */
export interface DailyPrices {
  /** Unix day of the first element. */
  readonly firstDay: number
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** USD traded that day across the market. */
  readonly volume: Float64Array
  /** The sources that gave a day, comma-separated. */
  readonly source: string
  readonly simulated: boolean
  /** Days left out because the sources contradict each other. */
  readonly rejectedDays: readonly RejectedDay[]
}

export interface RejectedDay {
  readonly day: number
  readonly closes: Readonly<Record<string, number>>
}

type PriceRow = Observation<'prices'> & { readonly source: string }

const day = (date: string): number => Date.parse(date) / millisecondsPerDay

/** Who is asked first in which period. An operator's own file always comes first, and is not questioned. */
const order: readonly { readonly from: number; readonly sources: readonly string[] }[] = [
  { from: Number.NEGATIVE_INFINITY, sources: ['import', simulatedSource, 'coindesk', 'bitstamp', 'coinbase'] },
  { from: day('2011-08-18'), sources: ['import', simulatedSource, 'bitstamp', 'coindesk', 'coinbase'] },
  { from: day('2015-07-20'), sources: ['import', simulatedSource, 'coinbase', 'bitstamp', 'coindesk'] },
]

/** From here on a close further than this from the second source's is taken for an error of one of them. */
const comparableFrom = day('2014-01-01')
const tolerance = 0.03

/** The daily price series of a data folder, of all sources stored in it; undefined when there is none. */
export async function readDailyPrices(connection: DuckDBConnection, dataDir: string): Promise<DailyPrices | undefined> {
  return composePrices(await readObservations(connection, dataDir, tables.prices))
}

/** Chooses one source per day, and drops a day whose closes differ by more than 3 % between the first two sources. */
export function composePrices(rows: readonly PriceRow[]): DailyPrices | undefined {
  if (rows.length === 0) return undefined
  const byDay = Map.groupBy(rows, (row) => row.date)
  const firstDay = Math.min(...byDay.keys())
  const length = Math.max(...byDay.keys()) - firstDay + 1
  const column = () => new Float64Array(length).fill(Number.NaN)
  const series = { open: column(), high: column(), low: column(), close: column(), volume: column() }
  const used = new Set<string>()
  const rejectedDays: RejectedDay[] = []
  for (const [date, candidates] of byDay) {
    const { sources } = order.findLast(({ from }) => from <= date)!
    const [chosen, second] = candidates.sort((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source))
    if (!chosen) continue
    const questioned = chosen.source !== 'import' && date >= comparableFrom
    if (questioned && second && Math.abs(chosen.close / second.close - 1) > tolerance) {
      rejectedDays.push({ day: date, closes: { [chosen.source]: chosen.close, [second.source]: second.close } })
      continue
    }
    const i = date - firstDay
    series.open[i] = chosen.open
    series.high[i] = chosen.high
    series.low[i] = chosen.low
    series.close[i] = chosen.close
    // Volume is the market's, which single exchanges do not know.
    series.volume[i] = candidates.find((row) => row.volume_usd !== null)?.volume_usd ?? Number.NaN
    used.add(chosen.source)
  }
  return {
    firstDay,
    ...series,
    source: [...used].sort().join(', '),
    simulated: used.has(simulatedSource),
    rejectedDays: rejectedDays.sort((a, b) => a.day - b.day),
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
