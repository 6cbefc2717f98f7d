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
      return (value, row) => hasChanged(condition, values.subarray(Math.max(0, row - condition.days), row), value)
    case 'all_time_high':
      return exceedsEarlier()
    case 'percentile':
      return exceedsPercentile(condition.percentile)
  }
}

function hasChanged(
  { percent, direction }: Extract<AlertCondition, { kind: 'change' }>,
  before: Float64Array,
  value: number,
): boolean | undefined {
  // There is no percentage of zero.
  const changes = before
    .filter((one) => !Number.isNaN(one) && one !== 0)
    .map((one) => (100 * (value - one)) / Math.abs(one))
  if (changes.length === 0) return undefined
  const isMet = (change: number): boolean =>
    (direction !== 'fall' && change > percent) || (direction !== 'rise' && change < -percent)
  return changes.some(isMet)
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
