import { dayAt, msPerDay } from '#base/days.ts'
import { type MarketOpenInterest, minExchanges } from './daily-open-interest.ts'
import type { Observation } from './observations.ts'
import { exchanges } from './reference.ts'
import type { Provenance } from './store.ts'
import { hourMs } from './wire.ts'

interface MarketFunding {
  /** Unix day. */
  readonly date: number
  readonly exchange: string
  readonly instrument: string
  readonly rate8h: number
}

type ExchangeFunding = ReturnType<typeof exchangeFunding>[number]
export type AggregateFunding = ReturnType<typeof aggregateFunding>[number]

const defaultIntervalHours = 8
/** Minimum hours of a day that settlements must cover. */
const minHours = 16
/** Older open interest still counts as weight for this long. */
const maxWeightAgeDays = 3

/**
 * Settled rates of a day ÷ hours covered × 8. The interval is the venue's, or else the time since
 * the previous settlement. Omits days after `lastDay`, with less than 16 hours, or not over when
 * the source was last fetched.
 */
export function marketFunding(
  rows: readonly (Observation<'funding'> & Provenance)[],
  lastDay: number,
): MarketFunding[] {
  const byMarket = Map.groupBy(rows, ({ exchange, instrument }) => `${exchange} ${instrument}`)
  return [...byMarket.values()].flatMap((all) => {
    const settlements = withIntervals(all)
    const latest = settlements.at(-1)!
    const coveredUntil = latest.time + latest.hours * hourMs
    return [...Map.groupBy(settlements, ({ time }) => dayAt(time))].flatMap(([date, own]) => {
      const { exchange, instrument } = own[0]!
      const hours = own.reduce((total, settlement) => total + settlement.hours, 0)
      if (date > lastDay || hours < minHours || coveredUntil < (date + 1) * msPerDay) return []
      const rate8h = (own.reduce((total, { rate }) => total + rate, 0) / hours) * defaultIntervalHours
      return [{ date, exchange, instrument, rate8h }]
    })
  })
}

/** One settlement per minute (of several sources, the last fetched), with the hours it covers. */
function withIntervals(rows: readonly (Observation<'funding'> & Provenance)[]) {
  // Timestamps vary by milliseconds around the full hour, which at midnight decides the day.
  const byTime = new Map(
    rows.toSorted((a, b) => a.fetchedAt - b.fetchedAt).map((row) => [Math.round(row.time / 60_000) * 60_000, row]),
  )
  const times = [...byTime.keys()].sort((a, b) => a - b)
  return times.map((time, i) => {
    const row = byTime.get(time)!
    const hoursTo = (other: number | undefined): number | undefined => {
      const hours = other === undefined ? 0 : Math.round(Math.abs(time - other) / hourMs)
      return hours >= 1 && hours <= defaultIntervalHours ? hours : undefined
    }
    const hours = row.interval_hours ?? hoursTo(times[i - 1]) ?? hoursTo(times[i + 1]) ?? defaultIntervalHours
    return { ...row, time, hours }
  })
}

/**
 * Rate per exchange and day: markets weighted by open interest in USD, at most three days old.
 * Without open interest, the main market's rate, with `oi_usd` null.
 */
export function exchangeFunding(markets: readonly MarketFunding[], openInterest: readonly MarketOpenInterest[]) {
  const weights = createWeights(openInterest)
  const byDay = Map.groupBy(markets, ({ date }) => date)
  return [...byDay.keys()]
    .sort((a, b) => a - b)
    .flatMap((date) => {
      const rates = [...Map.groupBy(byDay.get(date)!, ({ exchange }) => exchange)].flatMap(([exchange, own]) => {
        const oi_usd = weights.forExchange(exchange, date)
        const rate = weightedRate(own, weights) ?? mainRate(exchange, own)
        return rate === undefined ? [] : [{ date, exchange, funding_rate: rate, annualized: annualized(rate), oi_usd }]
      })
      const total = rates.reduce((sum, { oi_usd }) => sum + (oi_usd ?? 0), 0)
      return rates.map((rate) => ({ ...rate, oi_weight: rate.oi_usd === null ? null : rate.oi_usd / total }))
    })
}

/**
 * Daily rate over exchanges with funding, weighted by open interest; null with fewer than three.
 */
export function aggregateFunding(rates: readonly ExchangeFunding[], openInterest: readonly MarketOpenInterest[]) {
  const weights = createWeights(openInterest)
  return [...Map.groupBy(rates, ({ date }) => date)].map(([date, all]) => {
    const counted = all.flatMap(({ funding_rate, oi_usd }) => (oi_usd === null ? [] : [{ funding_rate, oi_usd }]))
    const exchange_count = counted.length
    const covered = counted.reduce((sum, { oi_usd }) => sum + oi_usd, 0)
    if (exchange_count < minExchanges || covered === 0)
      return { date, avg_funding_rate: null, annualized: null, spread: null, exchange_count, coverage_pct: null }
    const average = counted.reduce((sum, { funding_rate, oi_usd }) => sum + funding_rate * oi_usd, 0) / covered
    const rated = counted.map(({ funding_rate }) => funding_rate)
    return {
      date,
      avg_funding_rate: average,
      annualized: annualized(average),
      spread: Math.max(...rated) - Math.min(...rated),
      exchange_count,
      // Sums may differ in the last digit.
      coverage_pct: Math.min(100, (100 * covered) / weights.total(date)),
    }
  })
}

const annualized = (rate8h: number): number => rate8h * 3 * 365

function createWeights(openInterest: readonly MarketOpenInterest[]) {
  const usd = new Map(openInterest.map((row) => [`${row.date} ${row.exchange} ${row.instrument}`, row.usd]))
  const instruments = new Map(
    [...Map.groupBy(openInterest, ({ exchange }) => exchange)].map(([exchange, rows]) => {
      return [exchange, [...new Set(rows.map(({ instrument }) => instrument))]]
    }),
  )
  const forMarket = (exchange: string, instrument: string, date: number) => {
    for (let day = date; day >= date - maxWeightAgeDays; day--) {
      const found = usd.get(`${day} ${exchange} ${instrument}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  const forExchange = (exchange: string, date: number) => {
    const known = (instruments.get(exchange) ?? []).flatMap((market) => forMarket(exchange, market, date) ?? [])
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  }
  const total = (date: number) =>
    [...instruments.keys()].reduce((sum, exchange) => sum + (forExchange(exchange, date) ?? 0), 0)
  return { forMarket, forExchange, total }
}

function weightedRate(own: readonly MarketFunding[], weights: ReturnType<typeof createWeights>): number | undefined {
  let [weighted, total] = [0, 0]
  for (const { exchange, instrument, date, rate8h } of own) {
    const weight = weights.forMarket(exchange, instrument, date) ?? 0
    weighted += rate8h * weight
    total += weight
  }
  return total > 0 ? weighted / total : undefined
}

function mainRate(exchange: string, own: readonly MarketFunding[]): number | undefined {
  const main = exchanges.find(({ id }) => id === exchange)?.main_instrument
  return own.find(({ instrument }) => instrument === main)?.rate8h
}
