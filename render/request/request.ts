import type { ChartBody, ChartPart } from '#contract/charts.ts'
import type { MetricAggregate } from '#contract/metric-kinds.ts'
import type { Candles, ChartSpecification, ColorColumn, Heatmap, ReferenceLine } from '../draw/specification.ts'

/** A chart with columns. `buildSpecification` has the defaults. */
export interface ChartRequest
  extends Partial<
      Pick<
        ChartBody,
        'theme' | 'width' | 'height' | 'pixel_ratio' | 'text_scale' | 'scale' | 'subtitle' | 'labels' | 'last_values'
      >
    >,
    Pick<ChartSpecification, 'title' | 'x' | 'source'>,
    Partial<Pick<ChartSpecification, 'monthGrid' | 'brand' | 'remarks'>> {
  /** Stacks show shares of their sum. */
  readonly normalized?: boolean
  readonly axes?: readonly RequestedAxis[]
  readonly series: readonly RequestedSeries[]
  /** USD; a subtle dashed line on the axis of other prices, or its own right axis. */
  readonly priceOverlay?: Float64Array
  readonly referenceLines?: readonly RequestedLine[]
  readonly referenceAreas?: readonly RequestedArea[]
  readonly verticals?: readonly RequestedVertical[]
  readonly crossings?: readonly RequestedCrossing[]
  readonly heatmap?: RequestedHeatmap
}

export type ComposedRequest = Omit<ChartRequest, 'source'>

export interface RequestedAxis extends Omit<ChartPart<'yAxis'>, 'id'> {
  readonly id: string
}

export type SeriesOptions = Omit<ChartPart<'metricItem'>, 'id'>

export interface RequestedSeries extends Omit<SeriesOptions, 'aggregate'> {
  readonly id: string
  readonly label: string
  readonly unit: string
  /** Series of one dimension share an axis. Default: the unit. */
  readonly dimension?: string
  /** If the aggregate is recomputed, values of the period so far. */
  readonly values: Float64Array
  readonly aggregate?: MetricAggregate | undefined
  readonly candles?: Candles
  readonly colorBy?: ColorColumn
  readonly cycleStart?: number
}

/** `line` and `crosses` are places in `series`. */
export interface RequestedCrossing extends Pick<ChartPart<'crossing'>, 'up' | 'down'> {
  readonly line: number
  readonly crosses: number
}

export interface RequestedLine
  extends Omit<ChartPart<'referenceLine'>, 'x' | 'y' | 'y_formula'>,
    Pick<ReferenceLine, 'y'> {}

export interface RequestedArea extends Omit<ChartPart<'referenceArea'>, 'y1' | 'y1_formula' | 'y2' | 'y2_formula'> {
  /** A missing bound is the end of the axis. */
  readonly y1?: number | Float64Array | undefined
  readonly y2?: number | Float64Array | undefined
}

/** `day` is a unix day. */
export interface RequestedVertical extends Pick<ChartPart<'referenceLine'>, 'stroke' | 'stroke_dasharray' | 'label'> {
  readonly day: number
}

/** `y_scale`, `y_min` and `y_max` (USD) of the bins' axis, which a price line shares. */
export interface RequestedHeatmap
  extends Omit<Heatmap, 'axisId' | 'colorScale'>,
    Partial<Omit<ChartPart<'heatmap'>, 'metric' | 'bins'>> {}
