import type { ChartSeries, VerticalLine, XAxis } from '../draw/specification.ts'
import { stackSeries } from '../draw/stack.ts'

/** A smaller first value, in parts of the stack's height then, does not look like a rise. */
const minStep = 0.01

/**
 * Lines where parts of stacked areas begin later than others, and the stack rises by them although
 * its sum did not.
 */
export function markBeginnings(series: readonly ChartSeries[], x: XAxis, stroke: string): VerticalLine[] {
  if (x.kind !== 'date') return []
  const labels = new Map<number, string[]>()
  for (const { bands, highs } of stackSeries(series.filter(({ style }) => style !== 'bar'))) {
    const begins = bands.map(({ series: { values } }) => values.findIndex((value) => Number.isFinite(value)))
    const first = Math.min(...begins.filter((begin) => begin >= 0))
    bands.forEach(({ series: { label, values } }, i) => {
      const begin = begins[i]!
      if (begin > first && values[begin]! > minStep * highs[begin]!) {
        labels.set(begin, [...(labels.get(begin) ?? []), label])
      }
    })
  }
  return Array.from(labels, ([begin, names]) => ({
    day: x.days[begin]!,
    stroke,
    dash: '2 3',
    label: names.length > 2 ? `${names.length} series begin` : `${names.join(', ')} from here`,
  }))
}
