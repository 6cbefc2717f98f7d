import type { MaybePromise } from '#base/maybe-promise.ts'
import type { FineInterval, ScaleName } from '#contract/chart-options.ts'
import type { ChartBody } from '#contract/charts.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import type { Interval } from '#contract/intervals.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import type { MetricAggregate, MetricKind } from '#contract/metric-kinds.ts'
import type { Formula } from '#sql/formula/parse.ts'
import type { Periods } from '#sql/formula/periods.ts'
import type { RequestedHeatmap } from './request.ts'
import type { ChartTemplate } from './template.ts'

/** Columns that a caller may see: published tables on a server, the API in a page. */
export interface ChartSource {
  /** Columns have one value per unix day from `firstDay` to `lastDay`. */
  readonly firstDay: number
  readonly lastDay: number
  /** Days before `firstDay` are hidden from the caller. */
  readonly isCut: boolean
  readonly sourceLine: string
  /** Address of the instance, if known, for readers of a picture. */
  readonly address: string | undefined
  readonly events: readonly { readonly day: number; readonly label: string }[]
  /** Throws `ChartRequestError` for an unknown name. */
  readonly template: (name: string) => ChartTemplate
  readonly ids: KnownIds
  /**
   * Has one value a day; `parameter` is the field that names it. Throws `not_found`,
   * `invalid_parameter`.
   */
  readonly series: (id: string, parameter: string) => ChartMetric
  /** Has a distribution a day. Throws `not_found`, `invalid_parameter`. */
  readonly distribution: (id: string, parameter: string) => ChartMetric
  /**
   * Columns in order of ids; NaN is missing. Those of recomputed metrics have values of the period
   * so far, at least on the newest day of each period. Throws `insufficient_tier`.
   */
  readonly readValues: (ids: readonly string[], interval?: Interval) => Promise<readonly Float64Array[]>
  /** Hours or blocks. Throws `insufficient_tier`, `invalid_parameter` for a metric without them. */
  readonly readFine: (ids: readonly string[], interval: FineInterval, range: FineRange) => Promise<FineColumns>
  readonly cycleStarts: (family: CycleFamily) => Promise<CycleStarts>
  /**
   * `days` ascend, evenly spaced; `bins` is the maximum. Throws `not_found`, `insufficient_tier`.
   */
  readonly readCells: (
    id: string,
    days: Int32Array,
    bins?: number,
    scale?: ScaleName,
  ) => Promise<Omit<RequestedHeatmap, 'id'>>
  /** Called between parts of large work: a server answers others meanwhile. */
  readonly pause?: () => MaybePromise<void>
  readonly evaluate: (
    formula: Formula,
    length: number,
    lookup: (id: string) => Float64Array,
    /** For values of the period so far. */
    periods?: Periods,
  ) => MaybePromise<Float64Array>
}

/** Unix days; default end: the newest entry. */
export type FineRange = { readonly start_date: number } & Pick<ChartBody, 'end_date' | 'generation' | 'as_of'>

export interface FineColumns {
  /** Unix seconds. */
  readonly times: Float64Array
  readonly columns: ReadonlyMap<string, Float64Array>
  /** What limits the entries. */
  readonly remarks: readonly string[]
}

export interface CycleStarts {
  /** Unix days, ascending. */
  readonly firstDays: readonly number[]
  readonly isLastProvisional: boolean
}

export interface ChartMetric {
  readonly id: string
  readonly name: string
  readonly unit: string
  readonly dimension: string
  readonly kind: MetricKind
  readonly aggregate: MetricAggregate
  /** `line`, `area` or `bar`, as defined. */
  readonly style: string | null
  /** Unix day of its first value, if known. */
  readonly firstDay?: number | undefined
}
