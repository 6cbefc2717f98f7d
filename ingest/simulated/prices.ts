import { curve } from './curve.ts'
import { firstPriceDay, logPriceTrend } from './price-trend.ts'
import { Random } from './random.ts'

/** In US dollars. */
export interface SimulatedPrice {
  /** Unix day. */
  readonly day: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** Standard deviation of daily moves. */
export const volatility = curve([
  ['2010-07-18', 0.05],
  ['2011-06-08', 0.06],
  ['2012-06-01', 0.03],
  ['2013-11-29', 0.05],
  ['2015-06-01', 0.028],
  ['2017-12-17', 0.042],
  ['2020-01-01', 0.03],
  ['2023-01-01', 0.024],
  ['2025-10-06', 0.02],
])

/** Daily volume in bitcoin. */
const turnover = curve([
  ['2010-07-18', 1000],
  ['2011-06-08', 60_000],
  ['2013-11-29', 150_000],
  ['2017-12-17', 700_000],
  ['2021-01-01', 1_200_000],
  ['2023-01-01', 700_000],
  ['2025-01-01', 400_000],
])

/** Part of the distance to the trend closed per day. */
const reversionPerDay = 0.25
/** Maximum distance from the trend (natural logarithm): no seed may move a top to another year. */
const maxDistance = 0.12

/**
 * Simulated daily prices up to the unix day `endDay`: a random walk around a trend that turns with
 * the real price. A later `endDay` only adds days.
 */
export function simulatedPrices({ seed, endDay }: { seed: number; endDay: number }): SimulatedPrice[] {
  const prices: SimulatedPrice[] = []
  let distance = 0
  let open = roundPrice(Math.exp(logPriceTrend(firstPriceDay)))
  for (let day = firstPriceDay; day <= endDay; day++) {
    const random = new Random(seed, 'price', day)
    const spread = volatility(day)
    // Mixture of two normals: most days are quiet, some much wilder.
    const move = random.normal() * (random.chance(0.1) ? 2 : 0.8)
    distance = distance * (1 - reversionPerDay) + spread * move
    const close = roundPrice(Math.exp(logPriceTrend(day) + maxDistance * Math.tanh(distance / maxDistance)))
    prices.push({
      day,
      open,
      high: roundPrice(Math.max(open, close) * Math.exp(0.5 * spread * Math.abs(random.normal()))),
      low: roundPrice(Math.min(open, close) * Math.exp(-0.5 * spread * Math.abs(random.normal()))),
      close,
      volume: Math.round(
        turnover(day) * close * Math.exp(0.3 * random.normal()) * (0.7 + 10 * Math.abs(close / open - 1)),
      ),
    })
    open = close
  }
  return prices
}

/** Six digits preserve order. */
export const roundPrice = (price: number): number => Number(price.toPrecision(6))
