/** Rows in a row where a condition holds: from the first to the last, both included. */
export interface Spell {
  readonly from: number
  readonly to: number
}

/** Where a condition holds (is not 0): a day on which it is not known (NaN) neither begins nor ends one. */
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

/** What a series did in percent from each of some rows to so many days later, where both are known and above zero. */
export function changesAfter(
  days: Int32Array,
  values: Float64Array,
  starts: readonly number[],
  daysLater: number,
): number[] {
  return starts.flatMap((row) => {
    const [then, later] = [values[row]!, values[days.indexOf(days[row]! + daysLater)] ?? Number.NaN]
    return then > 0 && later > 0 ? [100 * (later / then - 1)] : []
  })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
}
