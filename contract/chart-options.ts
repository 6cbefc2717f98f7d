/** Plain values: pages draw without loading schemas. */
export const themeNames = ['light', 'dark'] as const
export type ThemeName = (typeof themeNames)[number]

export const axisSides = ['left', 'right'] as const
export type AxisSide = (typeof axisSides)[number]

export const scaleNames = ['linear', 'log'] as const
export type ScaleName = (typeof scaleNames)[number]

export const numberFormats = ['number', 'currency', 'percent'] as const
export type NumberFormat = (typeof numberFormats)[number]

/**
 * Only the price has candles. Steps keep each value until the next; heatmap series are rows of
 * coloured cells.
 */
export const seriesStyles = ['line', 'area', 'bar', 'candle', 'points', 'step', 'heatmap'] as const
export type SeriesStyle = (typeof seriesStyles)[number]

/** `ytd` begins on 1 January, `cycle` at the last halving. */
export const rangeNames = ['1m', '3m', '6m', 'ytd', '1y', '2y', '4y', 'cycle', 'all'] as const
export type RangeName = (typeof rangeNames)[number]
export const rangeDays = { '1m': 30, '3m': 91, '6m': 182, '1y': 365, '2y': 730, '4y': 1_461 } as const

export const intervalNames = ['day', 'week', 'month', 'year'] as const
export type IntervalName = (typeof intervalNames)[number]
export type FineInterval = 'block' | 'hour'
/** The row limit of other answers. */
export const maxFinePoints = 10_000
export type ChartInterval = FineInterval | IntervalName
export const isFine = (interval: ChartInterval): interval is FineInterval => interval === 'block' || interval === 'hour'

export const normalizations = ['index', 'zscore', 'percentile'] as const
export type Normalization = (typeof normalizations)[number]

/** In a legend, or at the right end of each line. */
export const seriesNamings = ['legend', 'direct'] as const
export type SeriesNaming = (typeof seriesNamings)[number]

/** Ends of an axis without space beyond the data. */
export const paddedEnds = ['top', 'bottom', 'both'] as const
export type PaddedEnds = (typeof paddedEnds)[number]

export const colorScaleNames = ['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis'] as const
export type ColorScaleName = (typeof colorScaleNames)[number]

export const xAxisKinds = ['date', 'day_offset'] as const
export const chartFormats = ['png', 'svg', 'json'] as const
/** `csv` and `rows` (JSON) are the drawn values, `spec` a specification for web pages. */
export const snapshotFormats = [...chartFormats, 'csv', 'rows', 'spec'] as const

export const ownAxes = { price: 'price_overlay', heatmap: 'heatmap' } as const

/** In pixels. */
export const sizeLimits = { width: [600, 2_400], height: [300, 1_920] } as const

/** Device pixels per CSS pixel. */
export const pixelRatioLimits = [1, 3] as const
/** Device pixels of a PNG: 2400×1200 at ratio 2 fits. */
export const maxPixels = 12_000_000

export const textScaleLimits = [0.75, 3] as const

export const chartDefaults = {
  theme: 'light',
  width: 1_200,
  height: 600,
  pixelRatio: 1,
  textScale: 1,
  range: '1y',
  colorScale: 'viridis',
  labels: 'legend',
  lastValues: true,
} as const

export const dayLimits = [7, 10_000] as const

export const maxItems = {
  metrics: 12,
  y_axes: 8,
  reference_lines: 20,
  reference_areas: 20,
  formulas: 12,
  crossings: 4,
} as const

/** All formulas and levels of a chart together. */
export const maxFormulaParts = 400
