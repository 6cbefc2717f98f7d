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

export function chooseSizes(width: number, height: number): Sizes {
  const scale = Math.min(2, Math.max(0.85, Math.min(width / 1200, height / 600)))
  return {
    scale,
    title: 19 * scale,
    subtitle: 13 * scale,
    legend: 12.5 * scale,
    tick: 12 * scale,
    note: 11 * scale,
    margin: 16 * scale,
    hairline: Math.max(1, Math.round(scale)),
  }
}

/** Where the middle of a line `width` pixels wide must run so that its edges meet whole pixels. */
export function crisp(position: number, width: number): number {
  return width % 2 === 1 ? Math.floor(position) + 0.5 : Math.round(position)
}
