import { dayAt, millisecondsPerDay } from '#base/days.ts'
import type { HttpClient } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { type Series, series } from './series.ts'
import { hour } from './wire.ts'

/** What was traded in a day or an hour that begins at `time`, in milliseconds since 1970. */
export type Bar = Observation<'prices_hourly'>

/** How a market is asked for its bars; all times in milliseconds. */
export interface BarMarket {
  /** When its history begins. */
  readonly startsAt: number
  /** Most bars that an answer has, with some room: a longer answer would be cut off. */
  readonly barsPerAnswer?: number
  /** Bars that it remembers, where it forgets. */
  readonly remembers?: number
  /** Bars of the length `step` that begin from `from` on and before `to`; others do no harm. */
  readonly fetch: (http: HttpClient, step: number, from: number, to: number) => Promise<Bar[]>
}

/** The daily and hourly bars of a market, of those that have ended. */
export function barsOf({ startsAt, barsPerAnswer, remembers, fetch }: BarMarket): Series[] {
  const common = (step: number) => ({
    identity: {},
    startsAt,
    every: step,
    ...(barsPerAnswer !== undefined && { window: barsPerAnswer * step }),
    ...(remembers !== undefined && { depth: remembers * step }),
  })
  return [
    series({
      ...common(millisecondsPerDay),
      table: tables.prices,
      fetch: async (http, from, to) =>
        (await fetch(http, millisecondsPerDay, from, to)).filter(isConsistent).map(ofDay),
    }),
    series({
      ...common(hour),
      table: tables.prices_hourly,
      endsAfter: hour,
      fetch: async (http, from, to) => (await fetch(http, hour, from, to)).filter(isConsistent),
    }),
  ]
}

/** The observation of a day that begins at `time`. */
export const ofDay = ({ time, ...bar }: Bar): Observation<'prices'> => ({ date: dayAt(time), ...bar })

/** Whether a bar does not contradict itself; one that does is missing, and reported so. */
export const isConsistent = ({ open, high, low, close }: Bar): boolean =>
  close > 0 && low >= 0 && low <= Math.min(open, close) && high >= Math.max(open, close)

/** A bar of which only the close is known. */
export const closeAt = (time: number, close: number): Bar => {
  return { time, open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
}
