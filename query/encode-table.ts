import { inRowOrder, pickRows, type Table } from './table/columns.ts'
import { csvLines, jsonRows } from './table/text.ts'
import { encodeInThread } from './threads.ts'
import type { TextTask } from './worker.ts'

/** Larger tables are encoded in threads: starting and copying cost a millisecond or two. */
const maxCellsHere = 25_000
const cellsPerTask = 60_000
const cellsPerMs = 1_700

interface Encoding {
  readonly format: 'json' | 'csv'
  /** Yields between pieces of some milliseconds. */
  readonly pause: () => Promise<void>
  /** Runs a job of a thread when it is its turn. */
  readonly inThread: (expectedMs: number, job: () => Promise<Uint8Array>) => Promise<Uint8Array>
}

/**
 * The rows of a table as text, piece by piece: the items of a JSON array, or CSV with a header
 * line.
 */
export async function* encodeTable(table: Table, { format, pause, inThread }: Encoding): AsyncGenerator<Uint8Array> {
  const { rows, columns } = table
  const numbers = columns.filter(({ values }) => values instanceof Float64Array)
  // To copy text to a thread takes as long as to encode it.
  if (rows * columns.length <= maxCellsHere || 2 * numbers.length < columns.length) {
    let pieces = 0
    for (const piece of (format === 'json' ? jsonRows : csvLines)(inRowOrder(table))) {
      if (pieces++ > 1) await pause()
      yield Buffer.from(piece)
    }
    return
  }
  const step = Math.ceil(cellsPerTask / columns.length)
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(rows, from + step)
    yield await inThread(((to - from) * columns.length) / cellsPerMs, () => encodeRows(format, table, from, to))
  }
}

async function encodeRows(format: TextTask['format'], table: Table, from: number, to: number): Promise<Uint8Array> {
  const transferList: ArrayBuffer[] = []
  const [first, end] = table.isReversed ? [table.rows - to, table.rows - from] : [from, to]
  const part = pickRows(table, to - from, {
    numbers: (values) => {
      if (values.buffer instanceof SharedArrayBuffer) return values.subarray(first, end)
      // The column may belong to other answers, too.
      const copy = new Float64Array(values.subarray(first, end))
      transferList.push(copy.buffer)
      return copy
    },
    others: (values) => values.slice(first, end),
  })
  return new Uint8Array(
    await encodeInThread({ format, table: { ...part, isReversed: table.isReversed }, from }, transferList),
  )
}
