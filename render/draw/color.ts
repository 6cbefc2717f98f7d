import { lab, rgb } from 'd3-color'
import { interpolateRgb } from 'd3-interpolate'

/** `color` with opacity `part` over `ground`. */
export const mixColors = (ground: string, color: string, part: number): string =>
  rgb(interpolateRgb(ground, color)(part)).formatHex()

/** WCAG 2.2 contrast ratio, 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Darkens or lightens `color` to be readable on `background`: lines need a contrast of 3:1. */
export function readableColor(color: string, background: string, minContrast = 4.5): string {
  const shade = lab(color)
  const step = luminance(background) > 0.18 ? -2 : 2
  while (contrastRatio(shade.formatHex(), background) < minContrast) shade.l += step
  return shade.formatHex()
}

/** Relative luminance of WCAG 2.2, which d3-color lacks. */
function luminance(color: string): number {
  const { r, g, b } = rgb(color)
  const [red, green, blue] = [r, g, b].map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
