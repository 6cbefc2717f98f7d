import type {
  ColorScaleName,
  IntervalName,
  Normalization,
  RangeName,
  ScaleName,
  SeriesNaming,
} from '#contract/chart-options.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import type { RequestedArea, RequestedAxis, RequestedLine, SeriesOptions } from './request.ts'

/** A predefined chart: a request with metric ids instead of columns. */
export interface ChartTemplate {
  readonly title: string
  readonly subtitle: string
  readonly metrics: readonly TemplateMetric[]
  /** `m1` … are the metrics by position, `f1` … earlier formulas. */
  readonly formulas?: readonly TemplateFormula[]
  readonly axes?: readonly RequestedAxis[]
  readonly scale?: ScaleName
  readonly overlay?: 'price'
  readonly referenceLines?: readonly (RequestedLine & { readonly y: number })[]
  readonly referenceAreas?: readonly TemplateArea[]
  /** Days to show; default: all. */
  readonly range?: RangeName
  /** Newest days to show, instead of `range`; the first ones of each cycle. */
  readonly days?: number
  readonly interval?: IntervalName
  /** The metric whose first value is the beginning of range `all`. */
  readonly since?: string
  readonly stacked?: boolean | 'percent'
  readonly normalize?: Normalization
  readonly byMonth?: boolean
  readonly labels?: SeriesNaming
  readonly lastValues?: boolean
  readonly halvings?: boolean
  readonly events?: boolean
  /** Overlays the cycles of the first metric; `indexed` divides each by its first value. */
  readonly cycles?: { readonly family: CycleFamily; readonly indexed: boolean }
  readonly heatmap?: { readonly metric: string; readonly colorScale: ColorScaleName }
}

export type TemplateMetric = { readonly id: string } & SeriesOptions

export type TemplateFormula = Readonly<{ expression: string; label: string; unit: string }> & SeriesOptions

/** A bound is a number or a formula; a missing one is the end of the axis. */
export type TemplateArea = Omit<RequestedArea, 'y1' | 'y2'> & {
  readonly y1?: number | string
  readonly y2?: number | string
}
