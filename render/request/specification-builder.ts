import { chartDefaults, ownAxes } from '#contract/chart-options.ts'
import { priceDimension } from '#contract/metric-kinds.ts'
import { formatDay } from '../draw/calendar.ts'
import { isDrawable } from '../draw/domain.ts'
import type {
  ChartSeries,
  ChartSpecification,
  Heatmap,
  ReferenceArea,
  ReferenceLine,
  ValueAxis,
  XAxis,
} from '../draw/specification.ts'
import { falling, type Theme, themes } from '../draw/theme.ts'
import { assignAxes, firstAxis, isSide, isUnnamed } from './axis-assignment.ts'
import { completeAxis, describeFallback } from './axis-defaults.ts'
import { findCrossings } from './crossings.ts'
import { indexUnit, shareStacks } from './normalize.ts'
import type { ChartRequest, RequestedArea, RequestedHeatmap, RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'
import { chooseColors } from './series-colors.ts'
import { markBeginnings } from './stack-beginnings.ts'

/**
 * Completes a request with defaults: light theme, 1200×600, price in its colour on the right, one
 * axis per dimension, grey for an axis of several series. Throws `invalid_argument` for an unknown
 * axis.
 */
export function buildSpecification(request: ChartRequest): ChartSpecification {
  const { title, subtitle = '', x, monthGrid, brand, source, theme: themeName = chartDefaults.theme } = request
  const { width = chartDefaults.width, height = chartDefaults.height } = request
  const theme = themes[themeName]
  const requested = withOverlay(request.normalized ? { ...request, series: shareStacks(request.series) } : request)
  const colors = chooseColors(requested, theme)
  const shown = requested.length + (request.heatmap ? 1 : 0)
  const isBar = ({ style, stacked }: RequestedSeries) => style === 'bar' && !stacked
  const completed = (places: readonly string[]) => {
    // Bars of one axis would hide those of another.
    const isOver = new Set(places.filter((_, i) => isBar(requested[i]!))).size > 1
    return requested.map((one, i) => {
      const shade = isOver && isBar(one) ? { opacity: 0.6, ...one } : one
      return completeSeries(shade, shown, places[i]!, colors[i]!)
    })
  }
  const chosen = assignAxes(request, requested)
  const places = describedPlaces(request, chosen, completed(chosen))
  const series = completed(places)
  const drawn = new Set([...(request.heatmap ? [ownAxes.heatmap] : []), ...places])
  const sideOf = (id: string) => completeAxis(id, request, series).side
  /** The id of a side means its first axis. */
  const placeOf = (id: string | undefined): string => {
    const [first = ''] = drawn
    if (id === undefined) return first
    return (isSide(id) && !drawn.has(id) && [...drawn].find((axis) => sideOf(axis) === id)) || id
  }
  const referenceLines = (request.referenceLines ?? []).map(
    ({ y, y_axis_id, stroke = theme.muted, stroke_dasharray: dash = '5 4', label = '' }): ReferenceLine => ({
      y,
      stroke,
      dash,
      label,
      axisId: placeOf(y_axis_id),
    }),
  )
  const referenceAreas = (request.referenceAreas ?? []).map((area) =>
    completeArea(area, placeOf(area.y_axis_id), theme),
  )
  requireOneColorRange(request, series)
  const ids = new Set([...drawn, ...[...referenceLines, ...referenceAreas].map(({ axisId }) => axisId)])
  const axes = [...ids].filter((id) => id !== '').map((id) => completeAxis(id, request, series))
  return {
    title,
    subtitle,
    theme: themeName,
    width,
    height,
    pixelRatio: request.pixel_ratio ?? chartDefaults.pixelRatio,
    textScale: request.text_scale ?? chartDefaults.textScale,
    x,
    axes,
    series,
    referenceLines,
    referenceAreas,
    verticals: [...(request.verticals ?? []), ...markBeginnings(series, x)].map(
      ({ day, stroke = theme.frame, stroke_dasharray: dash = '2 3', label = '' }) => ({ day, stroke, dash, label }),
    ),
    heatmap: request.heatmap && completeHeatmap(request.heatmap),
    monthGrid,
    crossings: request.crossings?.flatMap((one) => findCrossings(one, series, x)),
    labels: request.labels ?? chartDefaults.labels,
    lastValues: request.last_values ?? chartDefaults.lastValues,
    brand,
    remarks: [
      ...(request.remarks ?? []),
      ...series.flatMap(describeOverflow),
      ...axes.flatMap((axis) => [...describeFallback(axis, request, series), ...describeFlatLines(axis, series)]),
      ...unusedParts(request, ids),
    ],
    source,
    dateLine: writeDates(x),
  }
}

/** Axis options with only a side, or no id, apply to the series there by default. */
function describedPlaces(
  request: ChartRequest,
  places: readonly string[],
  series: readonly ChartSeries[],
): readonly string[] {
  const described = new Set(request.axes?.map(({ id }) => id))
  if (!['left', 'right', firstAxis].some((id) => described.has(id))) return places
  const names = new Map<string, string>()
  for (const place of new Set(places)) {
    if (!isUnnamed(place) && place !== ownAxes.price) continue
    const { side } = completeAxis(place, request, series)
    const name = described.has(side) ? side : place === places[0] && described.has(firstAxis) ? firstAxis : place
    // Another dimension on that side keeps its own axis.
    if (![...names.values()].includes(name)) names.set(place, name)
  }
  return places.map((place) => names.get(place) ?? place)
}

/**
 * Throws `ChartRequestError` unless all colours of values have one legend, and all rows of cells
 * one dimension.
 */
function requireOneColorRange({ heatmap, series: requested }: ChartRequest, series: readonly ChartSeries[]): void {
  const rows = requested.filter(({ style }) => style === 'heatmap')
  const colored = series.filter(({ colorBy }) => colorBy)
  const dimensions = [...new Set(rows.map(({ dimension, unit }) => dimension ?? unit))]
  const axes = new Set(series.filter(({ style }) => style === 'heatmap').map(({ axisId }) => axisId))
  const fault =
    (heatmap ? 1 : 0) + Math.min(1, rows.length) + colored.length > 1
      ? 'a chart has one legend of colours: give one heatmap, the rows of one (style heatmap), or color_by of one series'
      : dimensions.length > 1 || axes.size > 1
        ? `rows of a heatmap have one dimension and one axis, and these have ${dimensions.join(', ')}: leave some out, or use normalize`
        : series.some(({ axisId, style }) => axes.has(axisId) && style !== 'heatmap')
          ? 'rows of a heatmap need an axis of their own: give the other series another y_axis_id'
          : colored.some(({ style, stacked }) => stacked || !['line', 'step'].includes(style))
            ? 'color_by colours lines and steps: give the series style line or step, and do not stack it'
            : undefined
  if (fault !== undefined) throw new ChartRequestError('invalid_parameter', fault, { parameter: 'style' })
}

/** Axes without series and references, and domain ends impossible on a log axis. */
function unusedParts({ axes = [] }: ChartRequest, used: ReadonlySet<string>): string[] {
  return axes.flatMap(({ id, scale, domain_min = 1, domain_max = 1 }) => {
    if (!used.has(id)) return [`the axis "${id}" is used by no series and no reference`]
    const below = scale === 'log' && (domain_min <= 0 || domain_max <= 0)
    return below ? [`an end of the axis "${id}" is zero or less, which a logarithmic axis does not reach`] : []
  })
}

/** Throws `ChartRequestError` if all values are too large or too small to draw. */
function describeOverflow({ label, unit, values }: ChartSeries): string[] {
  let [known, lost] = [0, 0]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    known++
    if (!isDrawable(value)) lost++
  }
  if (known === 0) {
    return [`${label} has no values here${unit === indexUnit ? ': an index begins above zero' : ''}`]
  }
  if (lost === 0) return []
  const limits = 'beyond 1e100 or closer to zero than 1e-100'
  if (lost < known) return [`${lost} values of ${label} are left out: they are ${limits}`]
  const message = `no value of ${label} can be drawn: all are ${limits}; divide or multiply its formula`
  throw new ChartRequestError('invalid_parameter', message, { parameter: 'formulas' })
}

/** On a linear axis, a line this much smaller than another is flat. */
const maxSizeRatio = 20

/** Names lines that lie flat because others on their linear axis are many times larger. */
function describeFlatLines({ id, scale, rows }: ValueAxis, series: readonly ChartSeries[]): string[] {
  const own = series.filter(({ axisId, stacked }) => axisId === id && !stacked)
  if (scale === 'log' || rows || own.length < 2) return []
  const sizes = own.map(({ values }) => robustSize(values))
  const largest = Math.max(...sizes)
  const flat = own.filter((_, i) => sizes[i]! > 0 && sizes[i]! * maxSizeRatio < largest)
  if (flat.length === 0) return []
  const [names, beside] = [flat.map(({ label }) => label).join(', '), own[sizes.indexOf(largest)]!.label]
  return [`${names}: flat beside ${beside} on one axis; y_axis_id (GET: axes) gives it an axis of its own`]
}

/** Largest absolute value without the extreme twentieth at either end. */
function robustSize(values: Float64Array): number {
  const sorted = values.filter(Number.isFinite).sort()
  const at = (share: number) => Math.abs(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return Math.max(at(0.05), at(0.95))
}

function withOverlay({ series, priceOverlay, width = chartDefaults.width }: ChartRequest): readonly RequestedSeries[] {
  if (priceOverlay === undefined || series.some(({ id }) => id === 'price')) return series
  const overSurface = series.some(({ stacked }) => stacked) || series.every(({ style }) => style === 'bar')
  // With more days than pixels, a volatile line's dashes would be dots.
  const isDense = priceOverlay.length > width
  const dashed = (dash: string) => (isDense ? {} : { dash })
  return [
    ...series,
    {
      id: 'price',
      label: 'Price',
      unit: 'USD',
      dimension: priceDimension,
      values: priceOverlay,
      y_axis_id: ownAxes.price,
      ...(overSurface ? { ...dashed('8 3'), line_width: 1.6 } : { ...dashed('4 3'), line_width: 1.1, opacity: 0.6 }),
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
    negativeColor: series.negative_color ?? (series.style === 'candle' ? falling : undefined),
    lineWidth: series.line_width ?? (count > 4 ? 1.4 : 1.7),
    dash: series.dash,
    opacity: series.opacity ?? 1,
    axisId,
    // The title names a single series, unless over a heatmap.
    showInLegend: series.show_in_legend ?? count > 1,
    stacked: (series.stacked ?? false) && series.style !== 'heatmap',
    colorScale: series.color_scale,
    colorBy: series.colorBy,
    values: series.values,
    candles: series.style === 'candle' ? series.candles : undefined,
    cycleStart: series.cycleStart,
  }
}

const unboundedLevel = 1e99

function completeArea(area: RequestedArea, axisId: string, theme: Theme): ReferenceArea {
  const { y1 = -unboundedLevel, y2 = unboundedLevel, fill = theme.muted, fill_opacity = 0.12, label = '' } = area
  return { y1, y2, axisId, fill, opacity: fill_opacity, label }
}

function completeHeatmap({ color_scale, y_scale: _, y_min: __, y_max: ___, ...cells }: RequestedHeatmap): Heatmap {
  return { ...cells, axisId: ownAxes.heatmap, colorScale: color_scale ?? chartDefaults.colorScale }
}

function writeDates(x: XAxis): string {
  if (x.kind === 'day_offset')
    return x.countsDays ? 'Days since each cycle began' : `Dates of the cycle that began on ${formatDay(x.firstDay)}`
  if (x.kind === 'bins') return formatDay(x.day)
  const [first, last] = [x.days[0], x.days.at(-1)]
  if (first === undefined || last === undefined) return ''
  const interval = {
    block: 'Blocks, ',
    hour: 'Hourly, ',
    day: '',
    week: 'Weekly, ',
    month: 'Monthly, ',
    year: 'Yearly, ',
  }[x.interval ?? 'day']
  return `${interval}${formatDay(first)} – ${formatDay(last)}`
}
