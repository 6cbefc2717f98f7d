import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { createColumns } from './number-columns.ts'

/** Inputs of the cohort pass besides the merged flows, by days counted from the first. */
export interface DailyCoins extends Readonly<Record<(typeof coinColumns)[number], Float64Array>> {
  readonly overwritten: readonly Overwritten[]
}

/** Limbs are high × 2^40 + low. */
const coinColumns = [
  // Spendable value and outputs created by the day's blocks.
  'createdSatsHigh',
  'createdSatsLow',
  'createdOutputs',
  // Spends of outputs created the day before and younger than 24 hours.
  'youngSats',
  'youngOutputs',
  'youngSecondsHigh',
  'youngSecondsLow',
  // Satoshis spent at an age under an hour, by day of creation.
  'underHourTodayHigh',
  'underHourTodayLow',
  'underHourYesterday',
] as const

/** Coinbase outputs that left the supply unspent because a later coinbase has the same hash. */
export interface Overwritten {
  readonly day: number
  readonly createdDay: number
  readonly sats: number
  readonly outputs: number
}

export async function readDailyCoins(
  connection: DuckDBConnection,
  firstDay: number,
  days: number,
): Promise<DailyCoins> {
  const coins = createColumns(coinColumns, days)
  const created = await readColumns(
    connection,
    `SELECT date, addend_high(sats) AS high, addend_low(sats) AS low, outputs FROM (
       SELECT date, sum(coinbase_sats - fees_sats + spent_sats - unspendable_sats) AS sats,
         sum(outputs - unspendable_outputs)::DOUBLE AS outputs
       FROM blocks WHERE date > getvariable('after_day') AND date <= getvariable('last_day') GROUP BY date
     ) ORDER BY date`,
  )
  for (const [row, date] of created.date!.entries()) {
    coins.createdSatsHigh[date - firstDay] = created.high![row]!
    coins.createdSatsLow[date - firstDay] = created.low![row]!
    coins.createdOutputs[date - firstDay] = created.outputs![row]!
  }
  const young = await readColumns(
    connection,
    `SELECT date, created_date, spent_sats_under_24h::DOUBLE AS sats, spent_outputs_under_24h::DOUBLE AS outputs,
       addend_high(spent_sat_seconds_under_24h::HUGEINT) AS high, addend_low(spent_sat_seconds_under_24h::HUGEINT) AS low,
       addend_high(spent_sats_under_1h) AS under_hour_high, addend_low(spent_sats_under_1h) AS under_hour_low,
       spent_sats_under_1h::DOUBLE AS under_hour
     FROM young_spends WHERE date > getvariable('after_day') ORDER BY date, created_date`,
  )
  for (const [row, date] of young.date!.entries()) {
    const day = date - firstDay
    if (young.created_date![row] === date) {
      coins.underHourTodayHigh[day] = young.under_hour_high![row]!
      coins.underHourTodayLow[day] = young.under_hour_low![row]!
    } else {
      coins.underHourYesterday[day] = young.under_hour![row]!
      coins.youngSats[day] = young.sats![row]!
      coins.youngOutputs[day] = young.outputs![row]!
      coins.youngSecondsHigh[day] = young.high![row]!
      coins.youngSecondsLow[day] = young.low![row]!
    }
  }
  const lost = await readColumns(
    connection,
    `SELECT date, created_date, sats::DOUBLE AS sats, outputs::DOUBLE AS outputs FROM overwritten
     WHERE date > getvariable('after_day') AND date <= getvariable('last_day') ORDER BY date`,
  )
  const overwritten = Array.from(lost.date!, (date, row) => ({
    day: date - firstDay,
    createdDay: lost.created_date![row]! - firstDay,
    sats: lost.sats![row]!,
    outputs: lost.outputs![row]!,
  }))
  return { ...coins, overwritten }
}
