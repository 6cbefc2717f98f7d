import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { secondsPerDay, secondsPerHour } from '#base/days.ts'
import { findClose, readHourlyCloses } from '#compute/cohorts/hour-prices.ts'
import { balanceBounds, balanceMeasures } from '#contract/balance-measures.ts'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles } from '#sql/parquet.ts'

export const yearDays = 365

export type Market = Awaited<ReturnType<typeof readMarket>>

/** Prices, costs, holders and addresses of a generation. */
export async function readMarket(connection: DuckDBConnection, folder: string) {
  const table = (name: string): string => parquetFiles([path.join(folder, `${name}.parquet`)])
  const read = (sql: string) => readColumns(connection, sql)
  const hours = await readHourlyCloses(connection, table('prices_hourly'))
  const { date = [], close = [] } = await read(`SELECT date, close FROM ${table('prices')} ORDER BY date`)
  const {
    lower = [],
    upper = [],
    sats = [],
  } = await read(
    `SELECT lower_price AS lower, upper_price AS upper, supply_sats::DOUBLE AS sats FROM ${table('cost_basis')}
     QUALIFY date = max(date) OVER ()`,
  )
  // Cohorts in the order of the alphabet: all, lth, sth.
  const {
    mvrv = [],
    realized_price = [],
    sopr = [],
  } = await read(
    `SELECT arg_max(mvrv, date) AS mvrv, arg_max(realized_price, date) AS realized_price,
       sum(spent_volume_usd) / sum(spent_cost) AS sopr
     FROM (FROM ${table('cohorts')} WHERE cohort IN ('all', 'lth', 'sth') QUALIFY date > max(date) OVER () - ${yearDays})
     GROUP BY cohort ORDER BY cohort`,
  )
  const bounds = `['${balanceMeasures.over.join("', '")}']`
  // No rows with ADDRESSES=off.
  const { low = [], high = [] } = await read(
    `SELECT floor(low) AS low, ceil(high) AS high FROM ${table('address_balances')}
     WHERE date = (SELECT max(date) FROM ${table('cohorts')}) AND measure IN ${bounds}
     ORDER BY list_position(${bounds}, measure)`,
  )
  const holders = { mvrv: [...mvrv], realized_price: [...realized_price], sopr: [...sopr] }
  const [firstDay = 0, lastDay = 0] = [date[0], date.at(-1)]
  /** 0 before the first market; the last price after the last one. */
  const closeOn = (day: number): number => close[Math.min(day, lastDay) - firstDay] ?? 0
  const priceAt = (time: number): number =>
    findClose(Math.floor(time / secondsPerHour), hours) ?? closeOn(Math.floor(time / secondsPerDay))
  /** Share of all coins that had cost more. */
  const percentAbove = (cost: number): number => {
    let [above, total] = [0, 0]
    for (const [i, coins] of sats.entries()) {
      const [low, high] = [lower[i]!, upper[i]!]
      const part = high > low ? (high - cost) / (high - low) : Number(low > cost)
      above += coins * Math.min(1, Math.max(0, part))
      total += coins
    }
    return (100 * above) / total
  }
  /** Bounds of the number of addresses with `balance` or more, from the powers of ten around it. */
  const addressesWith = (balance: number) => ({
    least: low[balanceBounds.findIndex((bound) => bound >= balance)] ?? null,
    most: high[balanceBounds.findLastIndex((bound) => bound <= balance)] ?? null,
  })
  return { lastDay, holders, closeOn, priceAt, percentAbove, addressesWith }
}
