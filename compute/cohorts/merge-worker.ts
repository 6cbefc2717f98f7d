import { freeMemory } from '#base/free-memory.ts'
import type { WrittenColumn } from '#sql/column-chunk.ts'
import type { ReadColumn } from '#sql/columns.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { addendLimb, carryAddends, joinLimbs } from '../scan/limbs.ts'
import { answer } from '../threads.ts'
import { mergeRows } from './merge-rows.ts'

export type MergedColumns = Readonly<Record<string, ReadColumn>>

/** Rows of segments to merge into a file with rows of `flows` or, with `kind`, `kind_flows`. */
export interface MergeTask {
  readonly file: string
  /**
   * Keys `date`, `created_date` and perhaps `kind`; sums `sats_high`, `sats_low`, `outputs`, and
   * without `kind` `seconds_high`, `seconds_low`, `output_seconds` (high and low: see `limbs.ts`).
   */
  readonly columns: MergedColumns
}

/** Merges rows by their keys (`mergeRows`), carries limbs, and writes the file. */
export function mergeStep({ file, columns }: MergeTask): MergedColumns {
  const merged = mergeRows(columns)
  const { date, created_date, kind, sats_high, sats_low, outputs, seconds_high, seconds_low, output_seconds } = merged
  carryAddends(sats_high!, sats_low!)
  const sats = joinLimbs('spent_sats', sats_low!, sats_high!, addendLimb)
  const written: WrittenColumn[] = [
    { name: 'date', type: 'DATE', values: date! },
    { name: 'created_date', type: 'DATE', values: created_date! },
  ]
  if (kind) {
    const counts = new Int32Array(outputs!)
    if (counts.some((count, row) => count !== outputs![row])) throw new RangeError('spent_outputs exceed 32 bits')
    written.push(
      { name: 'kind', type: 'INTEGER', values: kind },
      { name: 'spent_sats', type: 'BIGINT', values: sats },
      { name: 'spent_outputs', type: 'INTEGER', values: counts },
    )
  } else {
    carryAddends(seconds_high!, seconds_low!)
    const seconds = Array.from(
      seconds_low!,
      (low, row) => BigInt(seconds_high![row]!) * BigInt(addendLimb) + BigInt(low),
    )
    written.push(
      { name: 'spent_sats', type: 'BIGINT', values: sats },
      { name: 'spent_outputs', type: 'BIGINT', values: outputs! },
      { name: 'spent_sat_seconds', type: 'DECIMAL(38,0)', values: seconds },
      { name: 'spent_output_seconds', type: 'BIGINT', values: output_seconds! },
    )
  }
  writeColumns(file, written, false)
  freeMemory(sats)
  return merged
}

export default function mergeInWorker(task: MergeTask): Promise<unknown> {
  return answer(() => mergeStep(task), Object.values)
}
