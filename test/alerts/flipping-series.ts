import type { WatchedSeries } from '#alerts/watched-series.ts'
import { Random } from '../support/random.ts'

export const firstDay = 15_000

/**
 * A metric that is 0 or 1 on its days up to `closedDay`, at random by its name; sometimes unknown.
 */
export function flippingSeries(name: string, days: number): WatchedSeries {
  const random = new Random([...name].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7))
  const values = Float64Array.from({ length: days }, () => (random.next() < 0.1 ? Number.NaN : random.between(0, 1)))
  return { firstDay, closedDay: firstDay + days - 1, values, height: null, eachBlock: false }
}
