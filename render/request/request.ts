import type {
  AxisSide,
  ColorScaleName,
  Heatmap,
  NumberFormat,
  ScaleName,
  SeriesStyle,
  ThemeName,
  XAxis,
} from '../draw/specification.ts'

/** A chart as it is asked for: columns at hand, everything else left to the conventions that readers know. */
export interface ChartRequest {
  readonly title: string
  readonly theme?: ThemeName
  readonly width?: number
  readonly height?: number
  readonly x: XAxis
  /** Of every axis that does not state its own, but the price overlay's. */
  readonly scale?: ScaleName
  readonly axes?: readonly RequestedAxis[]
  readonly series: readonly RequestedSeries[]
  /** Price (USD) as a subtle dashed line on a right axis of its own. */
  readonly priceOverlay?: Float64Array
  readonly referenceLines?: readonly RequestedLine[]
  readonly referenceAreas?: readonly RequestedArea[]
  readonly heatmap?: RequestedHeatmap
  readonly source: string
}

/** Fields left out take their default: side by the conventions of `placeAxes`, linear, format by unit, the whole height. */
export interface RequestedAxis {
  readonly id: string
  readonly side?: AxisSide
  readonly scale?: ScaleName
  readonly format?: NumberFormat
  readonly range?: readonly [from: number, to: number]
  readonly domainMinimum?: number
  readonly domainMaximum?: number
  readonly ceiling?: number
  readonly noPadding?: 'top' | 'bottom' | 'both'
  readonly title?: string
}

/** What a request or a template may say about one series. */
export interface SeriesOptions {
  readonly label?: string
  readonly style?: SeriesStyle
  readonly color?: string
  readonly negativeColor?: string
  readonly lineWidth?: number
  readonly dash?: string
  readonly opacity?: number
  readonly showInLegend?: boolean
  readonly stacked?: boolean
  /** A side, or the id of one of `axes`; without either the unit decides. */
  readonly side?: AxisSide
  readonly axisId?: string
}

export interface RequestedSeries extends SeriesOptions {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly values: Float64Array
  readonly cycleStart?: number
}

export interface RequestedLine {
  readonly y: number | Float64Array
  readonly axisId?: string
  readonly stroke?: string
  readonly dash?: string
  readonly label?: string
}

export interface RequestedArea {
  y1: number | Float64Array
  y2: number | Float64Array
  readonly axisId?: string
  readonly fill?: string
  readonly opacity?: number
  readonly label?: string
}

export interface RequestedHeatmap extends Omit<Heatmap, 'axisId' | 'colorScale'> {
  readonly colorScale?: ColorScaleName
  /** Of the axis of the bins, in USD, which a price line shares; by the range of its prices if left out. */
  readonly yScale?: ScaleName
  readonly yMinimum?: number
  readonly yMaximum?: number
}
