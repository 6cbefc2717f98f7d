import { lab, rgb } from 'd3-color'
import type { ThemeName } from '#contract/chart-options.ts'

export interface Theme {
  readonly background: string
  readonly text: string
  /** Tick labels and small print. */
  readonly muted: string
  readonly grid: string
  readonly frame: string
  /** The price has the same colour in every chart. */
  readonly price: string
  /** Twelve colours, distinct with deuteranopia, protanopia and tritanopia, with a contrast of 3:1 on the background. */
  readonly palette: readonly string[]
  /** Range of the plasma colour scale (0..1) for stacked series. */
  readonly stack: readonly [first: number, last: number]
  /** Range of the plasma colour scale for the lines of a ribbon, with a contrast of 3:1 on the background. */
  readonly ribbon: readonly [first: number, last: number]
}

export const themes: Record<ThemeName, Theme> = {
  light: {
    background: '#ffffff',
    text: '#1b1d21',
    muted: '#5b616b',
    grid: '#e9ebee',
    frame: '#b9bec6',
    price: '#26272b',
    palette: [
      '#d96c00',
      '#1f6fd6',
      '#a03d6c',
      '#266600',
      '#bc79a3',
      '#1e13ad',
      '#4b95e5',
      '#5a1b6b',
      '#814a9f',
      '#164002',
      '#85204a',
      '#0f41cc',
    ],
    stack: [0.92, 0.05],
    ribbon: [0.62, 0],
  },
  dark: {
    background: '#101418',
    text: '#eceef1',
    muted: '#a3abb6',
    grid: '#232930',
    frame: '#4a525d',
    price: '#e6e7ea',
    palette: [
      '#f7931a',
      '#5aa7ff',
      '#ff4983',
      '#7fe196',
      '#833cd5',
      '#e49abf',
      '#c26e12',
      '#a26bc3',
      '#ba2c5c',
      '#7480fa',
      '#f9bb51',
      '#a2399c',
    ],
    stack: [0.97, 0.2],
    ribbon: [0.97, 0.4],
  },
}

/** The colour that results from `color` with opacity `part` over `ground`. */
export function mixColors(ground: string, color: string, part: number): string {
  const [from, to] = [rgb(ground), rgb(color)]
  const between = (one: number, other: number) => one + (other - one) * part
  return rgb(between(from.r, to.r), between(from.g, to.g), between(from.b, to.b)).formatHex()
}

/** WCAG 2.2 contrast ratio, 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Darkens or lightens `color` until it is readable as text on `background` (contrast 4.5:1). */
export function readableColor(color: string, background: string): string {
  const step = luminance(background) > 0.18 ? -2 : 2
  const shade = lab(color)
  while (contrastRatio(shade.formatHex(), background) < 4.5) shade.l += step
  return shade.formatHex()
}

function luminance(color: string): number {
  const { r, g, b } = rgb(color)
  const [red, green, blue] = [r, g, b].map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
