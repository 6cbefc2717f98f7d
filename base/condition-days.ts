import { bisectLeft, median } from 'd3-array'

/** Consecutive rows with a true condition, both ends included. */
export interface Spell {
  readonly from: number
  readonly to: number
}

/** Any value but 0 is true. Rows with NaN neither begin nor end a spell. */
export function findSpells(condition: Float64Array): Spell[] {
  const spells: Spell[] = []
  let from = -1
  let to = -1
  for (const [row, value] of condition.entries()) {
    if (Number.isNaN(value)) continue
    if (value !== 0) {
      if (from < 0) from = row
      to = row
    } else if (from >= 0) {
      spells.push({ from, to })
      from = -1
    }
  }
  if (from >= 0) spells.push({ from, to })
  return spells
}

export interface Case {
  readonly day: number
  readonly change: number
}

/** In percent, without cases that lack a positive value at either end. */
export function changesAfter(
  days: Int32Array,
  values: Float64Array,
  starts: readonly number[],
  daysLater: number,
): Case[] {
  return starts.flatMap((row) => {
    const day = days[row]!
    const later = bisectLeft(days, day + daysLater, row, Math.min(days.length, row + daysLater + 1))
    const [start, end] = [values[row]!, days[later] === day + daysLater ? values[later]! : Number.NaN]
    return start > 0 && end > 0 ? [{ day, change: 100 * (end / start - 1) }] : []
  })
}

/** Omits cases that begin within `daysLater` days of the last counted one. */
export function countIndependent(cases: readonly Pick<Case, 'day'>[], daysLater: number): number {
  let [count, end] = [0, Number.NEGATIVE_INFINITY]
  for (const { day } of cases) {
    if (day < end) continue
    count++
    end = day + daysLater
  }
  return count
}

/** Changes of at least one case, in percent. `roseShare` is a fraction of the cases. */
export function summarizeCases(cases: readonly Case[], daysLater: number) {
  const changes = cases.map(({ change }) => change)
  return {
    independent: countIndependent(cases, daysLater),
    median: median(changes) ?? Number.NaN,
    lowest: Math.min(...changes),
    highest: Math.max(...changes),
    roseShare: changes.filter((change) => change > 0).length / changes.length,
  }
}
