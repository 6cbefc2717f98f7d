import type { DuckDBConnection } from '@duckdb/node-api'
import { freeMemory } from '#base/free-memory.ts'
import { readColumns } from '#sql/columns.ts'
import { withThreads } from '../threads.ts'
import { type MergedColumns, type MergeTask, mergeStep } from './merge-worker.ts'

/** Few enough to merge in memory. */
const rowsPerStep = 600_000
/** Fewer steps take less time than starting a thread. */
const minStepsForThread = 4
/** Steps that are read or merged while one is taken. */
const stepsAhead = 2

/** Unix days. */
export interface DaysToMerge {
  readonly first: number
  readonly last: number
  /** Ends a step, if it is one of the days. */
  readonly cut: number | undefined
}

/**
 * Merges the rows of all segments by `mergeStep`, some days at a time, and writes each step to a
 * file `<file>.<number>`. Returns the files up to the cut and those after it, in order.
 * @param columns SELECT list of the columns of a `MergeTask`: keys as DATE and INTEGER, sums as DOUBLE
 * @param from FROM clause
 * @param take gets the merged rows of each step in order, and what `readBeside` returned for its WHERE condition
 */
export async function mergeSegments<Beside = undefined>(
  connection: DuckDBConnection,
  columns: string,
  from: string,
  days: DaysToMerge,
  file: string,
  take: (merged: MergedColumns, beside: Beside) => void,
  readBeside: (where: string) => Promise<Beside>,
): Promise<{ upToCut: string[]; afterCut: string[] }> {
  const steps = await divideDays(connection, from, days)
  const parts = steps.map((step, i) => ({ ...step, file: `${file}.${i}` }))
  const takeAll = async (merge: Merge): Promise<void> => {
    // One statement at a time.
    let read: Promise<unknown> = Promise.resolve()
    const prepare = async ({ file, first, end }: (typeof parts)[number]) => {
      const before = read
      const reading = before.then(async () => {
        const where = areWithin(first, end)
        const rows = await readColumns(connection, `SELECT ${columns} FROM ${from} WHERE ${where}`)
        return { columns: rows, beside: await readBeside(where) }
      })
      read = reading
      const { columns: rows, beside } = await reading
      return { beside, columns: await merge({ file, columns: rows }) }
    }
    const prepared: ReturnType<typeof prepare>[] = []
    try {
      for (let i = 0; i < parts.length; i++) {
        while (prepared.length <= stepsAhead && i + prepared.length < parts.length) {
          const next = prepare(parts[i + prepared.length]!)
          // It may fail before it is awaited.
          next.catch(() => {})
          prepared.push(next)
        }
        const { columns, beside } = await prepared.shift()!
        take(columns, beside)
        for (const column of Object.values(columns)) freeMemory(column)
      }
    } finally {
      await Promise.allSettled(prepared)
    }
  }
  if (parts.length < minStepsForThread) await takeAll(async (task) => mergeStep(task))
  else {
    const module = new URL('./merge-worker.ts', import.meta.url)
    await withThreads<MergeTask, MergedColumns, void>(module, 1, (run) =>
      takeAll((task) => run(task, Object.values(task.columns))),
    )
  }
  const cutEnd = days.cut === undefined ? 0 : parts.filter(({ first }) => first <= days.cut!).length
  const files = parts.map((part) => part.file)
  return { upToCut: files.slice(0, cutEnd), afterCut: files.slice(cutEnd) }
}

type Merge = (task: MergeTask) => Promise<MergedColumns>

/** WHERE condition for a column `date`. */
const areWithin = (first: number, end: number): string =>
  `date >= DATE '1970-01-01' + ${first} AND date < DATE '1970-01-01' + ${end}`

interface Step {
  readonly first: number
  readonly end: number
}

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
