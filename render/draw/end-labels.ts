import { readableColor } from './color.ts'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { formatValue } from './number-format.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { stackSeries } from './stack.ts'
import type { ValueScale } from './value-scale.ts'

export interface EndContent {
  readonly names: boolean
  readonly values: boolean
}

interface EndLabel {
  readonly series: ChartSeries
  readonly name: string
  readonly value: string
  /** Index of the last value, and its pixel from the top (if stacked, its band's middle). */
  readonly entry: number
  readonly end: number
}

export interface EndLabels {
  readonly labels: readonly EndLabel[]
  readonly content: EndContent
  /** Pixels right of the plot and its axes. */
  readonly width: number
}

const nothing: EndContent = { names: false, values: false }

/** Requested contents of the labels, then shorter ones in case the plot gets too narrow. */
export function listEndContents({ x, labels, lastValues: values }: ChartSpecification): EndContent[] {
  // Cycles end at different places.
  if (x.kind === 'day_offset') return [nothing]
  const named =
    labels === 'direct' ? [{ names: true, values }, ...(values ? [{ names: true, values: false }] : [])] : []
  return [...named, ...(values ? [{ names: false, values }] : []), nothing]
}

/** Without room for all named series between `top` and `bottom`, returns no labels. */
export function layOutEndLabels(
  drawing: Drawing,
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  top: number,
  bottom: number,
  content: EndContent,
): EndLabels {
  const { sizes } = drawing
  const none = { labels: [], content, width: 0 }
  if (!content.names && !content.values) return none
  const ends = findSeriesEnds(chart, scales)
  const maxLabels = Math.floor((bottom - top) / lineHeight(drawing))
  if (content.names && ends.length > maxLabels) return none
  const shown = (content.names ? ends : ends.filter(({ series }) => !series.stacked)).slice(0, maxLabels)
  const room = chart.width * (content.names ? 0.24 : 0.12)
  const labels = shown.map((end) => {
    const { series, entry } = end
    const value = content.values ? writeLastValue(series, entry, scales) : ''
    if (!content.names) return { ...end, name: '', value: shorten(drawing, value, room, sizes.tick) }
    const valueRoom = value === '' ? 0 : valueGap(drawing) + measure(drawing, value, sizes.tick)
    return { ...end, name: shorten(drawing, series.label, room - valueRoom, sizes.tick, 600), value }
  })
  const written = labels.filter(({ name, value }) => name !== '' || value !== '')
  if (written.length === 0) return none
  const widest = Math.max(
    ...written.map(({ name, value }) => nameWidth(drawing, name) + measure(drawing, value, sizes.tick)),
  )
  return { labels: written, content, width: widest + labelGap(drawing) + 2 * sizes.scale }
}

/** Last values of series that reach the chart's end, for a legend. */
export const listLastValues = (
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
): ReadonlyMap<ChartSeries, string> =>
  new Map(
    findSeriesEnds(chart, scales)
      .filter(({ series }) => !series.stacked)
      .map(({ series, entry }) => [series, writeLastValue(series, entry, scales)]),
  )

function writeLastValue(series: ChartSeries, entry: number, scales: ReadonlyMap<string, ValueScale>): string {
  const { axis, step } = scales.get(series.axisId)!
  return formatValue(axis.format, series.values[entry]! * axis.factor, step)
}

/** Between name and value. */
const valueGap = ({ sizes }: Drawing): number => 0.45 * sizes.tick

const nameWidth = (drawing: Drawing, name: string): number =>
  name === '' ? 0 : measure(drawing, name, drawing.sizes.tick, 600) + valueGap(drawing)

const colorAt = ({ style, values, candles, color, negativeColor }: ChartSeries, entry: number): string => {
  const threshold = style === 'candle' && candles !== undefined ? candles.open[entry]! : 0
  return values[entry]! < threshold ? (negativeColor ?? color) : color
}

const labelGap = ({ sizes }: Drawing): number => 9 * sizes.scale

const lineHeight = ({ sizes }: Drawing): number => sizes.tick * 1.3

function findSeriesEnds(
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
): Omit<EndLabel, 'name' | 'value'>[] {
  const bands = new Map(stackSeries(chart.series).flatMap(({ bands }) => bands.map((band) => [band.series, band])))
  // Series that ended long before the last day get no label.
  const latest = chart.x.days.length - 1 - Math.max(3, Math.floor(chart.x.days.length * 0.02))
  return chart.series.flatMap((series) => {
    if (series.style === 'heatmap' || (!series.showInLegend && chart.series.length > 1)) return []
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

/**
 * Draws labels from pixel `from` on without overlap, connecting shifted ones to their series'
 * height.
 */
export function drawEndLabels(
  drawing: Drawing,
  root: Group,
  { labels }: EndLabels,
  plot: Box,
  from: number,
  positionOf: (entry: number) => number,
): void {
  if (labels.length === 0) return
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'end-labels' })
  const sorted = [...labels].sort((one, other) => one.end - other.end)
  const half = lineHeight(drawing) / 2
  const ends = sorted.map(({ end }) => end)
  const middles = spread(ends, lineHeight(drawing), plot.top + half, plot.bottom - half)
  const left = from + labelGap(drawing)
  sorted.forEach(({ series, name, value, entry, end }, i) => {
    const middle = middles[i]!
    const color = readableColor(colorAt(series, entry), theme.background)
    if (Math.abs(middle - end) > 1.5 * sizes.scale) {
      appendElement(group, 'path', {
        d: `M${round(from + 1.5 * sizes.scale)},${round(end)}L${round(left - 2.5 * sizes.scale)},${round(middle)}`,
        fill: 'none',
        stroke: series.color,
        'stroke-width': round(0.8 * sizes.scale),
      })
    }
    if (!series.stacked && !['bar', 'candle'].includes(series.style)) {
      appendElement(group, 'circle', {
        class: 'end',
        cx: round(positionOf(entry)),
        cy: round(end),
        r: round(2.6 * sizes.scale),
        fill: series.color,
      })
    }
    const baseline = middle + sizes.tick * middleToBaseline
    drawText(drawing, group, name, left, baseline, { size: sizes.tick, color, weight: 600 })
    drawText(drawing, group, value, left + nameWidth(drawing, name), baseline, { size: sizes.tick, color })
  })
}

/** Moves ascending positions minimally to be `minDistance` apart and within `low` and `high`. */
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
