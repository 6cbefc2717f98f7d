import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { bindInputs, type QueryInputs } from '#sql/relation.ts'
import { createColumns } from './number-columns.ts'

/** Inputs of the cohort pass besides the merged flows, by day from the first. */
export interface DailyCoins extends Readonly<Record<(typeof coinColumns)[number], Float64Array>> {
  readonly overwritten: readonly Overwritten[]
}

/** Limbs are high × 2^40 + low. */
const coinColumns = [
  // Spendable value and outputs created.
  'createdSatsHigh',
  'createdSatsLow',
  'createdOutputs',
  // Spends of outputs created the day before, under 24 hours old.
  'youngSats',
  'youngOutputs',
  'youngSecondsHigh',
  'youngSecondsLow',
  // Satoshis spent under an hour old, by creation day.
  'underHourTodayHigh',
  'underHourTodayLow',
  'underHourYesterday',
] as const

/** Coinbase outputs that left the supply unspent: a later coinbase has the same hash. */
export interface Overwritten {
  readonly day: number
  readonly createdDay: number
  readonly sats: number
  readonly outputs: number
}

/** @param inputs with `blocks`, `young_spends` and `overwritten` */
export async function readDailyCoins(
  connection: DuckDBConnection,
  inputs: QueryInputs,
  firstDay: number,
  days: number,
): Promise<DailyCoins> {
  const coins = createColumns(coinColumns, days)
  const readInto = async (sql: string): Promise<void> => {
    const read = await readColumns(connection, bindInputs(sql, inputs))
    for (const name of coinColumns) {
      read[name]?.forEach((value, row) => {
        coins[name][read.date![row]! - firstDay] = value
      })
    }
  }
  await readInto(
    `SELECT date, addend_high(sats) AS "createdSatsHigh", addend_low(sats) AS "createdSatsLow", outputs AS "createdOutputs"
     FROM (
       SELECT date, sum(coinbase_sats - fees_sats + spent_sats - unspendable_sats) AS sats,
         sum(outputs - unspendable_outputs)::DOUBLE AS outputs
       FROM blocks WHERE date > getvariable('after_day') AND date <= getvariable('last_day') GROUP BY date
     )`,
  )
  await readInto(
    `SELECT date, addend_high(spent_sats_under_1h) AS "underHourTodayHigh",
       addend_low(spent_sats_under_1h) AS "underHourTodayLow"
     FROM young_spends WHERE date > getvariable('after_day') AND created_date = date`,
  )
  await readInto(
    `SELECT date, spent_sats_under_1h::DOUBLE AS "underHourYesterday", spent_sats_under_24h::DOUBLE AS "youngSats",
       spent_outputs_under_24h::DOUBLE AS "youngOutputs",
       addend_high(spent_sat_seconds_under_24h::HUGEINT) AS "youngSecondsHigh",
       addend_low(spent_sat_seconds_under_24h::HUGEINT) AS "youngSecondsLow"
     FROM young_spends WHERE date > getvariable('after_day') AND created_date < date`,
  )
  const lost = await readColumns(
    connection,
    bindInputs(
      `SELECT date, created_date, sats::DOUBLE AS sats, outputs::DOUBLE AS outputs FROM overwritten
       WHERE date > getvariable('after_day') AND date <= getvariable('last_day') ORDER BY date`,
      inputs,
    ),
  )
  const overwritten = Array.from(lost.date!, (date, row) => ({
    day: date - firstDay,
    createdDay: lost.created_date![row]! - firstDay,
    sats: lost.sats![row]!,
    outputs: lost.outputs![row]!,
  }))
  return { ...coins, overwritten }
}
