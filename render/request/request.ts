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
  title: string
  theme?: ThemeName
  width?: number
  height?: number
  x: XAxis
  /** Of every axis that does not state its own, but the price overlay's. */
  scale?: ScaleName
  axes?: RequestedAxis[]
  series: RequestedSeries[]
  /** Price (USD) as a subtle dashed line on a right axis of its own. */
  priceOverlay?: Float64Array
  referenceLines?: RequestedLine[]
  referenceAreas?: RequestedArea[]
  heatmap?: RequestedHeatmap
  source: string
}

/** Fields left out take their default: side by the conventions of `placeAxes`, linear, format by unit, the whole height. */
export interface RequestedAxis {
  id: string
  side?: AxisSide
  scale?: ScaleName
  format?: NumberFormat
  range?: [from: number, to: number]
  domainMinimum?: number
  domainMaximum?: number
  ceiling?: number
  noPadding?: 'top' | 'bottom' | 'both'
  title?: string
}

/** What a request or a template may say about one series. */
export interface SeriesOptions {
  label?: string
  style?: SeriesStyle
  color?: string
  negativeColor?: string
  lineWidth?: number
  dash?: string
  opacity?: number
  showInLegend?: boolean
  stacked?: boolean
  /** A side, or the id of one of `axes`; without either the unit decides. */
  side?: AxisSide
  axisId?: string
}

export interface RequestedSeries extends SeriesOptions {
  id: string
  label: string
  unit: string
  values: Float64Array
  cycleStart?: number
}

export interface RequestedLine {
  y: number | Float64Array
  axisId?: string
  stroke?: string
  dash?: string
  label?: string
}

export interface RequestedArea {
  y1: number | Float64Array
  y2: number | Float64Array
  axisId?: string
  fill?: string
  opacity?: number
  label?: string
}

export interface RequestedHeatmap extends Omit<Heatmap, 'axisId' | 'colorScale'> {
  colorScale?: ColorScaleName
  /** Of the axis of the bins, in USD, which a price line shares; by the range of its prices if left out. */
  yScale?: ScaleName
  yMinimum?: number
  yMaximum?: number
}
