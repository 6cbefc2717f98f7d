import { readableColor } from '../draw/color.ts'
import { interpolatePlasma } from '../draw/plasma.ts'
import { falling, rising, type Theme } from '../draw/theme.ts'
import type { RequestedSeries } from './request.ts'

/** `supply_24h`, `supply_1m_3m`, `supply_10y_plus`, `supply_1_10_btc`, `addresses_over_1k_btc` */
const byBand = /_(24h|\d+[dwmy]_(\d+[dwmy]|plus)|\d+[km]?_(btc|sats))$/

/** Ribbon: means of a measure over increasing days, costs by age or year, or bands of size. */
const bySpan = /^(difficulty_sma_\d+|realized_price_(y\d{4}|\d+[dwmy]_\d+[dwmy])|.*_\d+[km]?_(btc|sats))$/

const gains = /profit(_percent)?$/
const losses = /(?<!profit_to_)loss(_percent)?$/

/**
 * Per series: the requested colour, that of the price (also for an overlay's newest cycle), those of
 * gains and losses for one profit and one loss, or the next of the palette. Stacked age bands and
 * ribbon lines get colours of a sequential scale.
 */
export function chooseColors(series: readonly RequestedSeries[], theme: Theme): string[] {
  const { palette, price, stack, ribbon, background } = theme
  const ordered = series.filter(({ id, stacked }) => (stacked ? byBand : bySpan).test(id))
  const [profits = [], lost = []] = [gains, losses].map((pattern) => series.filter(({ id }) => pattern.test(id)))
  const isPair = profits.length === 1 && lost.length === 1
  // The first two of a palette are close to the colours of losses and gains.
  let next = isPair || series.some(({ style }) => style === 'candle') ? 2 : 0
  const newest = Math.max(...series.map(({ cycleStart = 0 }) => cycleStart))
  return series.map((one) => {
    if (one.color !== undefined) return one.color
    if (one.style === 'candle' || (isPair && profits[0] === one)) return rising
    if (isPair && lost[0] === one) return falling
    if (one.cycleStart === undefined ? one.id === 'price' : one.cycleStart === newest) return price
    if (!ordered.includes(one)) return palette[next++ % palette.length]!
    const [first, last] = one.stacked ? stack : ribbon
    const part = ordered.indexOf(one) / Math.max(1, ordered.length - 1)
    const color = interpolatePlasma(first + (last - first) * part)
    return one.stacked ? color : readableColor(color, background, 3)
  })
}
