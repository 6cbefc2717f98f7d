import { interpolatePlasma } from '../draw/plasma.ts'
import { rising, type Theme } from '../draw/theme.ts'
import type { RequestedSeries } from './request.ts'

/** `supply_24h`, `supply_1m_3m`, `supply_10y_plus` */
const byAge = /_(24h|\d+[dwmy]_(\d+[dwmy]|plus))$/

/** Ribbon: means of a measure over increasing days, or costs by age or year. */
const bySpan = /^(difficulty_sma_\d+|realized_price_(y\d{4}|\d+[dwmy]_\d+[dwmy]))$/

/**
 * Per series: the requested colour, that of the price (also for an overlay's newest cycle), or the
 * next of the palette. Stacked age bands and ribbon lines get colours of a sequential scale.
 */
export function chooseColors(series: readonly RequestedSeries[], { palette, price, stack, ribbon }: Theme): string[] {
  const ordered = series.filter(({ id, stacked }) => (stacked ? byAge : bySpan).test(id))
  let next = 0
  const newest = Math.max(...series.map(({ cycleStart = 0 }) => cycleStart))
  return series.map((one) => {
    if (one.color !== undefined) return one.color
    if (one.style === 'candle') return rising
    if (one.cycleStart === undefined ? one.id === 'price' : one.cycleStart === newest) return price
    if (!ordered.includes(one)) return palette[next++ % palette.length]!
    const [first, last] = one.stacked ? stack : ribbon
    const part = ordered.indexOf(one) / Math.max(1, ordered.length - 1)
    return interpolatePlasma(first + (last - first) * part)
  })
}
