import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { AlertCondition } from '#contract/alerts.ts'
import { conditionStates, findCrossings, unknown } from './conditions.ts'
import type { WatchedSeries } from './watched-series.ts'

const day = z.int()
/** State between evaluations. Days are unix days, times ms since 1970. */
export const alertStateSchema = z.strictObject({
  /** Newest closed day with a settled state: corrections of it do not fire. */
  closed: day,
  /** Newest day for which it fired; it fires only for later ones. */
  fired: day.nullable(),
  isMet: z.boolean().nullable(),
  /** Day and value of that state. */
  asOf: day.nullable(),
  value: z.number().nullable(),
  paused: z.string().nullable(),
})
export type AlertState = z.infer<typeof alertStateSchema>

export interface Crossing {
  readonly day: number
  readonly value: number
  /** Block of the open day's value; null for a closed day. */
  readonly height: number | null
}

/** Longer than a weekend with holidays, when markets have no values. */
const maxSilentDays = 5

/**
 * Returns the new state, and the days since `before` on which the condition became true. Without
 * `before` none: what is true at the beginning does not fire.
 */
export function advance(
  condition: AlertCondition,
  { firstDay, closedDay, values, height }: WatchedSeries,
  before?: AlertState,
): { readonly state: AlertState; readonly crossings: readonly Crossing[] } {
  const states = conditionStates(condition, values)
  const found = findCrossings(states, before ? before.closed + 1 - firstDay : 0, before?.isMet)
  const fired = before?.fired ?? null
  const crossings = (before ? found.rows : [])
    .map((row) => ({ day: firstDay + row, value: values[row]!, height: firstDay + row > closedDay ? height : null }))
    .filter(({ day }) => fired === null || day > fired)
  const isKnown = (one: number): boolean => one !== unknown
  const lastKnown = states.findLastIndex(isKnown)
  const lastClosed = states.subarray(0, closedDay + 1 - firstDay).findLastIndex(isKnown)
  const state = {
    closed: Math.max(before?.closed ?? closedDay, lastClosed < 0 ? 0 : firstDay + lastClosed),
    fired: crossings.at(-1)?.day ?? fired,
    // A correction of settled days can reset the condition, but does not fire.
    isMet: found.isMet && states[lastKnown] !== 0,
    asOf: lastKnown < 0 ? null : firstDay + lastKnown,
    value: lastKnown < 0 ? null : values[lastKnown]!,
    paused: describeSilence(firstDay + values.findLastIndex((value) => !Number.isNaN(value)), firstDay, closedDay),
  }
  return { state, crossings }
}

function describeSilence(lastDay: number, firstDay: number, closedDay: number): string | null {
  if (lastDay < firstDay) return 'it has no value on any day that you can see'
  return lastDay < closedDay - maxSilentDays ? `it has had no value since ${isoDate(lastDay)}` : null
}
