import type {
  AxisSide,
  ChartInterval,
  ColorScaleName,
  NumberFormat,
  PaddedEnds,
  ScaleName,
  SeriesNaming,
  SeriesStyle,
  ThemeName,
} from '#contract/chart-options.ts'

/**
 * A chart with all its columns and defaults, ready to be drawn (`buildSpecification` creates it
 * from a request). Columns have one value per entry of `x.days`; a missing value is NaN.
 */
export interface ChartSpecification {
  readonly title: string
  readonly subtitle: string
  readonly theme: ThemeName
  /** Size in pixels, within `sizeLimits`. */
  readonly width: number
  readonly height: number
  /** Device pixels per pixel: resolution of PNG files and of rasters within the picture. */
  readonly pixelRatio: number
  readonly textScale: number
  readonly x: XAxis
  /** The first axis of a side is next to the plot; the first of all has the grid. */
  readonly axes: readonly ValueAxis[]
  readonly series: readonly ChartSeries[]
  readonly referenceLines: readonly ReferenceLine[]
  readonly referenceAreas: readonly ReferenceArea[]
  /** Marked days; if labels do not fit, the first ones keep theirs. */
  readonly verticals: readonly VerticalLine[]
  readonly heatmap: Heatmap | undefined
  readonly monthGrid?: MonthGrid | undefined
  readonly crossings?: readonly Crossing[] | undefined
  /** Names series in a legend, or at their right ends if they fit. */
  readonly labels: SeriesNaming
  readonly lastValues: boolean
  /** Name beside the logo, and the address of the instance if it is known. */
  readonly brand: { readonly name: string; readonly address: string | undefined } | undefined
  /** What the author of the request should know; not drawn. */
  readonly remarks: readonly string[]
  /** Small print below the chart on the left: origin of the data. On the right is `dateLine`. */
  readonly source: string
  readonly dateLine: string
}

/** `si` has the prefixes k, M, G, T, P, E; `number` k, M, B, T. */
export type AxisFormat = NumberFormat | 'si'

/** Unix days, with fractions if they are times of the day. */
export type Days = Int32Array | Float64Array

/** `days` are ascending, of weeks and months the last ones, of hours and blocks their times. */
export type XAxis =
  | { kind: 'date'; days: Days; interval?: ChartInterval }
  /** Cycle overlay: `days` are those of the newest cycle, which began on `firstDay`. */
  | { kind: 'day_offset'; days: Days; firstDay: number }
  /**
   * Bins of a day: entry i reaches from `edges[i]` to `edges[i + 1]` (USD), equally long on
   * `scale`; `days` are 0, 1, 2 …
   */
  | { kind: 'bins'; days: Days; edges: Float64Array; scale: ScaleName; day: number }

export interface ValueAxis {
  readonly id: string
  readonly side: AxisSide
  readonly scale: ScaleName
  readonly format: AxisFormat
  readonly title: string
  /**
   * Colour of title and ticks: that of the only series on the axis; undefined is the theme's grey.
   */
  readonly color: string | undefined
  /** Factor from values to displayed numbers: 100 for a fraction shown in percent. */
  readonly factor: number
  /** Range of the plot's height that the axis uses, in percent from the bottom. */
  readonly zone: readonly [from: number, to: number]
  readonly domainMinimum: number | undefined
  readonly domainMaximum: number | undefined
  /** Larger values do not widen the axis; lines leave it at the top. */
  readonly ceiling: number | undefined
  /** Smaller values do not widen the axis; lines leave it at the bottom. */
  readonly floor: number | undefined
  readonly noPadding: 'none' | PaddedEnds
  /** Names of rows of cells, the first at the top. The domain is from zero to their number then. */
  readonly rows?: readonly string[] | undefined
}

export interface ChartSeries {
  readonly id: string
  readonly label: string
  /** `USD`, `BTC`, `%`, `ratio`, … as in the metric's definition; empty if unknown. */
  readonly unit: string
  readonly style: SeriesStyle
  /** A CSS colour of the form #rrggbb. */
  readonly color: string
  /** Colour of bars below zero and falling candles; undefined is `color`. */
  readonly negativeColor: string | undefined
  readonly lineWidth: number
  /** SVG dash pattern, for example `4 3`; undefined is a solid line. */
  readonly dash: string | undefined
  readonly opacity: number
  readonly axisId: string
  readonly showInLegend: boolean
  readonly stacked: boolean
  readonly values: Float64Array
  /** Colours of cells, or of `colorBy`. */
  readonly colorScale?: ColorScaleName | undefined
  /** A column whose values colour the line. */
  readonly colorBy?: ColorColumn | undefined
  /** The close is the value. */
  readonly candles?: Candles | undefined
  /** With `day_offset`, the first unix day of this series' cycle. */
  readonly cycleStart: number | undefined
}

export interface Candles {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
}

/** `title`, `format` and `factor` are of the legend of colours. */
export interface ColorColumn extends Pick<ValueAxis, 'title' | 'format' | 'factor'> {
  readonly values: Float64Array
}

/**
 * The first day on which one line is above another, or below it again; `value` is that of the one.
 */
export interface Crossing {
  readonly day: number
  readonly value: number
  readonly axisId: string
  readonly isUp: boolean
  readonly label: string
}

/**
 * Twelve months for each of the ascending years, and a total per year: changes in percent, or else
 * sums or means.
 */
export interface MonthGrid extends Pick<ValueAxis, 'format' | 'factor'> {
  readonly measure: 'change' | 'sum' | 'mean'
  readonly years: readonly number[]
  readonly months: Float64Array
  readonly totals: Float64Array
}

/**
 * `y` is a level or a column of levels. Reference lines widen an axis without a fixed domain; areas
 * do not.
 */
export interface ReferenceLine extends MarkedLine {
  readonly y: number | Float64Array
  readonly axisId: string
}

export interface VerticalLine extends MarkedLine {
  readonly day: number
}

interface MarkedLine {
  readonly stroke: string
  readonly dash: string | undefined
  readonly label: string
}

export interface ReferenceArea {
  y1: number | Float64Array
  y2: number | Float64Array
  readonly axisId: string
  readonly fill: string
  readonly opacity: number
  readonly label: string
}

/**
 * A distribution per day, drawn under the series. Row d of `values` (length days × bins) is of
 * `x.days[d]`, and its entry b of the range from `binLower[b]` to `binUpper[b]` on the axis; bins
 * ascend. Zero and NaN are blank.
 */
export interface Heatmap {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly axisId: string
  readonly colorScale: ColorScaleName
  readonly binLower: Float64Array
  readonly binUpper: Float64Array
  readonly values: Float64Array
}
