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
 * A chart with columns and defaults, ready to be drawn (`buildSpecification` creates it). Columns
 * have one value per entry of `x.days`; NaN is missing.
 */
export interface ChartSpecification {
  readonly title: string
  readonly subtitle: string
  readonly theme: ThemeName
  /** Pixels, within `sizeLimits`. */
  readonly width: number
  readonly height: number
  /** Resolution of PNG files and of rasters in the picture. */
  readonly pixelRatio: number
  readonly textScale: number
  readonly x: XAxis
  /** A side's first axis is next to the plot; the first of all has the grid. */
  readonly axes: readonly ValueAxis[]
  readonly series: readonly ChartSeries[]
  readonly referenceLines: readonly ReferenceLine[]
  readonly referenceAreas: readonly ReferenceArea[]
  /** If labels do not fit, the first days keep theirs. */
  readonly verticals: readonly VerticalLine[]
  readonly heatmap: Heatmap | undefined
  readonly monthGrid?: MonthGrid | undefined
  readonly crossings?: readonly Crossing[] | undefined
  /** In a legend, or at the right ends if they fit. */
  readonly labels: SeriesNaming
  readonly lastValues: boolean
  /** Name beside the logo; the instance's address if known. */
  readonly brand: { readonly name: string; readonly address: string | undefined } | undefined
  /** For the author of the request; not drawn. */
  readonly remarks: readonly string[]
  /** Small print below the chart on the left: origin of the data. On the right is `dateLine`. */
  readonly source: string
  readonly dateLine: string
}

/** `si` has the prefixes k, M, G, T, P, E; `number` k, M, B, T. */
export type AxisFormat = NumberFormat | 'si'

/** Unix days, fractional for times of day. */
export type Days = Int32Array | Float64Array

/** `days` ascend: last days of weeks and months, times of hours and blocks. */
export type XAxis =
  | { kind: 'date'; days: Days; interval?: ChartInterval }
  /**
   * Cycle overlay: `days` of the newest cycle, which began on `firstDay`; labels are its dates, or
   * days since.
   */
  | { kind: 'day_offset'; days: Days; firstDay: number; countsDays?: boolean }
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
  /** Colour of title and ticks: of the axis' only series; undefined is the theme's grey. */
  readonly color: string | undefined
  /** From values to displayed numbers: 100 for a fraction in percent. */
  readonly factor: number
  /** Part of the plot's height, in percent from the bottom. */
  readonly zone: readonly [from: number, to: number]
  readonly domainMinimum: number | undefined
  readonly domainMaximum: number | undefined
  /** Larger values leave the axis at the top without widening it. */
  readonly ceiling: number | undefined
  /** Smaller values leave the axis at the bottom without widening it. */
  readonly floor: number | undefined
  readonly noPadding: 'none' | PaddedEnds
  /** Rows of cells, the first at the top; the domain is then from zero to their number. */
  readonly rows?: readonly string[] | undefined
}

export interface ChartSeries {
  readonly id: string
  readonly label: string
  /** `USD`, `BTC`, `%`, `ratio`, … as the metric defines; empty if unknown. */
  readonly unit: string
  readonly style: SeriesStyle
  /** CSS #rrggbb. */
  readonly color: string
  /** For bars below zero and falling candles; undefined is `color`. */
  readonly negativeColor: string | undefined
  readonly lineWidth: number
  /** SVG dash pattern, such as `4 3`; undefined is solid. */
  readonly dash: string | undefined
  readonly opacity: number
  readonly axisId: string
  readonly showInLegend: boolean
  readonly stacked: boolean
  readonly values: Float64Array
  /** For cells, or `colorBy`. */
  readonly colorScale?: ColorScaleName | undefined
  /** Its values colour the line. */
  readonly colorBy?: ColorColumn | undefined
  /** The close is the value. */
  readonly candles?: Candles | undefined
  /** With `day_offset`: first unix day of this series' cycle. */
  readonly cycleStart: number | undefined
}

export interface Candles {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
}

/** `title`, `format` and `factor` of the legend of colours. */
export interface ColorColumn extends Pick<ValueAxis, 'title' | 'format' | 'factor'> {
  readonly values: Float64Array
}

/** First day on which a line is above another, or below it again; `value` is the first line's. */
export interface Crossing {
  readonly day: number
  readonly value: number
  readonly axisId: string
  readonly isUp: boolean
  readonly label: string
}

/** Twelve months per ascending year, and yearly totals: changes in percent, sums or means. */
export interface MonthGrid extends Pick<ValueAxis, 'format' | 'factor'> {
  /** Metric and measure of the cells, which the title of a chart need not name. */
  readonly name?: string | undefined
  readonly measure: 'change' | 'sum' | 'mean'
  /** Smaller values have the colour of losses if there are both; undefined is zero. */
  readonly center?: number | undefined
  readonly years: readonly number[]
  readonly months: Float64Array
  readonly totals: Float64Array
}

/** `y` is a level or a column. Reference lines widen an axis without fixed domain; areas do not. */
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
 * A distribution per day, drawn under the series. Row d of `values` (days × bins) is `x.days[d]`,
 * its entry b the range from `binLower[b]` to `binUpper[b]` on the axis; bins ascend. Zero and NaN
 * are blank.
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
