import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import type { XPositions } from './marks.ts'
import { formatValue } from './number-format.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { stackSeries } from './stack.ts'
import { readableColor } from './theme.ts'
import type { ValueScale } from './value-scale.ts'

/** A label at the right end of a series: its name, its last value, or both. */
interface EndLabel {
  readonly series: ChartSeries
  readonly text: string
  /** Index of the last value, and its pixel from the top (for a stacked series the middle of its band). */
  readonly entry: number
  readonly end: number
}

export interface EndLabels {
  readonly labels: readonly EndLabel[]
  readonly areNames: boolean
  /** Pixels needed right of the plot. */
  readonly width: number
}

export function layOutEndLabels(
  drawing: Drawing,
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  top: number,
  bottom: number,
): EndLabels {
  const { sizes } = drawing
  const none = { labels: [], areNames: false, width: 0 }
  // Cycles end at different places.
  if (chart.x.kind === 'day_offset' || (chart.labels !== 'direct' && !chart.lastValues)) return none
  const ends = findSeriesEnds(chart, scales)
  const maxLabels = Math.floor((bottom - top) / lineHeight(drawing))
  const isDirect = chart.labels === 'direct' && ends.length <= maxLabels
  if (!isDirect && !chart.lastValues) return none
  const shown = (isDirect ? ends : ends.filter(({ series }) => !series.stacked)).slice(0, maxLabels)
  const room = chart.width * (isDirect ? (chart.height > chart.width ? 0.32 : 0.24) : 0.12)
  const labels = shown.map(({ series, entry, end }) => {
    const { axis, step } = scales.get(series.axisId)!
    const value = chart.lastValues ? formatValue(axis.format, series.values[entry]! * axis.factor, step) : ''
    if (!isDirect) return { series, entry, end, text: shorten(drawing, value, room, sizes.tick, 600) }
    const valueRoom = value === '' ? 0 : measure(drawing, ` ${value}`, sizes.tick, 600)
    const name = shorten(drawing, series.label, room - valueRoom, sizes.tick, 600)
    return { series, entry, end, text: [name, value].filter((part) => part !== '').join(' ') }
  })
  const written = labels.filter(({ text }) => text !== '')
  if (written.length === 0) return none
  const widest = Math.max(...written.map(({ text }) => measure(drawing, text, sizes.tick, 600)))
  return { labels: written, areNames: isDirect, width: widest + labelGap(drawing) + 2 * sizes.scale }
}

export const seriesNamedAtEnd = ({ labels, areNames }: EndLabels): ReadonlySet<ChartSeries> =>
  new Set(areNames ? labels.map(({ series }) => series) : [])

const colorAt = ({ style, values, candles, color, negativeColor }: ChartSeries, entry: number): string => {
  const threshold = style === 'candle' && candles !== undefined ? candles.open[entry]! : 0
  return values[entry]! < threshold ? (negativeColor ?? color) : color
}

const labelGap = ({ sizes }: Drawing): number => 9 * sizes.scale

const lineHeight = ({ sizes }: Drawing): number => sizes.tick * 1.3

function findSeriesEnds(chart: ChartSpecification, scales: ReadonlyMap<string, ValueScale>): Omit<EndLabel, 'text'>[] {
  const bands = new Map(stackSeries(chart.series).map((band) => [band.series, band]))
  // A series that ended long before the last day gets no label.
  const latest = chart.x.days.length - 1 - Math.max(3, Math.floor(chart.x.days.length * 0.02))
  return chart.series.flatMap((series) => {
    if (!series.showInLegend && chart.series.length > 1) return []
    const { position, top, bottom } = scales.get(series.axisId)!
    const entry = series.values.findLastIndex(Number.isFinite)
    if (entry < 0 || entry < latest) return []
    const band = bands.get(series)
    const end = band
      ? (position(band.tops[entry]!) + position(band.bases[entry]!)) / 2
      : position(series.values[entry]!)
    return Number.isFinite(end) ? [{ series, entry, end: Math.min(bottom, Math.max(top, end)) }] : []
  })
}

/** Draws the labels right of the plot without overlap, each connected to the end of its series if it had to be shifted. */
export function drawEndLabels(drawing: Drawing, root: Group, { labels }: EndLabels, plot: Box, x: XPositions): void {
  if (labels.length === 0) return
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'end-labels' })
  const sorted = [...labels].sort((one, other) => one.end - other.end)
  const half = lineHeight(drawing) / 2
  const ends = sorted.map(({ end }) => end)
  const middles = spread(ends, lineHeight(drawing), plot.top + half, plot.bottom - half)
  const left = plot.right + labelGap(drawing)
  sorted.forEach(({ series, text, entry, end }, i) => {
    const middle = middles[i]!
    const color = readableColor(colorAt(series, entry), theme.background)
    if (Math.abs(middle - end) > 1.5 * sizes.scale) {
      appendElement(group, 'path', {
        d: `M${round(plot.right + 1.5 * sizes.scale)},${round(end)}L${round(left - 2.5 * sizes.scale)},${round(middle)}`,
        fill: 'none',
        stroke: series.color,
        'stroke-width': round(0.8 * sizes.scale),
      })
    }
    if (!series.stacked && (series.style === 'line' || series.style === 'area')) {
      appendElement(group, 'circle', {
        class: 'end',
        cx: round(x.positions[entry]!),
        cy: round(end),
        r: round(2.6 * sizes.scale),
        fill: series.color,
      })
    }
    drawText(drawing, group, text, left, middle + sizes.tick * middleToBaseline, {
      size: sizes.tick,
      color,
      weight: 600,
    })
  })
}

/** Moves ascending positions as little as possible so that they are at least `minDistance` apart and within `low` and `high`. */
export function spread(wanted: readonly number[], minDistance: number, low: number, high: number): number[] {
  const places: number[] = []
  for (const place of wanted)
    places.push(Math.max(low, place, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + minDistance))
  let limit = high
  for (let i = places.length - 1; i >= 0 && places[i]! > limit; i--) {
    places[i] = limit
    limit -= minDistance
  }
  return places
}
