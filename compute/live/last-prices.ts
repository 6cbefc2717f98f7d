import type { DuckDBConnection } from '@duckdb/node-api'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { mergeBars } from '#ingest/market/merged-bars.ts'
import { tables } from '#ingest/market/observations.ts'
import { type HourlyCloses, readHourlyCloses } from '../cohorts/hour-prices.ts'

export interface LastPrice {
  /** USD. */
  readonly price: number
  /** End of its hour or day, in ms since 1970. */
  readonly time: number
  /** Comma-separated. */
  readonly source: string
}

/** Prices of unpublished days. */
export interface LastPrices {
  /** By unix day before the open one. Without a stored close, the close of the last hour. */
  readonly closes: ReadonlyMap<number, number>
  readonly hours: HourlyCloses
  /** Newest price within the open day. */
  readonly last: LastPrice | undefined
}

/**
 * Reads stored prices after `lastDay`, up to `openDay` (unix days, inclusive).
 * @param isOnchain if prices of the chain replace those of markets: it has none of the open day
 */
export async function readLastPrices(
  connection: DuckDBConnection,
  dataDir: string,
  lastDay: number,
  openDay: number,
  isOnchain = false,
): Promise<LastPrices> {
  const since = lastDay * msPerDay
  const onchain = isOnchain ? null : undefined
  await mergeBars(connection, dataDir, tables.prices, since, onchain)
  await mergeBars(connection, dataDir, tables.prices_hourly, since, onchain)
  // A day's close follows its last hour's, because it is the one to be published.
  const result = await connection.runAndReadAll(
    `SELECT epoch_ms(ends)::DOUBLE, close, source, sources FROM (
       SELECT time + INTERVAL 1 HOUR AS ends, close, source, sources, 1 AS preference FROM prices_hourly_merged
       UNION ALL
       SELECT date + INTERVAL 1 DAY, close, source, sources, 2 FROM prices_merged
     )
     WHERE ends BETWEEN DATE '${isoDate(lastDay + 1)}' AND DATE '${isoDate(openDay + 1)}'
     ORDER BY ends, preference`,
  )
  const closes = new Map<number, number>()
  let last: LastPrice | undefined
  for (const [end, close, source, sources] of result.getRows()) {
    const [time, price] = [Number(end), Number(close)]
    // The first instant of a day ends the day before.
    const day = dayAt(time - 1)
    if (day > lastDay && day < openDay) closes.set(day, price)
    if (time >= openDay * msPerDay && Number(sources) > 0) last = { price, time, source: String(source) }
  }
  const hours = await readHourlyCloses(
    connection,
    `(FROM prices_hourly_merged WHERE time >= DATE '${isoDate(lastDay + 1)}' AND time < DATE '${isoDate(openDay + 1)}')`,
  )
  return { closes, hours, last }
}
