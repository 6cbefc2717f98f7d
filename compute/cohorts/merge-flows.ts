import type { DuckDBConnection } from '@duckdb/node-api'
import { freeMemory } from '#base/free-memory.ts'
import type { WrittenColumn } from '#sql/column-chunk.ts'
import type { ReadColumn } from '#sql/columns.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { addendLimb, carryAddends, joinLimbs } from '../scan/limbs.ts'
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
    const { date, created_date, sats_high, sats_low, seconds_high, seconds_low } = merged.columns
    carryAddends(sats_high!, sats_low!)
    carryAddends(seconds_high!, seconds_low!)
    onRows(merged.columns)
    const sats = joinLimbs('spent_sats', sats_low!, sats_high!, addendLimb)
    const seconds = Array.from(
      seconds_low!,
      (low, row) => BigInt(seconds_high![row]!) * BigInt(addendLimb) + BigInt(low),
    )
    const written: WrittenColumn[] = [
      { name: 'date', type: 'DATE', values: date! },
      { name: 'created_date', type: 'DATE', values: created_date! },
      { name: 'spent_sats', type: 'BIGINT', values: sats },
      { name: 'spent_outputs', type: 'BIGINT', values: merged.columns.spent_outputs! },
      { name: 'spent_sat_seconds', type: 'DECIMAL(38,0)', values: seconds },
      { name: 'spent_output_seconds', type: 'BIGINT', values: merged.columns.output_seconds! },
    ]
    writeColumns(part, written, false)
    freeMemory(sats)
  })
