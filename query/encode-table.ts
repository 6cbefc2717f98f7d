import { ownTurn } from '#base/own-turn.ts'
import type { CallerWork } from '#limits/admission.ts'
import { inRowOrder, pickRows, type Table } from './table/columns.ts'
import { csvLines, jsonRows } from './table/text.ts'
import { encodeInThread } from './threads.ts'

/** Larger tables are encoded in threads: starting and copying cost a millisecond or two. */
const maxCellsHere = 25_000
const cellsPerTask = 60_000
const cellsPerMs = 1_700

/** Pieces of a JSON array's items, or of CSV with a header line. */
export async function* encodeTable(
  table: Table,
  format: 'json' | 'csv',
  { inThread }: Pick<CallerWork, 'inThread'>,
): AsyncGenerator<Uint8Array> {
  const { rows, columns } = table
  const numbers = columns.filter(({ values }) => values instanceof Float64Array)
  const isSparse = columns.some((column) => 'onlyRow' in column)
  // Copying text or thousands of columns to a thread takes as long as encoding them.
  if (rows * columns.length <= maxCellsHere || isSparse || 2 * numbers.length < columns.length) {
    let pieces = 0
    for (const piece of (format === 'json' ? jsonRows : csvLines)(inRowOrder(table))) {
      if (pieces++ > 1) await ownTurn()
      yield Buffer.from(piece)
    }
    return
  }
  const step = Math.ceil(cellsPerTask / columns.length)
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(rows, from + step)
    const expectedMs = ((to - from) * columns.length) / cellsPerMs
    yield await inThread(expectedMs, () => encodeInThread({ format, table: takeRows(table, from, to), from }))
  }
}

/** For a thread. */
function takeRows(table: Table, from: number, to: number): Table {
  const [first, end] = table.isReversed ? [table.rows - to, table.rows - from] : [from, to]
  const part = pickRows(table, to - from, {
    // Sending a part of an array sends all its memory, unless threads share it.
    numbers: (values) =>
      values.buffer instanceof SharedArrayBuffer ? values.subarray(first, end) : values.slice(first, end),
    others: (values) => values.slice(first, end),
  })
  return { ...part, isReversed: table.isReversed }
}
