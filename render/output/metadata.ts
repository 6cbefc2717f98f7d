import { isoDate, isoTime } from '#base/days.ts'
import { isFine } from '#contract/chart-options.ts'
import { replaceDenseCandles } from '../draw/candles.ts'
import { describeCrossings } from '../draw/crossings.ts'
import { calendarDay, summarizeValues } from '../draw/description.ts'
import { describeOmissions } from '../draw/omissions.ts'
import { chooseSizes } from '../draw/sizes.ts'
import type { ChartSeries, ChartSpecification } from '../draw/specification.ts'
import { countNonPositive } from '../draw/value-scale.ts'
import { describeHiddenLabels } from './hidden-labels.ts'

/** See `chartMetadata` of the contract. */
export type SeriesMetadata = ReturnType<typeof describeSeries>

/** The picture's omissions, and remarks for the request's author. */
export const listRemarks = (chart: ChartSpecification): string[] => [
  ...describeOmissions(replaceDenseCandles(chart, chooseSizes(chart), chart.x.days.length)),
  ...describeHiddenLabels(chart),
  ...describeCrossings(chart.crossings),
  ...chart.remarks,
]

export function describeChart(chart: ChartSpecification, remarks: readonly string[] = listRemarks(chart)) {
  const { title, theme, width, height, x, heatmap } = chart
  const [first, last] = x.kind === 'bins' ? [x.day, x.day] : [x.days[0], x.days.at(-1)]
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
    remarks: [...remarks],
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

function describeSeries(series: ChartSeries, { x, axes }: ChartSpecification) {
  const { id, label, unit, style, color, values } = series
  const axis = axes.find((one) => one.id === series.axisId)!
  const { first, last, min, max, count } = summarizeValues(values)
  const point = (index: number) => {
    if (index < 0) return null
    const date = isoDate(calendarDay(series, x, index))
    const offset = x.kind === 'day_offset' && { day_offset: x.days[index]! - x.firstDay }
    const time = x.kind === 'date' && isFine(x.interval ?? 'day') && { time: isoTime(x.days[index]!) }
    const price = x.kind === 'bins' && { price: (x.edges[index]! + x.edges[index + 1]!) / 2 }
    return { date, ...time, ...offset, ...price, value: values[index]! }
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
