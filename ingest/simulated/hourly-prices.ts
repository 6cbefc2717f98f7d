import { hoursPerDay, msPerDay, parseDay } from '#base/days.ts'
import { roundPrice, type SimulatedPrice, volatility } from './prices.ts'
import { Random } from './random.ts'

export interface SimulatedHour extends Omit<SimulatedPrice, 'day'> {
  /** Milliseconds since 1970. */
  readonly time: number
}

/**
 * Earlier days have daily prices alone, like the first ones of the real market: writing hours would
 * slow down a first start.
 */
const firstHourlyDay = parseDay('2023-01-01')
const msPerHour = msPerDay / hoursPerDay

/**
 * Hours of these days from 2023 on. Together they have the day's open, high, low, close and volume.
 */
export const simulatedHours = (seed: number, days: readonly SimulatedPrice[]): SimulatedHour[] =>
  days.flatMap((price) => (price.day < firstHourlyDay ? [] : splitDay(seed, price)))

/** Turns back at the bounds, so few hours end there. */
function reflect(price: number, low: number, high: number): number {
  const inside = price > high ? high ** 2 / price : price < low ? low ** 2 / price : price
  return Math.min(high, Math.max(low, inside))
}

/** Random walk from open to close, bounded by high and low, each reached in one hour. */
function splitDay(seed: number, { day, open, high, low, close, volume }: SimulatedPrice): SimulatedHour[] {
  const random = new Random(seed, 'hourly price', day)
  const step = volatility(day) / Math.sqrt(hoursPerDay)
  const walk = [0]
  const traded = [0]
  for (let hour = 0; hour < hoursPerDay; hour++) {
    walk.push(walk[hour]! + step * random.normal())
    traded.push(traded[hour]! + random.between(0.5, 1.5))
  }
  const drift = (Math.log(close / open) - walk[hoursPerDay]!) / hoursPerDay
  const prices = walk.map((moved, hour) => {
    if (hour === hoursPerDay) return close
    return roundPrice(reflect(open * Math.exp(moved + drift * hour), low, high))
  })
  const ends = prices.slice(1).map((price, hour) => [prices[hour]!, price] as const)
  const highs = ends.map((pair) => Math.max(...pair))
  const lows = ends.map((pair) => Math.min(...pair))
  highs[highs.indexOf(Math.max(...highs))] = high
  lows[lows.indexOf(Math.min(...lows))] = low
  const tradedBy = (hour: number): number => Math.round((volume * traded[hour]!) / traded[hoursPerDay]!)
  return ends.map(([first, last], hour) => ({
    time: day * msPerDay + hour * msPerHour,
    open: first,
    high: highs[hour]!,
    low: lows[hour]!,
    close: last,
    volume: tradedBy(hour + 1) - tradedBy(hour),
  }))
}
