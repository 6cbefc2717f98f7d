/** The words and limits of charts. Plain values, so that drawing in a page needs no schemas. */
export const themeNames = ['light', 'dark'] as const
export type ThemeName = (typeof themeNames)[number]

export const axisSides = ['left', 'right'] as const
export type AxisSide = (typeof axisSides)[number]

export const scaleNames = ['linear', 'log'] as const
export type ScaleName = (typeof scaleNames)[number]

export const numberFormats = ['number', 'currency', 'percent'] as const
export type NumberFormat = (typeof numberFormats)[number]

/** Candles are for the price, whose open, high and low are known. */
export const seriesStyles = ['line', 'area', 'bar', 'candle'] as const
export type SeriesStyle = (typeof seriesStyles)[number]

/** Days that a chart shows: one or four years, since the last halving, or everything. */
export const rangeNames = ['1y', '4y', 'cycle', 'all'] as const
export type RangeName = (typeof rangeNames)[number]

/** What one point of a chart stands for. */
export const intervalNames = ['day', 'week', 'month'] as const
export type IntervalName = (typeof intervalNames)[number]

/** Measures in which any series can be compared. */
export const normalizations = ['index', 'zscore', 'percentile'] as const
export type Normalization = (typeof normalizations)[number]

/** Where series are named. */
export const seriesNamings = ['legend', 'direct'] as const
export type SeriesNaming = (typeof seriesNamings)[number]

/** Ends of an axis that get no air beyond the data. */
export const paddedEnds = ['top', 'bottom', 'both'] as const
export type PaddedEnds = (typeof paddedEnds)[number]

export const colorScaleNames = ['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis'] as const
export type ColorScaleName = (typeof colorScaleNames)[number]

export const xAxisKinds = ['date', 'day_offset'] as const
export const chartFormats = ['png', 'svg', 'json'] as const
/** Of the API: a page draws what `spec` answers. */
export const snapshotFormats = [...chartFormats, 'spec'] as const

/** Ids of axes that the renderer makes by itself. */
export const ownAxes = { price: 'price_overlay', heatmap: 'heatmap' } as const

/** Smallest and largest picture, in pixels. */
export const sizeLimits = { width: [600, 2_400], height: [300, 1_920] } as const

/** Pixels of a PNG to one of the picture: 2 for screens that have twice as many. */
export const pixelRatioLimits = [1, 3] as const
/** Of a PNG, with its pixel ratio: 2400×1200 in double size. */
export const maxPixels = 12_000_000

/** How much larger than usual texts are. */
export const textScaleLimits = [0.75, 3] as const

/** What is taken where a chart does not say. */
export const chartDefaults = {
  theme: 'light',
  width: 1_200,
  height: 600,
  pixelRatio: 1,
  textScale: 1,
  days: 365,
  colorScale: 'viridis',
  labels: 'legend',
  lastValues: true,
} as const

export const dayLimits = [7, 10_000] as const

/** The longest lists of a chart. */
export const maxItems = { metrics: 12, y_axes: 8, reference_lines: 20, reference_areas: 20, formulas: 12 } as const

/** Of all formulas and levels of a chart together: it bounds the work. */
export const maxFormulaParts = 400
