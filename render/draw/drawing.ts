import type { Group } from './group.ts'
import { chooseSizes, type Sizes } from './sizes.ts'
import type { ChartSpecification } from './specification.ts'
import { type FontWeight, type FontWidths, measure, shorten } from './text.ts'
import { type Theme, themes } from './theme.ts'

/** At most 256 colours: one palette index per pixel, row by row. Index 0 is transparent. */
export interface IndexedImage {
  readonly width: number
  readonly height: number
  /** CSS #rrggbb. */
  readonly palette: readonly string[]
  readonly pixels: Uint8Array
}

/** Node with jsdom, or a browser page. */
export interface Platform {
  readonly document: Document
  readonly widths: FontWidths
  /** The viewer has the chart's font. */
  readonly hasFont: boolean
  /** As a data URI. */
  readonly imageAddress: (image: IndexedImage) => string
}

export type { Group }
export { measure, shorten }

export interface Drawing {
  readonly platform: Omit<Platform, 'document'>
  readonly theme: Theme
  readonly sizes: Sizes
  /** Lines over filled colours (stacks, a heatmap) need a casing. */
  readonly cased: boolean
}

export const createDrawing = (chart: ChartSpecification, platform: Drawing['platform']): Drawing => ({
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
  /** Outline that keeps text legible on lines. */
  readonly halo?: string
}

/** From the middle of a line of text down to its baseline, in font sizes. */
export const middleToBaseline = 0.364

/** Attributes keep their order; undefined ones are omitted. */
export function appendElement(
  parent: Group,
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
): Group {
  const element = parent.append(name)
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) element.attr(attribute, value)
  }
  return element
}

/**
 * Draws a line of text at a baseline point. `textLength` gives viewers without the chart's font the
 * same layout, but is omitted if the font lacks a character, which would be stretched.
 */
export function drawText(drawing: Drawing, parent: Group, text: string, x: number, y: number, style: TextStyle): void {
  if (text === '') return
  const { size, color, anchor = 'start', weight = 400, halo } = style
  const { hasFont, widths } = drawing.platform
  const fixesLength =
    !hasFont && [...text].every((character) => widths[weight](character.codePointAt(0)!) !== undefined)
  appendElement(parent, 'text', {
    x: round(x),
    y: round(y),
    'font-size': round(size),
    fill: color,
    ...(fixesLength && { textLength: round(measure(drawing, text, size, weight)), lengthAdjust: 'spacingAndGlyphs' }),
    'text-anchor': anchor === 'start' ? undefined : anchor,
    'font-weight': weight === 400 ? undefined : weight,
    ...(halo !== undefined && {
      stroke: halo,
      'stroke-width': round(size / 3),
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
    }),
  }).text(text)
}

/**
 * Group clipped to `box`. A nested viewport needs no id, unlike clip-path, so pictures can share a
 * page.
 */
export function drawClipped(parent: Group, { left, top, right, bottom }: Box): Group {
  const [x, y, width, height] = [left, top, right - left, bottom - top].map(round)
  return appendElement(parent, 'svg', {
    x,
    y,
    width,
    height,
    viewBox: `${x} ${y} ${width} ${height}`,
    overflow: 'hidden',
  })
}

export const round = (pixels: number): number => Math.round(pixels * 100) / 100
