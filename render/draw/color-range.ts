import { quantile } from 'd3-array'
import { rgb } from 'd3-color'
import { interpolateNumber, interpolateRgb, piecewise, quantize } from 'd3-interpolate'
import {
  interpolateCividis,
  interpolateInferno,
  interpolateMagma,
  interpolateTurbo,
  interpolateViridis,
} from 'd3-scale-chromatic'
import type { ColorScaleName } from '#contract/chart-options.ts'
import { readableColor } from './color.ts'
import type { Domain } from './domain.ts'
import { interpolatePlasma } from './plasma.ts'
import type { AxisFormat, ChartSpecification, Heatmap } from './specification.ts'
import { falling, rising, themes } from './theme.ts'

/** Values beyond `low` and `high` have the nearer end's colour. */
export interface ColorRange {
  readonly low: number
  readonly high: number
  /** 256 colours; the first is of blank pixels. */
  readonly palette: readonly string[]
  /** Position between the colours, 0..1. */
  readonly part: (value: number) => number
  readonly color: (value: number) => string
  readonly format: AxisFormat
  readonly factor: number
  readonly title: string
}

const colorScales: Readonly<Record<ColorScaleName, (part: number) => string>> = {
  viridis: interpolateViridis,
  plasma: interpolatePlasma,
  inferno: interpolateInferno,
  magma: interpolateMagma,
  turbo: interpolateTurbo,
  cividis: interpolateCividis,
}

/** Cells of one colour are drawn together: fewer colours than in `palette`. */
const colorStep = 6

/** Range of a chart's only colours: of its heatmap, rows of cells, or coloured lines. */
export function findColorRange(
  { heatmap, series, axes, theme: name }: ChartSpecification,
  domains: ReadonlyMap<string, Domain>,
): ColorRange | undefined {
  const theme = themes[name]
  const createRange = (
    interpolate: (part: number) => string,
    range: Omit<ColorRange, 'color' | 'palette'>,
  ): ColorRange => {
    const colors = quantize((part) => rgb(interpolate(part)).formatHex(), 255)
    const palette = [colors[0]!, ...colors]
    const color = (value: number) => palette[1 + colorStep * Math.round((254 / colorStep) * range.part(value))]!
    return { ...range, palette, color }
  }
  if (heatmap) {
    const high = findColorMaximum(heatmap, domains.get(heatmap.axisId)!.domain)
    const title = heatmap.unit === '' ? heatmap.label : `${heatmap.label} (${heatmap.unit})`
    // The square root spreads the many small values. A d3 scale is ten times slower per pixel.
    const part = (value: number) => Math.sqrt(Math.min(1, value / high))
    return createRange(colorScales[heatmap.colorScale], { low: 0, high, part, format: 'number', factor: 1, title })
  }
  const cells = series.filter(({ style }) => style === 'heatmap')
  const first = cells[0] ?? series.find((one) => one.colorBy)
  if (first === undefined) return undefined
  const { axisId, colorBy, colorScale } = first
  const columns = colorBy ? [colorBy.values] : cells.map(({ values }) => values)
  const known = columns.flatMap((values) => [...values].filter(Number.isFinite))
  // A line's few extremes do not determine its colours.
  const tail = colorBy ? 0.05 : 0.01
  const [from, to] = [quantile(known, tail) ?? 0, quantile(known, 1 - tail) ?? 0]
  const isDiverging = from < 0 && to > 0
  const high = isDiverging ? Math.max(-from, to) : to > from ? to : from + 1
  const low = isDiverging ? -high : from
  const part = (value: number) => Math.min(1, Math.max(0, (value - low) / (high - low)))
  const { format, factor, title } = colorBy ?? axes.find(({ id }) => id === axisId)!
  const range = { low, high, part, format, factor, title }
  if (isDiverging) {
    return createRange(piecewise(interpolateRgb, [falling, colorBy ? theme.muted : theme.grid, rising]), range)
  }
  const scale = colorScales[colorScale ?? (colorBy ? 'plasma' : 'viridis')]
  // Lines need more contrast with the background than cells.
  return createRange(
    colorBy
      ? (part) => readableColor(scale(interpolateNumber(theme.ribbon[1], theme.ribbon[0])(part)), theme.background, 3)
      : scale,
    range,
  )
}

/**
 * Values from here on have the last colour: the 99.5th percentile of bins within the axis' domain.
 * A few extreme cells (an exchange's cold wallet) would leave the rest in the first colours.
 */
function findColorMaximum({ binLower, binUpper, values }: Heatmap, [low, high]: readonly [number, number]): number {
  const bins = binLower.length
  const every = Math.ceil(values.length / 200_000)
  const shown = new Float64Array(Math.ceil(values.length / every))
  let count = 0
  for (let i = 0; i < values.length; i += every) {
    const bin = i % bins
    if (values[i]! > 0 && binUpper[bin]! > low && binLower[bin]! < high) shown[count++] = values[i]!
  }
  return shown.subarray(0, count).sort()[Math.ceil(0.995 * (count - 1))] ?? 1
}
