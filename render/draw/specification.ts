import type {
  AxisSide,
  ColorScaleName,
  IntervalName,
  NumberFormat,
  PaddedEnds,
  ScaleName,
  SeriesNaming,
  SeriesStyle,
  ThemeName,
} from '#contract/chart-words.ts'

/**
 * What a chart shows, complete and already evaluated: every column is at hand, every default chosen.
 * Columns hold one value per entry of `x.days`; a missing value is NaN. `composeChart` builds it from a request.
 */
export interface ChartSpecification {
  readonly title: string
  /** How to read the chart, below the title. */
  readonly subtitle: string
  readonly theme: ThemeName
  /** Size in pixels, within `sizeLimits`. */
  readonly width: number
  readonly height: number
  /** Pixels of the screen or file to one of these: rasters within the picture are as fine. */
  readonly pixelRatio: number
  /** Texts are this much larger than the size of the picture alone would make them. */
  readonly textScale: number
  readonly x: XAxis
  /** In the order of their places: the first axis of a side stands next to the plot. The first one carries the grid. */
  readonly axes: readonly ValueAxis[]
  readonly series: readonly ChartSeries[]
  readonly referenceLines: readonly ReferenceLine[]
  readonly referenceAreas: readonly ReferenceArea[]
  /** Days marked by a line; those that come first keep their label where there is no room for all. */
  readonly verticals: readonly VerticalLine[]
  readonly heatmap: Heatmap | undefined
  /** In place of axes and series: a table of months. */
  readonly monthGrid?: MonthGrid | undefined
  /** Where series are named: in a legend, or at their right end as far as there is room. */
  readonly labels: SeriesNaming
  /** The last value stands at the right end of each series. */
  readonly lastValues: boolean
  /** Whose chart it is: a name with the mark, and the address of the instance where that is known. */
  readonly brand: { readonly name: string; readonly address: string | undefined } | undefined
  /** Parts of the request that have no effect, for who made it; the picture does not show them. */
  readonly unused: readonly string[]
  /** Small print below the chart: on the left where the data come from, on the right which dates they cover. */
  readonly source: string
  readonly dateLine: string
}

/** `si` counts in k, M, G, T, P, E as physics does; `number` in k, M, B, T as finance does. */
export type AxisFormat = NumberFormat | 'si'

/** `days` are unix days in ascending order, of weeks and months the last ones. */
export type XAxis =
  | { kind: 'date'; days: Int32Array; interval?: IntervalName }
  /** Cycles laid over each other: `days` are the calendar dates of the newest cycle, which began on `firstDay`. */
  | { kind: 'day_offset'; days: Int32Array; firstDay: number }

export interface ValueAxis {
  readonly id: string
  readonly side: AxisSide
  readonly scale: ScaleName
  readonly format: AxisFormat
  /** Written along the axis, for example `Price (USD)`. */
  readonly title: string
  /** Of title and numbers: that of the only series on the axis; undefined is the theme's grey. */
  readonly color: string | undefined
  /** Stored values times this are the numbers written: 100 where a fraction is shown in percent. */
  readonly factor: number
  /** The part of the plot's height that the axis uses, in percent from the bottom. */
  readonly zone: readonly [from: number, to: number]
  readonly domainMinimum: number | undefined
  readonly domainMaximum: number | undefined
  /** Greater values do not widen the axis: lines leave it at the top. */
  readonly ceiling: number | undefined
  /** Lesser values do not widen it: lines leave it at the bottom. */
  readonly floor: number | undefined
  /** Ends that get no 10 % of air beyond the data. */
  readonly noPadding: 'none' | PaddedEnds
}

export interface ChartSeries {
  readonly id: string
  readonly label: string
  /** As in the metric's definition: `USD`, `BTC`, `%`, `ratio`, …; empty where none is known. */
  readonly unit: string
  readonly style: SeriesStyle
  /** A CSS colour of the form #rrggbb. */
  readonly color: string
  /** Bars below zero; undefined is `color`. */
  readonly negativeColor: string | undefined
  readonly lineWidth: number
  /** SVG dash pattern, for example `4 3`; undefined is a solid line. */
  readonly dash: string | undefined
  readonly opacity: number
  readonly axisId: string
  readonly showInLegend: boolean
  /** Stacked series of one axis are filled one upon the other, in their order. */
  readonly stacked: boolean
  readonly values: Float64Array
  /** Of candles, whose close is the value. */
  readonly candles?: Candles | undefined
  /** With `day_offset`: the unix day on which this series' cycle began. */
  readonly cycleStart: number | undefined
}

export interface Candles {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
}

/** Percent by month, twelve for each of the years (ascending), and by year. */
export interface MonthGrid {
  readonly years: readonly number[]
  readonly months: Float64Array
  readonly totals: Float64Array
}

/** `y` is one level, or a column of levels. Reference lines widen an axis that is not clamped; areas do not. */
export interface ReferenceLine {
  readonly y: number | Float64Array
  readonly axisId: string
  readonly stroke: string
  readonly dash: string | undefined
  readonly label: string
}

/** `day` is a unix day. */
export interface VerticalLine {
  readonly day: number
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
 * A distribution per day, drawn under the series. Row d of `values` (length days × bins) belongs to `x.days[d]`, and
 * its entry b to the values between `binLower[b]` and `binUpper[b]` of the axis; bins ascend. Zero and NaN stay blank.
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
