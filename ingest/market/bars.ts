import { dayAt, msPerDay } from '#base/days.ts'
import type { HttpClient } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { createSeries, type Series } from './series.ts'
import { hourMs } from './wire.ts'

export type Bar = Observation<'prices_hourly'>

/** Times in milliseconds. */
export interface BarMarket {
  readonly startsAt: number
  /** Below the source's limit, because longer responses would be cut off. */
  readonly barsPerAnswer?: number
  /** Unless the source keeps all. */
  readonly maxBars?: number
  /** Bars of length `step` with `from` ≤ begin < `to`; others are ignored. */
  readonly fetch: (http: HttpClient, step: number, from: number, to: number) => Promise<Bar[]>
}

export function barSeries({ startsAt, barsPerAnswer, maxBars, fetch }: BarMarket): Series[] {
  const common = (step: number) => ({
    identity: {},
    startsAt,
    intervalMs: step,
    ...(barsPerAnswer !== undefined && { windowMs: barsPerAnswer * step }),
    ...(maxBars !== undefined && { depthMs: maxBars * step }),
  })
  return [
    createSeries({
      ...common(msPerDay),
      table: tables.prices,
      fetch: async (http, from, to) => (await fetch(http, msPerDay, from, to)).filter(isConsistent).map(toDailyBar),
    }),
    createSeries({
      ...common(hourMs),
      table: tables.prices_hourly,
      lengthMs: hourMs,
      fetch: async (http, from, to) => (await fetch(http, hourMs, from, to)).filter(isConsistent),
    }),
  ]
}

export const toDailyBar = ({ time, ...bar }: Bar): Observation<'prices'> => ({ date: dayAt(time), ...bar })

/** Contradictory bars are dropped and reported as missing. */
export const isConsistent = ({ open, high, low, close }: Bar): boolean =>
  close > 0 && low >= 0 && low <= Math.min(open, close) && high >= Math.max(open, close)

export const closeOnlyBar = (time: number, close: number): Bar => {
  return { time, open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
}
