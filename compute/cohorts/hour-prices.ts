import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay, secondsPerHour } from '#base/days.ts'
import { readColumns } from '#sql/columns.ts'
import type { CostBasis } from './cost-basis.ts'

/** Closes in USD by hour since 1970; only hours with trades. */
export type HourlyCloses = ReadonlyMap<number, number>

/** @param from table with the columns of `prices_hourly` */
export async function readHourlyCloses(connection: DuckDBConnection, from: string): Promise<HourlyCloses> {
  const { hour, close } = await readColumns(
    connection,
    `SELECT (epoch(time) // ${secondsPerHour})::INTEGER AS hour, close FROM ${from} WHERE sources > 0 ORDER BY time`,
  )
  return new Map(Array.from(hour!, (at, row) => [at, close![row]!]))
}

export interface HourPrices {
  /** USD by hour from the start of the first day; 0 for hours without a block. */
  readonly price: Float64Array
  /** By day from the first: 1 if valued by the hour, 0 if by its close. */
  readonly byHour: Uint8Array
}

/**
 * Hours without trades take the last price for this long: a daily close is on average as far from
 * the day's blocks.
 */
const maxCarriedHours = 12

/**
 * Finds the hourly price of each block. A day is valued by its close if an hour's price or the
 * close itself is unknown. Returns `undefined` if no day is valued by the hour.
 * @param times monotone times of the blocks
 * @param firstDay unix day
 */
export function findHourPrices(
  closes: Pick<HourlyCloses, 'get'>,
  basis: CostBasis,
  times: Uint32Array,
  firstDay: number,
): HourPrices | undefined {
  const days = basis.price.length
  const firstHour = firstDay * hoursPerDay
  const price = new Float64Array(days * hoursPerDay)
  const byHour = new Uint8Array(days)
  const unknown = new Uint8Array(days)
  for (const hour of new Set(times.map((time) => Math.floor(time / secondsPerHour)))) {
    if (hour >= firstHour + days * hoursPerDay) break
    const day = Math.floor((hour - firstHour) / hoursPerDay)
    const known = Number.isNaN(basis.price[day]!) ? undefined : findClose(hour, closes)
    price[hour - firstHour] = known ?? 0
    byHour[day] = 1
    if (known === undefined) unknown[day] = 1
  }
  for (let day = 0; day < days; day++) {
    if (byHour[day] === 1 && unknown[day] === 0) continue
    byHour[day] = 0
    price.fill(basis.cost[day]!, day * hoursPerDay, (day + 1) * hoursPerDay)
  }
  return byHour.includes(1) ? { price, byHour } : undefined
}

/** Close of an hour, or of one of the hours before that are near enough. */
export function findClose(hour: number, closes: Pick<HourlyCloses, 'get'>): number | undefined {
  for (let before = 0; before <= maxCarriedHours; before++) {
    const close = closes.get(hour - before)
    if (close !== undefined) return close
  }
  return undefined
}
