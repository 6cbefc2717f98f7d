import { formatDay } from './calendar.ts'
import { formatValue } from './number-format.ts'
import type { ChartSeries, ChartSpecification, ValueAxis } from './specification.ts'

/** What a reader who cannot see the picture is told of it: its name, and of each series the last, lowest and highest value. */
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

function describeSeries(
  { label, values, cycleStart }: ChartSeries,
  { format, factor }: ValueAxis,
  { x }: ChartSpecification,
): string {
  let [least, greatest, last] = [-1, -1, -1]
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return
    if (least < 0 || value < values[least]!) least = i
    if (greatest < 0 || value > values[greatest]!) greatest = i
    last = i
  })
  const name = label === '' ? 'Series' : label
  if (last < 0) return `${name}: no values.`
  const day = (i: number) =>
    x.kind === 'day_offset' && cycleStart !== undefined ? cycleStart + (x.days[i]! - x.firstDay) : x.days[i]!
  const point = (i: number) => `${formatValue(format, values[i]! * factor)} on ${formatDay(day(i))}`
  return `${name}: last ${point(last)}, lowest ${point(least)}, highest ${point(greatest)}.`
}
