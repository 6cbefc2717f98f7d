import { bisectCenter, bisectLeft, sum } from 'd3-array'
import { rgb } from 'd3-color'
import {
  interpolateCividis,
  interpolateInferno,
  interpolateMagma,
  interpolatePlasma,
  interpolateTurbo,
  interpolateViridis,
} from 'd3-scale-chromatic'
import type { ColorScaleName } from '#contract/chart-words.ts'
import type { Drawing, Group } from './drawing.ts'
import type { Heatmap } from './specification.ts'
import type { ValueScale } from './value-scale.ts'

const interpolators: Record<ColorScaleName, (part: number) => string> = {
  viridis: interpolateViridis,
  plasma: interpolatePlasma,
  inferno: interpolateInferno,
  magma: interpolateMagma,
  turbo: interpolateTurbo,
  cividis: interpolateCividis,
}

/** A heatmap resampled to the pixels of its zone, `ratio` × `ratio` of them to one of the picture. */
export interface HeatmapRaster {
  readonly ratio: number
  readonly width: number
  readonly height: number
  /**
   * Mean value of the cells under each pixel, row by row from the top; NaN or zero is blank. Zero between others is next to
   * nothing instead: the dark of the colour scale, not a hole in the picture.
   */
  readonly means: Float64Array
}

/** The value shown in the last colour: greater ones look the same. Only bins that meet the axis' domain count. */
export function findColorMaximum(
  { binLower, binUpper, values }: Heatmap,
  [low, high]: readonly [number, number],
): number {
  const bins = binLower.length
  const every = Math.ceil(values.length / 200_000)
  const shown = new Float64Array(Math.ceil(values.length / every))
  let count = 0
  for (let i = 0; i < values.length; i += every) {
    const bin = i % bins
    if (values[i]! > 0 && binUpper[bin]! > low && binLower[bin]! < high) shown[count++] = values[i]!
  }
  // A few towering cells (an exchange's cold wallet) would leave everything else in the first colours.
  return shown.subarray(0, count).sort()[Math.ceil(0.995 * (count - 1))] ?? 1
}

/**
 * Resamples to the plot's pixels, `width` of the picture wide. `dayAt` gives the (fractional) unix day at a distance in
 * pixels from the plot's left edge.
 */
export function resampleHeatmap(
  { binLower, binUpper, values }: Heatmap,
  days: Int32Array,
  scale: ValueScale,
  plotWidth: number,
  ratio: number,
  dayAt: (pixel: number) => number,
): HeatmapRaster {
  const width = plotWidth * ratio
  const height = Math.round(scale.bottom - scale.top) * ratio
  const bins = binLower.length
  const rows = overlapBins(binLower, binUpper, scale, height, ratio)
  const means = new Float64Array(width * height).fill(Number.NaN)
  const mean = new Float64Array(bins)
  const spacing = days.length > 1 ? (days.at(-1)! - days[0]!) / (days.length - 1) : 1
  for (let column = 0; column < width; column++) {
    const [first, last] = findDaysBetween(days, dayAt(column / ratio), dayAt((column + 1) / ratio), spacing)
    if (first > last) continue
    mean.fill(0)
    for (let day = first; day <= last; day++) {
      for (let bin = 0; bin < bins; bin++) {
        const value = values[day * bins + bin]!
        if (value > 0) mean[bin] = mean[bin]! + value / (last - first + 1)
      }
    }
    let lastFilledRow = height
    rows.forEach(({ start, weights }, row) => {
      let sum = 0
      for (let i = 0; i < weights.length; i++) sum += weights[i]! * mean[start + i]!
      if (weights.length > 0) means[row * width + column] = sum
      if (sum === 0) return
      for (let hole = lastFilledRow + 1; hole < row; hole++) means[hole * width + column] = Number.MIN_VALUE
      lastFilledRow = row
    })
  }
  return { ratio, width, height, means }
}

/** Entries of `days` between two instants, or the one nearest to their middle if none lies between them. */
function findDaysBetween(days: Int32Array, from: number, to: number, spacing: number): [number, number] {
  const first = bisectLeft(days, from)
  const last = bisectLeft(days, to) - 1
  if (first <= last) return [first, last]
  const middle = (from + to) / 2
  const near = bisectCenter(days, middle)
  return Math.abs(days[near]! - middle) <= Math.max(0.5, spacing * 0.75) ? [near, near] : [0, -1]
}

interface RowBins {
  readonly start: number
  /** Share of the pixel row that each bin from `start` on covers. */
  readonly weights: Float64Array
}

function overlapBins(
  binLower: Float64Array,
  binUpper: Float64Array,
  scale: ValueScale,
  height: number,
  ratio: number,
): RowBins[] {
  // A log axis has no place for a lower edge of zero: such a bin reaches to the end of the axis.
  const edge = (value: number) => Math.min(scale.bottom, Math.max(scale.top, clampedPosition(scale, value)))
  const tops = binUpper.map(edge)
  const bottoms = binLower.map(edge)
  return Array.from({ length: height }, (_, row) => {
    const top = scale.top + row / ratio
    const bottom = top + 1 / ratio
    let start = 0
    while (start < tops.length && tops[start]! >= bottom) start++
    let end = start
    while (end < tops.length && bottoms[end]! > top) end++
    const covered = Float64Array.from({ length: end - start }, (_, i) => {
      return Math.max(0, Math.min(bottom, bottoms[start + i]!) - Math.max(top, tops[start + i]!))
    })
    const total = sum(covered)
    return { start, weights: total > 0 ? covered.map((part) => part / total) : new Float64Array(0) }
  })
}

function clampedPosition(scale: ValueScale, value: number): number {
  const position = scale.position(value)
  return Number.isNaN(position) ? scale.bottom : position
}

/** Colour index of a value: 0 is blank, 1..255 the colour scale. The root spreads the many small values. */
export function colorIndex(value: number, greatest: number): number {
  return value > 0 ? 1 + Math.round(254 * colorPosition(value, greatest)) : 0
}

/** How far along the colour scale a value lies, 0..1. */
export function colorPosition(value: number, greatest: number): number {
  return Math.sqrt(Math.min(1, value / greatest))
}

export function colorPalette(name: ColorScaleName): string[] {
  return Array.from({ length: 256 }, (_, i) => rgb(interpolators[name](Math.max(0, i - 1) / 254)).formatHex())
}

/** Draws the raster with its upper left corner at the given pixel. */
export function drawHeatmap(
  { platform }: Drawing,
  parent: Group,
  { id, colorScale }: Heatmap,
  { ratio, width, height, means }: HeatmapRaster,
  greatest: number,
  left: number,
  top: number,
): void {
  // A callback for each pixel, as Uint8Array.from has it, takes longer than all else of the picture.
  const pixels = new Uint8Array(means.length)
  for (let i = 0; i < means.length; i++) pixels[i] = colorIndex(means[i]!, greatest)
  parent
    .append('image')
    .attr('class', 'heatmap')
    .attr('data-id', id)
    .attr('x', left)
    .attr('y', top)
    .attr('width', width / ratio)
    .attr('height', height / ratio)
    .attr('preserveAspectRatio', 'none')
    .attr('href', platform.imageAddress({ width, height, palette: colorPalette(colorScale), pixels }))
}
