import type { ChartSpecification } from './specification.ts'

/** The measures of a picture in pixels. All grow with it: at 2400×1200 it is the 1200×600 one in double size. */
export interface Sizes {
  /** Pixels per design pixel, 0.85..2. */
  readonly scale: number
  readonly title: number
  readonly subtitle: number
  readonly legend: number
  readonly tick: number
  readonly note: number
  /** Distance of everything from the edge of the picture. */
  readonly margin: number
  /** Width of the finest line, whole pixels. */
  readonly hairline: number
}

export function chooseSizes({
  width,
  height,
  textScale,
}: Pick<ChartSpecification, 'width' | 'height' | 'textScale'>): Sizes {
  // A picture that stands upright is for phones, which show all of its width on a hand's breadth.
  const preferred = height > width ? width / 540 : Math.min(width / 1200, height / 600)
  const scale = Math.min(2, Math.max(0.85, preferred))
  const text = scale * textScale
  return {
    scale,
    title: 19 * text,
    subtitle: 13 * text,
    legend: 12.5 * text,
    tick: 12 * text,
    note: 11 * text,
    margin: 16 * scale,
    hairline: Math.max(1, Math.round(scale)),
  }
}

/** Where the middle of a line `width` pixels wide must run so that its edges meet whole pixels. */
export function snapToPixel(position: number, width: number): number {
  return width % 2 === 1 ? Math.floor(position) + 0.5 : Math.round(position)
}
