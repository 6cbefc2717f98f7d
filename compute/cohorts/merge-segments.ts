import type { DuckDBConnection } from '@duckdb/node-api'
import { freeMemory } from '#base/free-memory.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { mergeRows } from './merge-rows.ts'

/** Few enough to merge in memory. */
const rowsPerStep = 1_000_000

/** Unix days. */
export interface DaysToMerge {
  readonly first: number
  readonly last: number
  /** Ends a step, if it is one of the days. */
  readonly cut: number | undefined
}

/** Rows of some days, until before `end`, as columns by name. */
export interface MergedDays {
  readonly first: number
  readonly end: number
  readonly columns: Readonly<Record<string, ReadColumn>>
}

/**
 * Merges the rows of all segments by `mergeRows`, some days at a time, and writes each step to a
 * file `<file>.<number>`. Returns the files up to the cut and those after it, in order.
 * @param columns SELECT list: keys as DATE and INTEGER, first `date`, and sums as DOUBLE
 * @param from FROM clause
 * @param write gets the steps in order
 */
export async function mergeSegments(
  connection: DuckDBConnection,
  columns: string,
  from: string,
  days: DaysToMerge,
  file: string,
  write: (part: string, merged: MergedDays) => Promise<void>,
): Promise<{ upToCut: string[]; afterCut: string[] }> {
  const read = ({ first, end }: Step): Promise<Record<string, ReadColumn>> =>
    readColumns(connection, `SELECT ${columns} FROM ${from} WHERE ${areWithin(first, end)}`)
  const upToCut: string[] = []
  const afterCut: string[] = []
  const steps = await divideDays(connection, from, days)
  for (const step of steps) {
    const part = `${file}.${upToCut.length + afterCut.length}`
    const columns = mergeRows(await read(step))
    await write(part, { ...step, columns })
    for (const column of Object.values(columns)) freeMemory(column)
    if (days.cut !== undefined && step.first <= days.cut) upToCut.push(part)
    else afterCut.push(part)
  }
  return { upToCut, afterCut }
}

/** WHERE condition for a column `date`. */
export const areWithin = (first: number, end: number): string =>
  `date >= DATE '1970-01-01' + ${first} AND date < DATE '1970-01-01' + ${end}`

type Step = Pick<MergedDays, 'first' | 'end'>

/** Cuts the days into steps of about `rowsPerStep` rows; without rows, one step. */
async function divideDays(
  connection: DuckDBConnection,
  from: string,
  { first, last, cut }: DaysToMerge,
): Promise<Step[]> {
  const { day, rows } = await readColumns(
    connection,
    `SELECT date AS day, count(*)::INTEGER AS rows FROM ${from}
     WHERE ${areWithin(first, last + 1)} GROUP BY date ORDER BY date`,
  )
  const bounds = [day![0] ?? last]
  let within = 0
  day!.forEach((one, i) => {
    if (within >= rowsPerStep || (cut !== undefined && bounds.at(-1)! <= cut && one > cut)) {
      bounds.push(one)
      within = 0
    }
    within += rows![i]!
  })
  return bounds.map((first, i) => ({ first, end: bounds[i + 1] ?? last + 1 }))
}
