import type { SeriesNaming } from '#contract/chart-options.ts'
import type { ChartBody, ChartPart } from '#contract/charts.ts'
import type { Aggregate } from '#contract/metric-kinds.ts'
import type { Candles, ChartSpecification, Heatmap, MonthGrid, XAxis } from '../draw/specification.ts'

/** Fields of the contract, all optional, some with other names. */
type RequestFields<Fields, Names extends { readonly [Name in keyof Fields]?: string } = Record<never, never>> = {
  readonly [Name in keyof Fields as Name extends keyof Names ? Names[Name] & string : Name]?: Exclude<
    Fields[Name],
    undefined
  >
}

/** Fields of a chart request that need no columns. */
export interface ChartAppearance
  extends RequestFields<
    Pick<ChartBody, 'theme' | 'width' | 'height' | 'pixel_ratio' | 'text_scale' | 'scale'>,
    { pixel_ratio: 'pixelRatio'; text_scale: 'textScale' }
  > {
  /** Stacks show shares of their sum. */
  readonly normalized?: boolean
  readonly subtitle?: string
  readonly labels?: SeriesNaming
  readonly lastValues?: boolean
}

/** A chart with columns. Optional fields have the defaults of `buildSpecification`. */
export interface ChartRequest extends ChartAppearance {
  readonly title: string
  readonly x: XAxis
  readonly axes?: readonly RequestedAxis[]
  readonly series: readonly RequestedSeries[]
  /** Price in USD, drawn as a subtle dashed line on its own right axis. */
  readonly priceOverlay?: Float64Array
  readonly referenceLines?: readonly RequestedLine[]
  readonly referenceAreas?: readonly RequestedArea[]
  readonly verticals?: readonly RequestedVertical[]
  readonly monthGrid?: MonthGrid
  readonly brand?: ChartSpecification['brand']
  readonly heatmap?: RequestedHeatmap
  readonly source: string
}

export interface RequestedAxis
  extends RequestFields<
    Omit<ChartPart<'yAxis'>, 'id'>,
    { domain_min: 'domainMinimum'; domain_max: 'domainMaximum'; no_padding: 'noPadding' }
  > {
  readonly id: string
}

export interface SeriesOptions
  extends RequestFields<
    Omit<ChartPart<'metricItem'>, 'id'>,
    {
      axis: 'side'
      y_axis_id: 'axisId'
      show_in_legend: 'showInLegend'
      line_width: 'lineWidth'
      negative_color: 'negativeColor'
    }
  > {}

export interface RequestedSeries extends SeriesOptions {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly values: Float64Array
  readonly candles?: Candles
  /** Aggregate of its days in a week or month; default: last. */
  readonly aggregate?: Aggregate
  readonly cycleStart?: number
}

export interface RequestedLine
  extends RequestFields<
    Omit<ChartPart<'referenceLine'>, 'x' | 'y' | 'y_formula'>,
    { y_axis_id: 'axisId'; stroke_dasharray: 'dash' }
  > {
  readonly y: number | Float64Array
}

export interface RequestedArea
  extends RequestFields<
    Omit<ChartPart<'referenceArea'>, 'y1' | 'y1_formula' | 'y2' | 'y2_formula'>,
    { y_axis_id: 'axisId'; fill_opacity: 'opacity' }
  > {
  /** A missing bound is the end of the axis. */
  readonly y1?: number | Float64Array
  readonly y2?: number | Float64Array
}

/** `day` is a unix day. */
export interface RequestedVertical {
  readonly day: number
  readonly stroke?: string
  readonly dash?: string
  readonly label?: string
}

/** `yScale`, `yMinimum` and `yMaximum` (USD) are of the axis of the bins, which a price line shares. */
export interface RequestedHeatmap
  extends Omit<Heatmap, 'axisId' | 'colorScale'>,
    RequestFields<
      Omit<ChartPart<'heatmap'>, 'metric'>,
      { color_scale: 'colorScale'; y_scale: 'yScale'; y_min: 'yMinimum'; y_max: 'yMaximum' }
    > {}
