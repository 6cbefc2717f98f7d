import type { DuckDBConnection } from '@duckdb/node-api'
import { type ReadColumn, readColumns, streamColumns } from '#sql/columns.ts'
import { writeParquet } from '#sql/parquet.ts'

/** Few enough to group and sort in memory. */
const rowsPerStep = 500_000

/**
 * Merges the flow rows of all segments into rows of `flows`: spends of each day from `firstDay` to
 * `lastDay` by creation day, sorted by both. Each stretch of days becomes a file `<file>.<number>`;
 * one ends with the day `cut`. Returns the files up to the cut and those after it, in order.
 * @param from FROM clause
 * @param onRows gets the merged rows in order, with the columns `date`, `created_date`,
 *   `sats_high`, `sats_low`, `spent_outputs`, `seconds_high`, `seconds_low` (see `limbs.ts`)
 */
export async function mergeFlows(
  connection: DuckDBConnection,
  from: string,
  firstDay: number,
  lastDay: number,
  cut: number | undefined,
  file: string,
  onRows: (rows: number, columns: Record<string, ReadColumn>) => void,
): Promise<{ upToCut: string[]; afterCut: string[] }> {
  const upToCut: string[] = []
  const afterCut: string[] = []
  for (const { first, end } of await stretches(connection, from, firstDay, lastDay, cut)) {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE merged_flows AS
       SELECT date, created_date, sum(spent_sats)::BIGINT AS spent_sats, sum(spent_outputs)::BIGINT AS spent_outputs,
         sum(sat_seconds_low)::BIGINT AS low, sum(sat_seconds_high)::BIGINT AS high,
         sum(output_seconds)::BIGINT AS output_seconds
       FROM ${from}
       WHERE date >= DATE '1970-01-01' + ${first} AND date < DATE '1970-01-01' + ${end}
       GROUP BY date, created_date ORDER BY date, created_date`,
    )
    const rows = streamColumns(
      connection,
      `SELECT date, created_date, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
         spent_outputs::DOUBLE AS spent_outputs,
         addend_high(high, low) AS seconds_high, addend_low(high, low) AS seconds_low
       FROM merged_flows`,
    )
    for await (const { rows: count, columns } of rows) onRows(count, columns)
    const part = `${file}.${upToCut.length + afterCut.length}`
    await writeParquet(
      connection,
      part,
      `SELECT date, created_date, spent_sats, spent_outputs,
         from_limbs(high, low)::DECIMAL(38, 0) AS spent_sat_seconds,
         output_seconds AS spent_output_seconds
       FROM merged_flows`,
    )
    if (cut !== undefined && first <= cut) upToCut.push(part)
    else afterCut.push(part)
  }
  await connection.run('DROP TABLE merged_flows')
  return { upToCut, afterCut }
}

/** Cuts the days into stretches of about `rowsPerStep` rows; without spends, one stretch. */
async function stretches(
  connection: DuckDBConnection,
  from: string,
  firstDay: number,
  lastDay: number,
  cut: number | undefined,
): Promise<{ first: number; end: number }[]> {
  const { day, rows } = await readColumns(
    connection,
    `SELECT (date - DATE '1970-01-01')::INTEGER AS day, count(*)::INTEGER AS rows FROM ${from}
     WHERE date BETWEEN DATE '1970-01-01' + ${firstDay} AND DATE '1970-01-01' + ${lastDay} GROUP BY date ORDER BY date`,
  )
  const bounds = [day![0] ?? lastDay]
  let within = 0
  day!.forEach((one, i) => {
    if (within >= rowsPerStep || (cut !== undefined && bounds.at(-1)! <= cut && one > cut)) {
      bounds.push(one)
      within = 0
    }
    within += rows![i]!
  })
  return bounds.map((first, i) => ({ first, end: bounds[i + 1] ?? lastDay + 1 }))
}
