import type { ChartSpecification } from './specification.ts'

/** Pixels, growing with the picture: 2400×1200 is 1200×600 in double size. */
export interface Sizes {
  /** Pixels per design pixel, 0.85..2. */
  readonly scale: number
  readonly title: number
  readonly subtitle: number
  readonly legend: number
  readonly tick: number
  readonly note: number
  readonly margin: number
  readonly hairline: number
}

export function chooseSizes({
  width,
  height,
  textScale,
}: Pick<ChartSpecification, 'width' | 'height' | 'textScale'>): Sizes {
  // Portrait pictures are for phones, which show their whole width on a small screen.
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

/** Moves the middle of a line `width` pixels wide to put its edges on pixel borders. */
export const snapToPixel = (position: number, width: number): number =>
  width % 2 === 1 ? Math.floor(position) + 0.5 : Math.round(position)
