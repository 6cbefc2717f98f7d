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

/** A chart that readers ask for by name: a request in terms of metric ids, whose columns the caller fills in. */
export interface ChartTemplate {
  readonly title: string
  /** What the chart says when it is high or low. */
  readonly subtitle: string
  readonly metrics: readonly TemplateMetric[]
  /** `m1` … are the metrics by position, `f1` … earlier formulas. */
  readonly formulas?: readonly TemplateFormula[]
  readonly axes?: readonly RequestedAxis[]
  readonly scale?: ScaleName
  readonly overlay?: 'price'
  readonly referenceLines?: readonly (RequestedLine & { readonly y: number })[]
  readonly referenceAreas?: readonly TemplateArea[]
  /** Days to show; without it all. */
  readonly range?: RangeName
  /** Newest days to show, before `range`; of each cycle the first ones. */
  readonly days?: number
  readonly interval?: IntervalName
  /** The metric with which all of history begins, where the price alone would go back further. */
  readonly since?: string
  readonly stacked?: boolean | 'percent'
  readonly normalize?: Normalization
  /** Shows changes of the metric by month and year. */
  readonly byMonth?: boolean
  readonly labels?: SeriesNaming
  readonly lastValues?: boolean
  readonly halvings?: boolean
  readonly events?: boolean
  /** Lays the cycles of the first metric over each other, if `indexed` each divided by its first value. */
  readonly cycles?: { readonly family: CycleFamily; readonly indexed: boolean }
  readonly heatmap?: { readonly metric: string; readonly colorScale: ColorScaleName }
}

export type TemplateMetric = { readonly id: string } & SeriesOptions

export type TemplateFormula = Readonly<{ expression: string; label: string; unit: string }> & SeriesOptions

/** A bound is a number or a formula; one that is left out is the end of the axis. */
export type TemplateArea = Omit<RequestedArea, 'y1' | 'y2'> & {
  readonly y1?: number | string
  readonly y2?: number | string
}
