import { isoDate } from '#root/days.ts'
import type { AxisSide, ChartSeries, ChartSpecification } from '../draw/specification.ts'
import { countNotPositive } from '../draw/value-scale.ts'

/** One value of a series: on which date, and with `day_offset` how many days after its cycle's first. */
export interface MetadataPoint {
  date: string
  day_offset?: number
  value: number
}

export interface SeriesMetadata {
  id: string
  label: string
  unit: string
  axis: { id: string; side: AxisSide; scale: string; title: string }
  style: string
  color: string
  first: MetadataPoint | null
  last: MetadataPoint | null
  min: MetadataPoint | null
  max: MetadataPoint | null
  /** Values that are not null. */
  count: number
  /** Values of zero or less, which the log axis cannot show and the picture leaves out. */
  left_out: number
}

/** What the picture shows, in the field names of the API. */
export interface ChartMetadata {
  title: string
  theme: string
  width: number
  height: number
  x: { kind: string; first: string | null; last: string | null }
  series: SeriesMetadata[]
  heatmap: { id: string; label: string; unit: string; color_scale: string; bins: number } | null
}

export function describeChart(chart: ChartSpecification): ChartMetadata {
  const { title, theme, width, height, x, heatmap } = chart
  const [first, last] = [x.days[0], x.days.at(-1)]
  return {
    title,
    theme,
    width,
    height,
    x: {
      kind: x.kind,
      first: first === undefined ? null : isoDate(first),
      last: last === undefined ? null : isoDate(last),
    },
    series: chart.series.map((series) => describeSeries(series, chart)),
    heatmap: heatmap
      ? {
          id: heatmap.id,
          label: heatmap.label,
          unit: heatmap.unit,
          color_scale: heatmap.colorScale,
          bins: heatmap.binLower.length,
        }
      : null,
  }
}

function describeSeries(series: ChartSeries, { x, axes }: ChartSpecification): SeriesMetadata {
  const { id, label, unit, style, color, values, cycleStart } = series
  const axis = axes.find((one) => one.id === series.axisId)!
  let [first, last, least, greatest, count] = [-1, -1, -1, -1, 0]
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return
    if (count === 0) [first, least, greatest] = [i, i, i]
    if (value < values[least]!) least = i
    if (value > values[greatest]!) greatest = i
    last = i
    count++
  })
  const point = (index: number): MetadataPoint | null => {
    if (index < 0) return null
    if (x.kind === 'date') return { date: isoDate(x.days[index]!), value: values[index]! }
    const offset = x.days[index]! - x.firstDay
    return { date: isoDate((cycleStart ?? x.firstDay) + offset), day_offset: offset, value: values[index]! }
  }
  return {
    id,
    label,
    unit,
    axis: { id: axis.id, side: axis.side, scale: axis.scale, title: axis.title },
    style,
    color,
    first: point(first),
    last: point(last),
    min: point(least),
    max: point(greatest),
    count,
    left_out: axis.scale === 'log' ? countNotPositive(series) : 0,
  }
}
