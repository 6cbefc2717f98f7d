import { bisector } from 'd3-array'
import { freeMemory } from '#base/free-memory.ts'
import type { ReadColumn } from '#sql/columns.ts'

/** Enough for unix days and kinds; three keys fit into a double. */
const keyLimit = 2 ** 16

/**
 * Sorts rows by their integer columns in order, which are keys from 0 to 65,535, and adds up the
 * other columns of rows with equal keys. Takes linear time for some sorted runs of rows, each of
 * which overlaps only with its neighbours, as those of segments do. Frees the columns.
 */
export function mergeRows(columns: Readonly<Record<string, ReadColumn>>): Record<string, ReadColumn> {
  const keys = joinKeys(Object.values(columns).filter((column) => column instanceof Int32Array))
  const order = sortRuns(keys)
  const { pieces, count } = findPieces(keys, order)
  const merged = Object.entries(columns).map(([name, column]) => [name, addUp(column, pieces, count)])
  for (const array of [keys, order, ...Object.values(columns)]) freeMemory(array)
  return Object.fromEntries(merged)
}

function joinKeys([first, second, third]: readonly Int32Array[]): Float64Array {
  const keys = new Float64Array(first!.length)
  for (let row = 0; row < keys.length; row++)
    keys[row] = (first![row]! * keyLimit + (second?.[row] ?? 0)) * keyLimit + (third?.[row] ?? 0)
  return keys
}

/** Returns the rows in ascending order of their keys. */
function sortRuns(keys: Float64Array): Uint32Array {
  const order = new Uint32Array(keys.length)
  const places = bisector((row: number) => keys[row]!)
  let count = 0
  for (const { start, end } of findRuns(keys)) {
    let at = places.right(order, keys[start]!, 0, count)
    const later = order.slice(at, count)
    let row = start
    for (let i = 0; i < later.length; i++) {
      while (row < end && keys[row]! < keys[later[i]!]!) order[at++] = row++
      order[at++] = later[i]!
    }
    while (row < end) order[at++] = row++
    count = at
  }
  return order
}

/** Returns the ascending runs of rows, by their first key. */
function findRuns(keys: Float64Array): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = []
  for (let start = 0; start < keys.length; ) {
    let end = start + 1
    while (end < keys.length && keys[end - 1]! <= keys[end]!) end++
    runs.push({ start, end })
    start = end
  }
  return runs.sort((one, other) => keys[one.start]! - keys[other.start]!)
}

/** Rows from `start` up to `end`, whose keys are those of the merged rows from `to` on. */
interface Piece {
  readonly to: number
  readonly start: number
  readonly end: number
}

/** Cuts the rows into pieces; most are long. `count` is the number of merged rows. */
function findPieces(keys: Float64Array, order: Uint32Array): { pieces: Piece[]; count: number } {
  const pieces: Piece[] = []
  let count = 0
  for (let at = 0; at < order.length; ) {
    const start = order[at++]!
    let end = start + 1
    const to = count > 0 && keys[start] === keys[order[at - 2]!] ? count - 1 : count
    while (at < order.length && order[at] === end && keys[end]! > keys[end - 1]!) {
      end++
      at++
    }
    pieces.push({ to, start, end })
    count = to + end - start
  }
  return { pieces, count }
}

function addUp(column: ReadColumn, pieces: readonly Piece[], count: number): ReadColumn {
  if (column instanceof Int32Array) {
    const keys = new Int32Array(count)
    for (const { to, start, end } of pieces) keys.set(column.subarray(start, end), to)
    return keys
  }
  const sums = new Float64Array(count)
  for (const { to, start, end } of pieces) {
    // Only the first key can be that of the row before.
    sums[to]! += column[start]!
    sums.set(column.subarray(start + 1, end), to + 1)
  }
  return sums
}
