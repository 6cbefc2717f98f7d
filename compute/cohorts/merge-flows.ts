import type { DuckDBConnection } from '@duckdb/node-api'
import { type DaysToMerge, mergeSegments } from './merge-segments.ts'
import type { MergedColumns } from './merge-worker.ts'

/** Sums in limbs of the cohort pass (`limbs.ts`). */
const columns = `date, created_date, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
  spent_outputs::DOUBLE AS outputs, addend_high(sat_seconds_high, sat_seconds_low) AS seconds_high,
  addend_low(sat_seconds_high, sat_seconds_low) AS seconds_low, output_seconds::DOUBLE AS output_seconds`

/**
 * Merges the flow rows of all segments into files with rows of `flows`: spends of each day by
 * creation day, sorted by both (see `mergeSegments`).
 * @param from FROM clause
 * @param onRows gets the merged rows in order
 */
export const mergeFlows = (
  connection: DuckDBConnection,
  from: string,
  days: DaysToMerge,
  file: string,
  onRows: (columns: MergedColumns) => void,
): Promise<{ upToCut: string[]; afterCut: string[] }> =>
  mergeSegments(connection, columns, from, days, file, onRows, async () => undefined)
