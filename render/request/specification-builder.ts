import { CoinstrataError } from '#base/errors.ts'
import { chartDefaults, ownAxes, sizeLimits } from '#contract/chart-options.ts'
import { formatDay } from '../draw/calendar.ts'
import type {
  ChartSeries,
  ChartSpecification,
  ReferenceArea,
  ReferenceLine,
  VerticalLine,
  XAxis,
} from '../draw/specification.ts'
import { type Theme, themes } from '../draw/theme.ts'
import { assignAxes, firstAxis, isSide } from './axis-assignment.ts'
import { completeAxis } from './axis-defaults.ts'
import { shareStacks } from './normalize.ts'
import type { ChartRequest, RequestedArea, RequestedLine, RequestedSeries, RequestedVertical } from './request.ts'
import { chooseColors } from './series-colors.ts'

/**
 * Completes a request with defaults: light theme, 1200×600, price in its own colour and on the right, one axis per unit, grey for
 * an axis with several series. Throws `invalid_argument` for an unknown axis, or a size outside `sizeLimits`.
 */
export function buildSpecification(request: ChartRequest): ChartSpecification {
  const { theme: themeName = chartDefaults.theme, width = chartDefaults.width, height = chartDefaults.height } = request
  const { pixelRatio = chartDefaults.pixelRatio, textScale = chartDefaults.textScale } = request
  checkSize('width', width)
  checkSize('height', height)
  const theme = themes[themeName]
  const requested = withOverlay(request.normalized ? { ...request, series: shareStacks(request.series) } : request)
  const colors = chooseColors(requested, theme)
  const shown = requested.length + (request.heatmap ? 1 : 0)
  const completed = (places: readonly string[]) =>
    requested.map((one, i) => completeSeries(one, shown, places[i]!, colors[i]!))
  const chosen = assignAxes(request, requested)
  const places = describedPlaces(request, chosen, completed(chosen))
  const series = completed(places)
  const drawn = new Set([...(request.heatmap ? [ownAxes.heatmap] : []), ...places])
  const sideOf = (id: string) => completeAxis(id, request, series).side
  /** The id of a side refers to the first axis on that side. */
  const placeOf = (id: string | undefined): string => {
    const [first = ''] = drawn
    if (id === undefined) return first
    return (isSide(id) && !drawn.has(id) && [...drawn].find((axis) => sideOf(axis) === id)) || id
  }
  const referenceLines = (request.referenceLines ?? []).map((line) => completeLine(line, placeOf(line.axisId), theme))
  const referenceAreas = (request.referenceAreas ?? []).map((area) => completeArea(area, placeOf(area.axisId), theme))
  const ids = new Set([...drawn, ...[...referenceLines, ...referenceAreas].map(({ axisId }) => axisId)])
  return {
    title: request.title,
    subtitle: request.subtitle ?? '',
    theme: themeName,
    width,
    height,
    pixelRatio,
    textScale,
    x: request.x,
    axes: [...ids].filter((id) => id !== '').map((id) => completeAxis(id, request, series)),
    series,
    referenceLines,
    referenceAreas,
    verticals: (request.verticals ?? []).map((line) => completeVertical(line, theme)),
    heatmap: request.heatmap && {
      ...request.heatmap,
      axisId: ownAxes.heatmap,
      colorScale: request.heatmap.colorScale ?? chartDefaults.colorScale,
    },
    monthGrid: request.monthGrid,
    labels: request.labels ?? chartDefaults.labels,
    lastValues: request.lastValues ?? chartDefaults.lastValues,
    brand: request.brand,
    unused: unusedParts(request, ids),
    source: request.source,
    dateLine: writeDates(request.x),
  }
}

/** Axis options with only a side, or without any id, apply to the series that are there by default. */
function describedPlaces(
  request: ChartRequest,
  places: readonly string[],
  series: readonly ChartSeries[],
): readonly string[] {
  const described = new Set(request.axes?.map(({ id }) => id))
  if (!['left', 'right', firstAxis].some((id) => described.has(id))) return places
  return places.map((place) => {
    if (!/^(left|right|auto):/.test(place)) return place
    const { side } = completeAxis(place, request, series)
    if (described.has(side)) return side
    return place === places[0] && described.has(firstAxis) ? firstAxis : place
  })
}

/** Axes without series and references, and domain ends that a log axis cannot have. */
function unusedParts({ axes = [] }: ChartRequest, used: ReadonlySet<string>): string[] {
  return axes.flatMap(({ id, scale, domainMinimum = 1, domainMaximum = 1 }) => {
    if (!used.has(id)) return [`the axis "${id}" is used by no series and no reference`]
    const below = scale === 'log' && (domainMinimum <= 0 || domainMaximum <= 0)
    return below ? [`an end of the axis "${id}" is zero or less, which a logarithmic axis does not reach`] : []
  })
}

function checkSize(side: keyof typeof sizeLimits, pixels: number): void {
  const [least, most] = sizeLimits[side]
  if (Number.isInteger(pixels) && pixels >= least && pixels <= most) return
  throw new CoinstrataError('invalid_argument', `a chart cannot be ${pixels} pixels in ${side}`, {
    cure: `choose a whole number of pixels from ${least} to ${most}`,
  })
}

function withOverlay({ series, priceOverlay, width = chartDefaults.width }: ChartRequest): readonly RequestedSeries[] {
  if (priceOverlay === undefined || series.some(({ id }) => id === 'price')) return series
  const overSurface = series.some(({ stacked }) => stacked) || series.every(({ style }) => style === 'bar')
  // With more days than pixels, dashes of a volatile line would be dots.
  const isDense = priceOverlay.length > width
  const dashed = (dash: string) => (isDense ? {} : { dash })
  return [
    ...series,
    {
      id: 'price',
      label: 'Price',
      unit: 'USD',
      values: priceOverlay,
      axisId: ownAxes.price,
      ...(overSurface ? { ...dashed('8 3'), lineWidth: 1.6 } : { ...dashed('4 3'), lineWidth: 1.1, opacity: 0.6 }),
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
    negativeColor: series.negativeColor ?? (series.style === 'candle' ? fallingColor : undefined),
    lineWidth: series.lineWidth ?? (count > 4 ? 1.4 : 1.7),
    dash: series.dash,
    opacity: series.opacity ?? 1,
    axisId,
    // The title names a single series, unless it is over a heatmap.
    showInLegend: series.showInLegend ?? count > 1,
    stacked: series.stacked ?? false,
    values: series.values,
    candles: series.style === 'candle' ? series.candles : undefined,
    cycleStart: series.cycleStart,
  }
}

const fallingColor = '#e07b12'

function completeLine(line: RequestedLine, axisId: string, theme: Theme): ReferenceLine {
  const { y, stroke = theme.muted, dash = '5 4', label = '' } = line
  return { y, axisId, stroke, dash, label }
}

const unboundedLevel = 1e99

function completeArea(area: RequestedArea, axisId: string, theme: Theme): ReferenceArea {
  const { y1 = -unboundedLevel, y2 = unboundedLevel, fill = theme.muted, opacity = 0.12, label = '' } = area
  return { y1, y2, axisId, fill, opacity, label }
}

function completeVertical({ day, stroke, dash = '2 3', label = '' }: RequestedVertical, theme: Theme): VerticalLine {
  return { day, stroke: stroke ?? theme.frame, dash, label }
}

function writeDates(x: XAxis): string {
  if (x.kind === 'day_offset') return `Dates of the cycle that began on ${formatDay(x.firstDay)}`
  const [first, last] = [x.days[0], x.days.at(-1)]
  if (first === undefined || last === undefined) return ''
  const interval = { day: '', week: 'Weekly, ', month: 'Monthly, ' }[x.interval ?? 'day']
  return `${interval}${formatDay(first)} – ${formatDay(last)}`
}
