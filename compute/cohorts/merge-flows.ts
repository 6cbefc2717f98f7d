import type { DuckDBConnection } from '@duckdb/node-api'
import { createTable, type ReadColumn } from '#sql/columns.ts'
import { writeParquet } from '#sql/parquet.ts'
import { carryAddends } from '../scan/limbs.ts'
import { type DaysToMerge, mergeSegments } from './merge-segments.ts'

/** Sums in limbs of the cohort pass (`limbs.ts`). */
const columns = `date, created_date, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
  spent_outputs::DOUBLE AS spent_outputs, addend_high(sat_seconds_high, sat_seconds_low) AS seconds_high,
  addend_low(sat_seconds_high, sat_seconds_low) AS seconds_low, output_seconds::DOUBLE AS output_seconds`

/**
 * Merges the flow rows of all segments into files with rows of `flows`: spends of each day by
 * creation day, sorted by both (see `mergeSegments`).
 * @param from FROM clause
 * @param onRows gets the merged rows in order, with the columns `date`, `created_date`,
 *   `sats_high`, `sats_low`, `spent_outputs`, `seconds_high`, `seconds_low` (see `limbs.ts`)
 */
export const mergeFlows = (
  connection: DuckDBConnection,
  from: string,
  days: DaysToMerge,
  file: string,
  onRows: (columns: Readonly<Record<string, ReadColumn>>) => void,
): Promise<{ upToCut: string[]; afterCut: string[] }> =>
  mergeSegments(connection, columns, from, days, file, async (part, merged) => {
    const { sats_high, sats_low, seconds_high, seconds_low } = merged.columns
    carryAddends(sats_high!, sats_low!)
    carryAddends(seconds_high!, seconds_low!)
    onRows(merged.columns)
    await createTable(connection, 'merged_flows', merged.columns)
    await writeParquet(
      connection,
      part,
      `SELECT DATE '1970-01-01' + date AS date, DATE '1970-01-01' + created_date AS created_date,
         from_addends(sats_high, sats_low)::BIGINT AS spent_sats, spent_outputs::BIGINT AS spent_outputs,
         from_addends(seconds_high, seconds_low)::DECIMAL(38, 0) AS spent_sat_seconds,
         output_seconds::BIGINT AS spent_output_seconds
       FROM merged_flows`,
    )
  })
