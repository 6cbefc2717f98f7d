import type { ThemeName } from '#contract/chart-options.ts'

/** Gains and losses, rising and falling candles. */
export const rising = '#3a86d8'
export const falling = '#d9740c'

export interface Theme {
  readonly background: string
  readonly text: string
  /** Tick labels and small print. */
  readonly muted: string
  readonly grid: string
  readonly frame: string
  /** The price's colour in every chart. */
  readonly price: string
  /**
   * Twelve colours at least 8 apart (CIEDE2000), also with protanopia and deuteranopia, with
   * contrast 3:1 on the background.
   */
  readonly palette: readonly string[]
  /** Range of the plasma scale (0..1) for stacked series. */
  readonly stack: readonly [first: number, last: number]
  /**
   * Range of the plasma scale for ribbon lines and, reversed, coloured lines; `readableColor` gives
   * them contrast 3:1 on the background.
   */
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
      '#8b325c',
      '#164a04',
      '#090bd1',
      '#22a39d',
      '#6c9d64',
      '#c55f83',
      '#4195f5',
      '#9e4f56',
      '#8e5492',
      '#6c1b7c',
    ],
    stack: [0.92, 0.05],
    ribbon: [0.92, 0],
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
      '#98e7b8',
      '#7443fb',
      '#399e82',
      '#9e4484',
      '#457300',
      '#c38552',
      '#cf2b58',
      '#137251',
      '#60d3f0',
    ],
    stack: [0.97, 0.2],
    ribbon: [0.97, 0.4],
  },
}
