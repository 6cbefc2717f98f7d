import { isoDate } from '#base/days.ts'
import type { Relation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'

export type CycleFamily = 'halving' | 'ath' | 'low'

/** A cycle begins with a halving, a top or a low; days count from the first closed day. */
export interface Cycle {
  readonly family: CycleFamily
  /** From 1 within the family. */
  readonly cycle: number
  readonly firstDay: number
  /** Begins with the last all-time high, which is not a top yet; a later high replaces it. */
  readonly provisional?: true
}

/** Minimum fall of closes, as a fraction, that makes the highest close before it a top. */
const minFall = 0.75

/**
 * Cycles from each halving epoch; the first begins with the first block. `heights`: each day's last
 * block.
 */
export function halvingCycles(heights: Float64Array | Int32Array, halvingInterval: number): Cycle[] {
  const cycles: Cycle[] = []
  heights.forEach((height, day) => {
    while (height >= cycles.length * halvingInterval) {
      cycles.push({ family: 'halving', cycle: cycles.length + 1, firstDay: day })
    }
  })
  return cycles
}

/**
 * Tops and lows of a price (NaN without one). A top is the highest close before a fall of at least
 * 75 %; its low is the lowest close before the first close above that top. Omits unconfirmed lows;
 * a high after the last top begins a provisional cycle.
 */
export function priceCycles(closes: Float64Array): Cycle[] {
  const tops: Cycle[] = []
  const lows: Cycle[] = []
  let high = -1
  let low = -1
  let fallen = false
  closes.forEach((close, day) => {
    if (Number.isNaN(close)) return
    if (high < 0 || close > closes[high]!) {
      if (fallen) lows.push({ family: 'low', cycle: lows.length + 1, firstDay: low })
      fallen = false
      high = day
      low = day
      return
    }
    if (close < closes[low]!) low = day
    if (fallen || close > (1 - minFall) * closes[high]!) return
    fallen = true
    tops.push({ family: 'ath', cycle: tops.length + 1, firstDay: high })
  })
  if (high > (tops.at(-1)?.firstDay ?? -1)) {
    tops.push({ family: 'ath', cycle: tops.length + 1, firstDay: high, provisional: true })
  }
  return [...tops, ...lows]
}

/** @param firstDay unix day of the first closed day */
export const cycleStarts = (cycles: readonly Cycle[], firstDay: number): Relation<'cycle_starts'> =>
  rowsRelation(
    'cycle_starts',
    { family: 'VARCHAR', cycle: 'INTEGER', start_date: 'DATE', provisional: 'BOOLEAN' },
    cycles.map(({ family, cycle, firstDay: start, provisional = false }) => ({
      family,
      cycle,
      start_date: isoDate(firstDay + start),
      provisional,
    })),
  )
