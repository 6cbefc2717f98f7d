import { CoinstrataError } from '#base/errors.ts'
import type { ChartSpecification } from './specification.ts'

/**
 * Throws `invalid_argument` if days do not ascend, or if a column does not have one value per day.
 */
export function requireValidColumns({
  x: { days },
  series,
  referenceLines,
  referenceAreas,
  heatmap,
}: ChartSpecification): void {
  const unordered = days.findIndex((day, i) => i > 0 && day <= days[i - 1]!)
  if (unordered > 0) {
    throw new CoinstrataError(
      'invalid_argument',
      `the days of a chart must ascend, but entry ${unordered} (${days[unordered]}) follows ${days[unordered - 1]}`,
      { cure: 'sort days and columns, with one entry per day' },
    )
  }
  for (const { id, values, candles, colorBy } of series) {
    for (const part of [values, ...Object.values(candles ?? {}), ...(colorBy ? [colorBy.values] : [])])
      requireLength(`series "${id}"`, part, days.length)
  }
  for (const { label, y } of referenceLines) requireLength(`reference line "${label}"`, y, days.length)
  for (const { label, y1, y2 } of referenceAreas) {
    for (const edge of [y1, y2]) requireLength(`reference area "${label}"`, edge, days.length)
  }
  if (heatmap) requireLength(`heatmap "${heatmap.id}"`, heatmap.values, days.length * heatmap.binLower.length)
}

function requireLength(name: string, values: number | Float64Array, length: number): void {
  if (typeof values === 'number' || values.length === length) return
  throw new CoinstrataError('invalid_argument', `${name} has ${values.length} values instead of ${length}`, {
    cure: 'give each column one value per day, NaN if there is none',
  })
}
