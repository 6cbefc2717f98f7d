import { mixColors } from './color.ts'
import type { Domain } from './domain.ts'
import type { Platform } from './drawing.ts'
import { colorPalette, colorPosition, findColorMaximum } from './heatmap.ts'
import type { AxisFormat, ChartSpecification } from './specification.ts'
import { falling, rising, themes } from './theme.ts'

/** The colours of values. Values beyond `low` and `high` have the colour of the nearer end. */
export interface ColorRange {
  readonly low: number
  readonly high: number
  /** 256 colours; the first is of blank pixels. */
  readonly palette: readonly string[]
  /** Position of a value between the colours, 0..1. */
  readonly part: (value: number) => number
  readonly color: (value: number) => string
  readonly format: AxisFormat
  readonly factor: number
  readonly title: string
}

/** Cells of one colour are drawn together, so there are fewer colours than in `palette`. */
const colorStep = 6

/**
 * Range of the only colours of a chart: those of its heatmap, of its rows of cells, or of its
 * coloured lines.
 */
export function findColorRange(
  { heatmap, series, axes, theme: name }: ChartSpecification,
  domains: ReadonlyMap<string, Domain>,
  platform: Platform,
): ColorRange | undefined {
  const theme = themes[name]
  const cells = series.filter(({ style }) => style === 'heatmap')
  const { axisId, colorBy, colorScale } = cells[0] ?? series.find((one) => one.colorBy) ?? {}
  const createRange = (range: Omit<ColorRange, 'color'>): ColorRange => ({
    ...range,
    color: (value) => range.palette[1 + colorStep * Math.round((254 / colorStep) * range.part(value))]!,
  })
  if (heatmap) {
    const high = findColorMaximum(heatmap, domains.get(heatmap.axisId)!.domain)
    const title = heatmap.unit === '' ? heatmap.label : `${heatmap.label} (${heatmap.unit})`
    const part = (value: number) => colorPosition(value, high)
    const palette = colorPalette(platform, heatmap.colorScale)
    return createRange({ low: 0, high, palette, part, format: 'number', factor: 1, title })
  }
  if (axisId === undefined) return undefined
  const columns = colorBy ? [colorBy.values] : cells.map(({ values }) => values)
  const known = Float64Array.from(columns.flatMap((values) => [...values].filter(Number.isFinite))).sort()
  // Most of a line is between its few extremes, so they do not determine its colours.
  const tail = colorBy ? 0.05 : 0.01
  const [from, to] = [tail, 1 - tail].map((share) => known[Math.round(share * (known.length - 1))] ?? 0) as [
    number,
    number,
  ]
  const isDiverging = from < 0 && to > 0
  const high = isDiverging ? Math.max(-from, to) : to > from ? to : from + 1
  const low = isDiverging ? -high : from
  const neutral = colorBy ? theme.muted : theme.grid
  const diverging = (_: unknown, i: number) => mixColors(neutral, i < 128 ? falling : rising, Math.abs(i - 128) / 127)
  // Lines need more contrast with the background than cells.
  const palette = isDiverging
    ? Array.from({ length: 256 }, diverging)
    : colorPalette(
        platform,
        colorScale ?? (colorBy ? 'plasma' : 'viridis'),
        colorBy ? [theme.ribbon[1], theme.ribbon[0]] : [0, 1],
      )
  const { format, factor, title } = colorBy ?? axes.find(({ id }) => id === axisId)!
  const part = (value: number) => Math.min(1, Math.max(0, (value - low) / (high - low)))
  return createRange({ low, high, palette, part, format, factor, title })
}
