import type { Group } from './group.ts'
import type { IndexedImage } from './indexed-image.ts'
import { chooseSizes, type Sizes } from './sizes.ts'
import type { ChartSpecification } from './specification.ts'
import type { FontWeight, FontWidths } from './text.ts'
import { shortenText, textWidth } from './text.ts'
import { type Theme, themes } from './theme.ts'

/** What drawing needs from where it runs: Node with jsdom, or a browser page. */
export interface Platform {
  readonly document: Document
  readonly widths: FontWidths
  /** Who sees the picture has the chart's font. */
  readonly hasFont: boolean
  /** The address (a data URI) of a picture of palette colours. */
  readonly imageAddress: (image: IndexedImage) => string
}

export type { Group }

/** What every part of a chart is drawn with. */
export interface Drawing {
  readonly platform: Platform
  readonly theme: Theme
  readonly sizes: Sizes
  /** Lines run over filled colours (stacked areas, a heatmap) and need a seam. */
  readonly cased: boolean
}

export const createDrawing = (chart: ChartSpecification, platform: Platform): Drawing => ({
  platform,
  theme: themes[chart.theme],
  sizes: chooseSizes(chart),
  cased: chart.heatmap !== undefined || chart.series.some(({ stacked }) => stacked),
})

/** Pixels; `top` is less than `bottom`. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface TextStyle {
  readonly size: number
  readonly color: string
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly weight?: FontWeight
  /** Written upwards, around the given point. */
  readonly rotated?: boolean
  /** A rim in this colour keeps text legible on lines. */
  readonly halo?: string
}

/** Half the height of figures and capitals, in parts of the font size: from the middle of a line down to its baseline. */
export const middleToBaseline = 0.364

export function measure(drawing: Drawing, text: string, size: number, weight?: FontWeight): number {
  return textWidth(drawing.platform.widths, text, size, weight)
}

export function shorten(drawing: Drawing, text: string, room: number, size: number, weight?: FontWeight): string {
  return shortenText(drawing.platform.widths, text, room, size, weight)
}

/**
 * Writes one line of text at a baseline point, and nothing for an empty one. Viewers are told the measured length
 * unless the chart's font is at hand, so that others see the same layout; not that of characters which the font lacks,
 * as these would be stretched to it.
 */
export function drawText(drawing: Drawing, parent: Group, text: string, x: number, y: number, style: TextStyle): void {
  if (text === '') return
  const { size, color, anchor = 'start', weight = 400, rotated = false, halo } = style
  const node = parent
    .append('text')
    .attr('x', round(x))
    .attr('y', round(y))
    .attr('font-size', round(size))
    .attr('fill', color)
    .text(text)
  const { hasFont, widths } = drawing.platform
  if (!hasFont && [...text].every((character) => widths[weight](character.codePointAt(0)!) !== undefined)) {
    const length = round(measure(drawing, text, size, weight))
    node.attr('textLength', length).attr('lengthAdjust', 'spacingAndGlyphs')
  }
  if (anchor !== 'start') node.attr('text-anchor', anchor)
  if (weight !== 400) node.attr('font-weight', weight)
  if (rotated) node.attr('transform', `rotate(-90 ${round(x)} ${round(y)})`)
  if (halo !== undefined) {
    node
      .attr('stroke', halo)
      .attr('stroke-width', round(size / 3))
      .attr('stroke-linejoin', 'round')
    node.attr('paint-order', 'stroke')
  }
}

/** A group that shows nothing outside `box`. A nested viewport does it without an id, so pictures can share a page. */
export function drawClipped(parent: Group, { left, top, right, bottom }: Box): Group {
  return parent
    .append('svg')
    .attr('x', round(left))
    .attr('y', round(top))
    .attr('width', round(right - left))
    .attr('height', round(bottom - top))
    .attr('viewBox', [left, top, right - left, bottom - top].map(round).join(' '))
    .attr('overflow', 'hidden')
}

export function round(pixels: number): number {
  return Math.round(pixels * 100) / 100
}
