import { bisectLeft, bisectRight } from 'd3-array'
import type { AlertCondition } from '#contract/alerts.ts'

/** Percentiles of fewer values say little. */
const minRanked = 100
export const unknown = -1

/**
 * For each day 1 (met), 0, or `unknown`: the value is NaN, or there is nothing to compare it with.
 */
export function conditionStates(condition: AlertCondition, values: Float64Array): Int8Array {
  const isMet = predicate(condition, values)
  const states = new Int8Array(values.length)
  for (const [row, value] of values.entries()) {
    const met = Number.isNaN(value) ? undefined : isMet(value, row)
    states[row] = met === undefined ? unknown : Number(met)
  }
  return states
}

/** Called for all known rows in order. Undefined if the row cannot be compared. */
type Predicate = (value: number, row: number) => boolean | undefined

function predicate(condition: AlertCondition, values: Float64Array): Predicate {
  switch (condition.kind) {
    case 'above':
      return (value) => value > condition.value
    case 'below':
      return (value) => value < condition.value
    case 'outside':
      return (value) => value < condition.low || value > condition.high
    case 'change':
      return hasChanged(condition, values)
    case 'all_time_high':
      return exceedsEarlier()
    case 'percentile':
      return exceedsPercentile(condition.percentile)
  }
}

/** The farthest change is from the lowest or highest value of either sign. */
function hasChanged(
  { percent, direction, days }: Extract<AlertCondition, { kind: 'change' }>,
  values: Float64Array,
): Predicate {
  const isMet = (change: number): boolean =>
    (direction !== 'fall' && change > percent) || (direction !== 'rise' && change < -percent)
  // There is no percentage of zero.
  const windows = [1, -1].flatMap((sign) => {
    const signed = values.map((one) => (one * sign > 0 ? one : Number.NaN))
    return [slidingMax(signed, days, 1), slidingMax(signed, days, -1)]
  })
  return (value, row) => {
    const before = windows.map((extremes) => extremes[row]!).filter((one) => !Number.isNaN(one))
    return before.length === 0 ? undefined : before.some((one) => isMet((100 * (value - one)) / Math.abs(one)))
  }
}

/** Highest known value of the `days` rows before each row; lowest if `sign` is -1; NaN if none. */
function slidingMax(values: Float64Array, days: number, sign: 1 | -1): Float64Array {
  const extremes = new Float64Array(values.length).fill(Number.NaN)
  // Rows of falling values, which can still become the highest.
  const rows: number[] = []
  let first = 0
  for (let row = 0; row < values.length; row++) {
    if (rows[first]! < row - days) first++
    if (rows.length > first) extremes[row] = values[rows[first]!]!
    if (Number.isNaN(values[row]!)) continue
    while (rows.length > first && values[rows.at(-1)!]! * sign <= values[row]! * sign) rows.pop()
    rows.push(row)
  }
  return extremes
}

function exceedsEarlier(): Predicate {
  let highest: number | undefined
  return (value) => {
    const isMet = highest === undefined ? undefined : value > highest
    highest = Math.max(highest ?? value, value)
    return isMet
  }
}

/** Ranks like `percentileRank` among the values so far. */
function exceedsPercentile(percentile: number): Predicate {
  const sorted: number[] = []
  return (value) => {
    const lower = bisectLeft(sorted, value)
    sorted.splice(lower, 0, value)
    const equal = bisectRight(sorted, value) - lower
    return sorted.length < minRanked ? undefined : (100 * (lower + equal / 2)) / sorted.length > percentile
  }
}

/**
 * Rows from `from` on whose state becomes 1 from 0, and the last known state. `before` is the state
 * before them, null if unknown. Unknown states change nothing.
 */
export function findCrossings(states: Int8Array, from = 0, before: boolean | null = null) {
  const rows: number[] = []
  let isMet = before
  for (let row = Math.max(0, from); row < states.length; row++) {
    if (states[row] === unknown) continue
    if (states[row] === 1 && isMet === false) rows.push(row)
    isMet = states[row] === 1
  }
  return { rows, isMet }
}
