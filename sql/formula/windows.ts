import { type Aggregate, correlation, type Moments, mean, mergePairs, moments, type Pairs, sums } from './aggregates.ts'

/**
 * `read` of the last `window` values at every row; null (NaN) in the first window − 1 rows. One
 * pass for any window: every window is the end of one block of `window` rows merged with the
 * beginning of the next (van Herk 1992). Blocks are aligned by `firstRow`, so that the end of a
 * longer column is rounded like the whole.
 */
export function rolling<State>(
  column: Float64Array,
  window: number,
  { empty, add, merge }: Aggregate<State>,
  read: (state: State, value: number) => number,
  firstRow: number,
): Float64Array {
  const result = new Float64Array(column.length).fill(Number.NaN)
  const endsOfLastBlock: State[] = []
  let beginning = empty
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!
    const offset = (firstRow + row) % window
    beginning = add(offset === 0 ? empty : beginning, value)
    if (offset === window - 1) {
      if (row >= offset) result[row] = read(beginning, value)
      let end = empty
      for (let back = 0; back <= Math.min(offset, row); back++) {
        end = add(end, column[row - back]!)
        endsOfLastBlock[offset - back] = end
      }
    } else if (row >= window - 1) {
      result[row] = read(merge(endsOfLastBlock[offset + 1]!, beginning), value)
    }
  }
  return result
}

/** `read` of all values so far; null (NaN) rows stay null and are skipped. */
export function expanding<State>(
  column: Float64Array,
  { empty, add }: Aggregate<State>,
  read: (state: State, value: number) => number,
): Float64Array {
  let state = empty
  return column.map((value) => {
    if (Number.isNaN(value)) return Number.NaN
    state = add(state, value)
    return read(state, value)
  })
}

/**
 * Pearson's correlation of the last `window` pairs; null (NaN) if there are fewer, one is null, or a
 * series never moves.
 */
export function rollingCorrelation(a: Float64Array, b: Float64Array, window: number, firstRow: number): Float64Array {
  const pairs: Aggregate<Pairs> = {
    empty: { a: moments.empty, b: moments.empty, products: 0 },
    add: (older, row) => mergePairs(older, { a: single(a[row]), b: single(b[row]), products: 0 }),
    merge: mergePairs,
  }
  return rolling(
    a.map((_, row) => row),
    window,
    pairs,
    correlation,
    firstRow,
  )
}

const single = (value = Number.NaN): Moments => moments.add(moments.empty, value)

export function shift(column: Float64Array, rows: number): Float64Array {
  const result = new Float64Array(column.length).fill(Number.NaN)
  result.set(column.subarray(0, Math.max(0, column.length - rows)), Math.min(rows, column.length))
  return result
}

/**
 * Exponential smoothing: each value moves the result by `weight` of their difference. Starts with
 * the mean of the first `window` consecutive non-null values; restarts after a null.
 */
export function smooth(column: Float64Array, window: number, weight: number): Float64Array {
  const seeds = rolling(column, window, sums, mean, 0)
  let current = Number.NaN
  return column.map((value, row) => {
    current = Number.isNaN(current) ? seeds[row]! : current + weight * (value - current)
    return current
  })
}

/**
 * Wilder's relative strength index, 0 to 100: smoothed rises as a share of all smoothed changes;
 * null (NaN) without changes.
 */
export function relativeStrength(column: Float64Array, window: number): Float64Array {
  const before = shift(column, 1)
  const smoothedChanges = (direction: 1 | -1): Float64Array => {
    const changes = column.map((value, row) => Math.max(direction * (value - before[row]!), 0))
    return smooth(changes, window, 1 / window)
  }
  const rises = smoothedChanges(1)
  const falls = smoothedChanges(-1)
  return rises.map((rise, row) => (100 * rise) / (rise + falls[row]!))
}

/**
 * Rows since `condition` was last not 0; null (NaN) before the first time or if the condition is
 * null.
 */
export function rowsSince(condition: Float64Array): Float64Array {
  let last = Number.NaN
  return condition.map((value, row) => {
    if (Number.isNaN(value)) return Number.NaN
    if (value !== 0) last = row
    return row - last
  })
}
