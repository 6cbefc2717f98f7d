import { bisectCenter, bisectLeft, sum } from 'd3-array'
import type { ColorRange } from './color-range.ts'
import { appendElement, type Drawing, type Group } from './drawing.ts'
import type { Days, Heatmap } from './specification.ts'
import type { ValueScale } from './value-scale.ts'

/** Heatmap resampled to its zone's pixels: `ratio` × `ratio` raster pixels per picture pixel. */
export interface HeatmapRaster {
  readonly ratio: number
  readonly width: number
  readonly height: number
  /**
   * Mean of the cells under each pixel, row by row from the top; NaN or zero is blank. Zeros
   * between filled cells of a column are `Number.MIN_VALUE`: the darkest colour, instead of a hole.
   */
  readonly means: Float64Array
}

/** `dayAt`: fractional unix day at a pixel distance from the plot's left edge. */
export function resampleHeatmap(
  { binLower, binUpper, values }: Heatmap,
  days: Days,
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

/** First and last entry of `days` between two instants; without any, the nearest entry. */
function findDaysBetween(days: Days, from: number, to: number, spacing: number): [number, number] {
  const first = bisectLeft(days, from)
  const last = bisectLeft(days, to) - 1
  if (first <= last) return [first, last]
  const middle = (from + to) / 2
  const near = bisectCenter(days, middle)
  return Math.abs(days[near]! - middle) <= Math.max(0.5, spacing * 0.75) ? [near, near] : [0, -1]
}

interface RowBins {
  readonly start: number
  /** Share of the pixel row covered by each bin, beginning with bin `start`. */
  readonly weights: Float64Array
}

function overlapBins(
  binLower: Float64Array,
  binUpper: Float64Array,
  scale: ValueScale,
  height: number,
  ratio: number,
): RowBins[] {
  // A bin from zero reaches to the end of a log axis.
  const edge = (value: number) => {
    const position = scale.position(value)
    return Number.isNaN(position) ? scale.bottom : Math.min(scale.bottom, Math.max(scale.top, position))
  }
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

export function drawHeatmap(
  { platform }: Drawing,
  parent: Group,
  id: string,
  { ratio, width, height, means }: HeatmapRaster,
  { palette, part }: ColorRange,
  left: number,
  top: number,
): void {
  // A callback per pixel (Uint8Array.from) takes longer than the rest of the picture.
  const pixels = new Uint8Array(means.length)
  for (let i = 0; i < means.length; i++) pixels[i] = means[i]! > 0 ? 1 + Math.round(254 * part(means[i]!)) : 0
  appendElement(parent, 'image', {
    class: 'heatmap',
    'data-id': id,
    x: left,
    y: top,
    width: width / ratio,
    height: height / ratio,
    preserveAspectRatio: 'none',
    href: platform.imageAddress({ width, height, palette, pixels }),
  })
}
