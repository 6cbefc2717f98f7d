import { msPerDay } from '#base/days.ts'
import type { Observation } from './observations.ts'
import type { CloseOn } from './prices.ts'
import type { Provenance } from './store.ts'

export interface MarketOpenInterest {
  /** Unix day. */
  readonly date: number
  readonly exchange: string
  readonly instrument: string
  readonly btc: number
  readonly usd: number
}

export type AggregateOpenInterest = ReturnType<typeof aggregateOpenInterest>[number]

/** Fewer do not represent the market. */
export const minExchanges = 3

/** Oldest snapshot that counts as the end of a day. */
const maxSnapshotAgeMs = 6 * 3_600_000

/**
 * One-sided open interest of each market at the end of each day: the last observation of its last
 * six hours or of midnight, converted between BTC and USD at our close, so sums are consistent.
 * Omits days after `lastDay` or without a price.
 */
export function marketOpenInterest(
  rows: readonly (Observation<'open_interest'> & Provenance)[],
  closeOn: CloseOn,
  lastDay: number,
): MarketOpenInterest[] {
  const last = new Map<string, Observation<'open_interest'>>()
  for (const row of rows.toSorted((a, b) => a.time - b.time || a.fetchedAt - b.fetchedAt)) {
    const date = closingDay(row.time)
    const untilMidnight = (date + 1) * msPerDay - row.time
    if (date > lastDay || untilMidnight > maxSnapshotAgeMs) continue
    last.set(`${date} ${row.exchange} ${row.instrument}`, row)
  }
  const days = [...last.values()].flatMap(({ exchange, instrument, time, amount, unit }) => {
    const date = closingDay(time)
    const close = closeOn(date)
    if (Number.isNaN(close)) return []
    const [btc, usd] = unit === 'btc' ? [amount, amount * close] : [amount / close, amount]
    return [{ date, exchange, instrument, btc, usd }]
  })
  return days.sort((a, b) => a.date - b.date || compare(a.exchange, b.exchange) || compare(a.instrument, b.instrument))
}

/** Changes are over markets known on both days; null without any. */
export function exchangeOpenInterest(markets: readonly MarketOpenInterest[]) {
  const byDay = Map.groupBy(markets, ({ date }) => date)
  return [...byDay].flatMap(([date, today]) => {
    const total = sum(today, 'usd')
    return [...Map.groupBy(today, ({ exchange }) => exchange)].map(([exchange, own]) => {
      const before = (byDay.get(date - 1) ?? []).filter((market) => market.exchange === exchange)
      const change = computeChange(own, before)
      const [oi_usd, oi_btc] = [sum(own, 'usd'), sum(own, 'btc')]
      const [oi_delta_usd, oi_delta_btc] = [change?.usd ?? null, change?.btc ?? null]
      return { date, exchange, oi_usd, oi_btc, oi_delta_usd, oi_delta_btc, oi_share: oi_usd / total }
    })
  })
}

/**
 * Totals are null with fewer than three exchanges. Changes are over markets known on both days, so
 * a new or missing exchange is no change.
 */
export function aggregateOpenInterest(markets: readonly MarketOpenInterest[]) {
  const byDay = Map.groupBy(markets, ({ date }) => date)
  return [...byDay].map(([date, today]) => {
    const exchange_count = new Set(today.map(({ exchange }) => exchange)).size
    const change = computeChange(today, byDay.get(date - 1) ?? [])
    const enough = exchange_count >= minExchanges
    const comparable = change && change.exchanges >= minExchanges ? change : undefined
    return {
      date,
      total_oi_usd: enough ? sum(today, 'usd') : null,
      total_oi_btc: enough ? sum(today, 'btc') : null,
      oi_delta_usd: comparable?.usd ?? null,
      oi_delta_btc: comparable?.btc ?? null,
      oi_delta_pct: comparable ? (100 * comparable.usd) / comparable.usdBefore : null,
      exchange_count,
    }
  })
}

function computeChange(today: readonly MarketOpenInterest[], before: readonly MarketOpenInterest[]) {
  const known = new Map(before.map((market) => [`${market.exchange} ${market.instrument}`, market]))
  const pairs = today.flatMap((market) => {
    const earlier = known.get(`${market.exchange} ${market.instrument}`)
    return earlier ? [{ market, earlier }] : []
  })
  if (pairs.length === 0) return undefined
  return {
    usd: pairs.reduce((total, { market, earlier }) => total + market.usd - earlier.usd, 0),
    btc: pairs.reduce((total, { market, earlier }) => total + market.btc - earlier.btc, 0),
    usdBefore: pairs.reduce((total, { earlier }) => total + earlier.usd, 0),
    exchanges: new Set(pairs.map(({ market }) => market.exchange)).size,
  }
}

/** Exactly midnight belongs to the day before. */
const closingDay = (time: number): number => Math.ceil(time / msPerDay) - 1

const sum = (markets: readonly MarketOpenInterest[], unit: 'btc' | 'usd'): number =>
  markets.reduce((total, market) => total + market[unit], 0)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
