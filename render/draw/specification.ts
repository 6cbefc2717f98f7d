/**
 * What a chart shows, complete and already evaluated: every column is at hand, every default chosen.
 * Columns hold one value per entry of `x.days`; a missing value is NaN. `composeChart` builds it from a request.
 */
export interface ChartSpecification {
  title: string
  theme: ThemeName
  /** Size in pixels: 600..2400 by 300..1200. */
  width: number
  height: number
  x: XAxis
  /** In the order of their places: the first axis of a side stands next to the plot. The first one carries the grid. */
  axes: ValueAxis[]
  series: ChartSeries[]
  referenceLines: ReferenceLine[]
  referenceAreas: ReferenceArea[]
  heatmap: Heatmap | undefined
  /** Small print below the chart: on the left where the data come from, on the right which dates they cover. */
  source: string
  dateLine: string
}

/** Smallest and largest picture, in pixels. */
export const sizeLimits = { width: [600, 2400], height: [300, 1200] } as const

export type ThemeName = 'light' | 'dark'
export type AxisSide = 'left' | 'right'
export type ScaleName = 'linear' | 'log'
export type NumberFormat = 'number' | 'currency' | 'percent'
/** `si` counts in k, M, G, T, P, E as physics does; `number` in k, M, B, T as finance does. */
export type AxisFormat = NumberFormat | 'si'
export type SeriesStyle = 'line' | 'area' | 'bar'

/** `days` are unix days in ascending order. */
export type XAxis =
  | { kind: 'date'; days: Int32Array }
  /** Cycles laid over each other: `days` are the calendar dates of the newest cycle, which began on `firstDay`. */
  | { kind: 'day_offset'; days: Int32Array; firstDay: number }

export interface ValueAxis {
  id: string
  side: AxisSide
  scale: ScaleName
  format: AxisFormat
  /** Written along the axis, for example `Price (USD)`. */
  title: string
  /** Of title and numbers: that of the only series on the axis; undefined is the theme's grey. */
  color: string | undefined
  /** Stored values times this are the numbers written: 100 where a fraction is shown in percent. */
  factor: number
  /** The part of the plot's height that the axis uses, in percent from the bottom. */
  zone: [from: number, to: number]
  domainMinimum: number | undefined
  domainMaximum: number | undefined
  /** Greater values do not widen the axis: lines leave it at the top. */
  ceiling: number | undefined
  /** Ends that get no 10 % of air beyond the data. */
  noPadding: 'none' | 'top' | 'bottom' | 'both'
}

export interface ChartSeries {
  id: string
  label: string
  /** As in the metric's definition: `USD`, `BTC`, `%`, `ratio`, …; empty where none is known. */
  unit: string
  style: SeriesStyle
  /** A CSS colour of the form #rrggbb. */
  color: string
  /** Bars below zero; undefined is `color`. */
  negativeColor: string | undefined
  lineWidth: number
  /** SVG dash pattern, for example `4 3`; undefined is a solid line. */
  dash: string | undefined
  opacity: number
  axisId: string
  showInLegend: boolean
  /** Stacked series of one axis are filled one upon the other, in their order. */
  stacked: boolean
  values: Float64Array
  /** With `day_offset`: the unix day on which this series' cycle began. */
  cycleStart: number | undefined
}

/** `y` is one level, or a column of levels. Reference lines widen an axis that is not clamped; areas do not. */
export interface ReferenceLine {
  y: number | Float64Array
  axisId: string
  stroke: string
  dash: string | undefined
  label: string
}

export interface ReferenceArea {
  y1: number | Float64Array
  y2: number | Float64Array
  axisId: string
  fill: string
  opacity: number
  label: string
}

export type ColorScaleName = 'viridis' | 'plasma' | 'inferno' | 'magma' | 'turbo' | 'cividis'

/**
 * A distribution per day, drawn under the series. Row d of `values` (length days × bins) belongs to `x.days[d]`, and
 * its entry b to the values between `binLower[b]` and `binUpper[b]` of the axis; bins ascend. Zero and NaN stay blank.
 */
export interface Heatmap {
  id: string
  label: string
  unit: string
  axisId: string
  colorScale: ColorScaleName
  binLower: Float64Array
  binUpper: Float64Array
  values: Float64Array
}
