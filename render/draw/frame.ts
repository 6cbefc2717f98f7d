import { bisectCenter, min } from 'd3-array'
import type { AxisColumn } from './axes.ts'
import type { Box } from './drawing.ts'
import type { XPositions } from './marks.ts'
import type { ChartSeries, ChartSpecification, Days } from './specification.ts'
import { stackSeries } from './stack.ts'
import { placedDays } from './unfinished.ts'
import { createScale, type ValueScale } from './value-scale.ts'

/** Layout in picture pixels, for a page's crosshair and brush. */
export interface ChartFrame {
  readonly plot: Box
  readonly days: DayScale
  readonly scales: readonly ValueScale[]
  readonly series: readonly SeriesFrame[]
  /** Strips of tick labels, each side from the plot outwards. */
  readonly columns: readonly PlacedColumn[]
}

export interface PlacedColumn extends AxisColumn {
  readonly left: number
  readonly right: number
}

export function placeColumns(columns: readonly AxisColumn[], plot: Pick<Box, 'left' | 'right'>): PlacedColumn[] {
  const edges = { left: plot.left, right: plot.right }
  return columns.map((column) => {
    const { side, width } = column
    const inner = edges[side]
    edges[side] += side === 'left' ? -width : width
    return { ...column, left: Math.min(inner, edges[side]), right: Math.max(inner, edges[side]) }
  })
}

/** Pixel of a unix day. */
export type DayPosition = (day: number) => number

/** Maps unix days (fractions allowed) to pixels across the plot. */
export interface DayScale {
  readonly position: DayPosition
  readonly day: (position: number) => number
  readonly nearest: (position: number) => number
}

export interface SeriesFrame {
  readonly series: ChartSeries
  readonly scale: ValueScale
  /** Pixel of a column entry (stacked: its upper edge); NaN if not drawn. */
  readonly position: (entry: number) => number
}

/** Minimum days between neighbours: 1, weeks 7, months 28, hours and blocks fractions. */
const minDayGap = (days: Days): number => min(days, (day, i) => (i === 0 ? undefined : day - days[i - 1]!)) ?? 1

/**
 * Bars, candles and heatmap cells are centred on their day: half of their width is padding at both
 * ends.
 */
export function createDayScale(
  { x, series, heatmap }: ChartSpecification,
  { left, right }: Box,
  span?: readonly [from: number, to: number],
): DayScale {
  const days = placedDays(x)
  const end = days.at(-1) ?? 0
  // An unfinished week or month is placed after its last day.
  const [first, last] = span ? [span[0], Math.max(span[1], end)] : [days[0] ?? 0, end]
  const needsPadding =
    first === last || heatmap !== undefined || series.some(({ style }) => ['bar', 'candle', 'heatmap'].includes(style))
  const padding = needsPadding ? minDayGap(days) / 2 : 0
  const position = createScale('linear', [first - padding, last + padding], [left, right])
  return { position, day: position.invert, nearest: (pixel) => bisectCenter(days, position.invert(pixel)) }
}

export function createSeriesFrames(
  { series }: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
): readonly SeriesFrame[] {
  const tops = new Map(stackSeries(series).flatMap(({ bands }) => bands.map((band) => [band.series, band.tops])))
  const rows = series.filter(({ style }) => style === 'heatmap')
  return series.map((one) => {
    const scale = scales.get(one.axisId)!
    const height = scale.position(rows.length - rows.indexOf(one) - 0.5)
    if (rows.includes(one)) return { series: one, scale, position: () => height }
    const values = tops.get(one) ?? one.values
    return { series: one, scale, position: (entry) => scale.position(values[entry] ?? Number.NaN) }
  })
}

/** During a gesture, entries may be beyond the plot. */
export function createXPositions(
  { x }: ChartSpecification,
  { left, right }: Box,
  days: Pick<DayScale, 'position'>,
): XPositions {
  const placed = placedDays(x)
  return {
    positions: Float64Array.from(placed).map(days.position),
    left,
    right,
    spacing: days.position(minDayGap(placed)) - days.position(0),
  }
}
