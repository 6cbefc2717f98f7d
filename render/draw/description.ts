import { formatDay } from './calendar.ts'
import { formatValue } from './number-format.ts'
import type { ChartSeries, ChartSpecification, ValueAxis, XAxis } from './specification.ts'

/** Accessible name and text of the picture: the last, lowest and highest value of each series. */
export function describePicture(chart: ChartSpecification): { readonly name: string; readonly content: string } {
  const { title, subtitle, series, axes, heatmap } = chart
  const labels = [...(heatmap ? [heatmap.label] : []), ...series.map(({ label }) => label)]
  const sentences = series.map((one) => {
    const axis = axes.find(({ id }) => id === one.axisId)!
    return describeSeries(one, axis, chart)
  })
  return {
    name: title || labels.filter((label) => label !== '').join(', ') || 'Chart',
    content: [subtitle, ...sentences].filter((text) => text !== '').join(' '),
  }
}

function describeSeries(series: ChartSeries, { format, factor }: ValueAxis, { x }: ChartSpecification): string {
  const { min, max, last } = summarizeValues(series.values)
  const name = series.label === '' ? 'Series' : series.label
  if (last < 0) return `${name}: no values.`
  const point = (i: number) =>
    `${formatValue(format, series.values[i]! * factor)} on ${formatDay(calendarDay(series, x, i))}`
  return `${name}: last ${point(last)}, lowest ${point(min)}, highest ${point(max)}.`
}

/** Indices of the first, last, lowest and highest finite values of a column (-1 if it has none), and their count. */
export function summarizeValues(values: Float64Array) {
  let [first, last, min, max, count] = [-1, -1, -1, -1, 0]
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return
    if (count === 0) [first, min, max] = [i, i, i]
    if (value < values[min]!) min = i
    if (value > values[max]!) max = i
    last = i
    count++
  })
  return { first, last, min, max, count }
}

/** The unix day of entry `i`, in a cycle overlay that of the cycle of the series. */
export function calendarDay({ cycleStart }: ChartSeries, x: XAxis, i: number): number {
  const day = x.days[i]!
  return x.kind === 'day_offset' && cycleStart !== undefined ? cycleStart + day - x.firstDay : day
}
