/** Consecutive rows on which a condition is true, both ends included. */
export interface Spell {
  readonly from: number
  readonly to: number
}

/** Finds the spells of a condition, which is true if not 0. Rows with NaN neither begin nor end one. */
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

/** Changes in percent over `daysLater` days from each start row, without those that lack a positive value at either end. */
export function changesAfter(
  days: Int32Array,
  values: Float64Array,
  starts: readonly number[],
  daysLater: number,
): number[] {
  return starts.flatMap((row) => {
    const [start, end] = [values[row]!, values[days.indexOf(days[row]! + daysLater)] ?? Number.NaN]
    return start > 0 && end > 0 ? [100 * (end / start - 1)] : []
  })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
}
