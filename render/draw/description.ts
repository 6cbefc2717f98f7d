import { count, maxIndex, minIndex } from 'd3-array'
import { formatDay } from './calendar.ts'
import { describeCrossings } from './crossings.ts'
import { formatValue } from './number-format.ts'
import type { ChartSeries, ChartSpecification, ValueAxis, XAxis } from './specification.ts'

/** Accessible name and text: last, first, lowest and highest value of each series, and notes. */
export function describePicture(
  chart: ChartSpecification,
  notes: readonly string[],
): { readonly name: string; readonly content: string } {
  const { title, subtitle, series, axes, heatmap, crossings } = chart
  const labels = [...(heatmap ? [heatmap.label] : []), ...series.map(({ label }) => label)]
  const sentences = series.map((one) => {
    const axis = axes.find(({ id }) => id === one.axisId)!
    return describeSeries(one, axis, chart)
  })
  return {
    name: title || labels.filter((label) => label !== '').join(', ') || 'Chart',
    content: [subtitle, ...sentences, ...describeCrossings(crossings), ...notes]
      .filter((text) => text !== '')
      .join(' '),
  }
}

function describeSeries(series: ChartSeries, axis: ValueAxis, { x }: ChartSpecification): string {
  const { min, max, first, last } = summarizeValues(series.values)
  const name = series.label === '' ? 'Series' : series.label
  if (last < 0) return `${name}: no values.`
  const point = (i: number) =>
    `${formatValue(axis.format, series.values[i]! * axis.factor)} ${x.kind === 'bins' ? 'at' : 'on'} ${formatPlace(x, i, series)}`
  if (x.kind === 'bins') return `${name}: highest ${point(max)}.`
  const change = series.values[last]! - series.values[first]!
  const trend = first === last ? '' : ` ${change === 0 ? 'as' : change > 0 ? 'up from' : 'down from'} ${point(first)},`
  return `${name}: last ${point(last)},${trend} lowest ${point(min)}, highest ${point(max)}.`
}

/**
 * Indices of a column's first, last, lowest and highest finite values (-1 without any), and their
 * count.
 */
export function summarizeValues(values: Float64Array) {
  const finite = values.map((value) => (Number.isFinite(value) ? value : Number.NaN))
  return {
    first: finite.findIndex(Number.isFinite),
    last: finite.findLastIndex(Number.isFinite),
    min: minIndex(finite),
    max: maxIndex(finite),
    count: count(finite),
  }
}

/** Date of entry `i`, or its price range. */
export function formatPlace(x: XAxis, i: number, series?: ChartSeries): string {
  if (x.kind !== 'bins') return formatDay(series ? calendarDay(series, x, i) : x.days[i]!)
  return [i, i + 1].map((edge) => formatValue('currency', x.edges[edge]!, x.edges[i + 1]! - x.edges[i]!)).join('–')
}

/** Unix day of entry `i`; in a cycle overlay that of the series' cycle. */
export function calendarDay({ cycleStart }: ChartSeries, x: XAxis, i: number): number {
  if (x.kind === 'bins') return x.day
  const day = x.days[i]!
  return x.kind === 'day_offset' && cycleStart !== undefined ? cycleStart + day - x.firstDay : day
}
