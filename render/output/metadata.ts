import { isoDate } from '#base/days.ts'
import type { AxisSide } from '#contract/chart-options.ts'
import { calendarDay, summarizeValues } from '../draw/description.ts'
import { describeOmissions } from '../draw/omissions.ts'
import type { ChartSeries, ChartSpecification } from '../draw/specification.ts'
import { countNonPositive } from '../draw/value-scale.ts'

/** One value of a series; `day_offset` counts days since the first of its cycle. */
export interface MetadataPoint {
  readonly date: string
  readonly day_offset?: number
  readonly value: number
}

export interface SeriesMetadata {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly axis: { readonly id: string; readonly side: AxisSide; readonly scale: string; readonly title: string }
  readonly style: string
  readonly color: string
  readonly first: MetadataPoint | null
  readonly last: MetadataPoint | null
  readonly min: MetadataPoint | null
  readonly max: MetadataPoint | null
  readonly count: number
  /** Number of values of zero or less that a log axis omits. */
  readonly left_out: number
}

export interface ChartMetadata {
  readonly title: string
  readonly theme: string
  readonly width: number
  readonly height: number
  readonly x: { readonly kind: string; readonly first: string | null; readonly last: string | null }
  readonly series: SeriesMetadata[]
  /** Omissions of the picture, and parts of the request without effect. */
  readonly remarks: string[]
  readonly heatmap: Readonly<{ id: string; label: string; unit: string; color_scale: string; bins: number }> | null
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
    remarks: [...describeOmissions(chart), ...chart.unused],
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
  const { id, label, unit, style, color, values } = series
  const axis = axes.find((one) => one.id === series.axisId)!
  const { first, last, min, max, count } = summarizeValues(values)
  const point = (index: number): MetadataPoint | null => {
    if (index < 0) return null
    const date = isoDate(calendarDay(series, x, index))
    const offset = x.kind === 'day_offset' && { day_offset: x.days[index]! - x.firstDay }
    return { date, ...offset, value: values[index]! }
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
    min: point(min),
    max: point(max),
    count,
    left_out: axis.scale === 'log' ? countNonPositive(series) : 0,
  }
}
