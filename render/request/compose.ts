import { ownAxes, sizeLimits, usual } from '#contract/chart-words.ts'
import { CoinstrataError } from '#root/errors.ts'
import { writeDay } from '../draw/calendar.ts'
import type { ChartSeries, ChartSpecification, ReferenceArea, ReferenceLine, XAxis } from '../draw/specification.ts'
import type { Theme } from '../draw/theme.ts'
import { themes } from '../draw/theme.ts'
import { choosePlace, completeAxis } from './axis-conventions.ts'
import type { ChartRequest, RequestedArea, RequestedLine, RequestedSeries } from './request.ts'
import { seriesColors } from './series-colors.ts'

/**
 * Completes a request by the conventions of the field: light theme, 1200×600, price in its own colour and on the right,
 * one axis per unit, grey for the axis of several series. Throws `invalid_argument` if a series or reference names an
 * axis that `axes` does not describe, or the size is outside `sizeLimits`.
 */
export function composeChart(request: ChartRequest): ChartSpecification {
  const { theme: themeName = usual.theme, width = usual.width, height = usual.height } = request
  checkSize('width', width)
  checkSize('height', height)
  const theme = themes[themeName]
  const requested = withOverlay(request)
  const colors = seriesColors(requested, theme)
  const places = requested.map((series) => choosePlace(request, series))
  const shown = requested.length + (request.heatmap ? 1 : 0)
  const series = requested.map((one, i) => completeSeries(one, shown, places[i]!, colors[i]!))
  const named = [...(request.referenceLines ?? []), ...(request.referenceAreas ?? [])].flatMap(
    ({ axisId }) => axisId ?? [],
  )
  const ids = new Set([...(request.heatmap ? [ownAxes.heatmap] : []), ...places, ...named])
  const axes = [...ids].map((id) => completeAxis(id, request, series))
  const first = axes[0]?.id ?? ''
  return {
    title: request.title,
    theme: themeName,
    width,
    height,
    x: request.x,
    axes,
    series,
    referenceLines: (request.referenceLines ?? []).map((line) => completeLine(line, first, theme)),
    referenceAreas: (request.referenceAreas ?? []).map((area) => completeArea(area, first, theme)),
    heatmap: request.heatmap && {
      ...request.heatmap,
      axisId: ownAxes.heatmap,
      colorScale: request.heatmap.colorScale ?? usual.colorScale,
    },
    source: request.source,
    dateLine: writeDates(request.x),
  }
}

function checkSize(side: keyof typeof sizeLimits, pixels: number): void {
  const [least, most] = sizeLimits[side]
  if (Number.isInteger(pixels) && pixels >= least && pixels <= most) return
  throw new CoinstrataError('invalid_argument', `a chart cannot be ${pixels} pixels in ${side}`, {
    cure: `choose a whole number of pixels from ${least} to ${most}`,
  })
}

function withOverlay({ series, priceOverlay }: ChartRequest): readonly RequestedSeries[] {
  if (priceOverlay === undefined || series.some(({ id }) => id === 'price')) return series
  const overStack = series.some(({ stacked }) => stacked)
  return [
    ...series,
    {
      id: 'price',
      label: 'Price',
      unit: 'USD',
      values: priceOverlay,
      axisId: ownAxes.price,
      ...(overStack ? { dash: '8 3', lineWidth: 1.6 } : { dash: '4 3', lineWidth: 1.1, opacity: 0.6 }),
    },
  ]
}

function completeSeries(series: RequestedSeries, count: number, axisId: string, color: string): ChartSeries {
  return {
    id: series.id,
    label: series.label,
    unit: series.unit,
    style: series.style ?? 'line',
    color,
    negativeColor: series.negativeColor,
    lineWidth: series.lineWidth ?? (count > 4 ? 1.4 : 1.7),
    dash: series.dash,
    opacity: series.opacity ?? 1,
    axisId,
    // The title says what a single series is, unless it lies over a heatmap.
    showInLegend: series.showInLegend ?? count > 1,
    stacked: series.stacked ?? false,
    values: series.values,
    cycleStart: series.cycleStart,
  }
}

function completeLine(line: RequestedLine, firstAxis: string, theme: Theme): ReferenceLine {
  const { y, axisId = firstAxis, stroke = theme.muted, dash = '5 4', label = '' } = line
  return { y, axisId, stroke, dash, label }
}

function completeArea(area: RequestedArea, firstAxis: string, theme: Theme): ReferenceArea {
  const { y1, y2, axisId = firstAxis, fill = theme.muted, opacity = 0.12, label = '' } = area
  return { y1, y2, axisId, fill, opacity, label }
}

function writeDates(x: XAxis): string {
  if (x.kind === 'day_offset') return `Dates of the cycle that began on ${writeDay(x.firstDay)}`
  const [first, last] = [x.days[0], x.days.at(-1)]
  return first === undefined || last === undefined ? '' : `${writeDay(first)} – ${writeDay(last)}`
}
