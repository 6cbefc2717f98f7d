import type { CycleFamily } from '#contract/cycle-families.ts'
import type { Aggregate, MetricKind } from '#contract/metric-kinds.ts'
import type { RequestedHeatmap } from './request.ts'
import type { ChartTemplate } from './template.ts'

/**
 * Where the columns of charts come from: published tables on a server, the API in a page. It holds what a caller may see
 * and nothing else.
 */
export interface ChartSource {
  /** Columns have one value for each unix day from `firstDay` to `lastDay`. */
  readonly firstDay: number
  readonly lastDay: number
  /** There are days before the first one, which the caller may not see. */
  readonly isCut: boolean
  /** Whose data these are, for the small print. */
  readonly sourceLine: string
  /** Of the instance, as readers of a picture may type it, where that is known. */
  readonly address: string | undefined
  /** What happened in the market, for lines that a chart can show. */
  readonly events: readonly { readonly day: number; readonly label: string }[]
  /** Ready charts by name; a page that leaves them to its server has none. */
  readonly templates: Readonly<Record<string, ChartTemplate>>
  /** Ids that formulas may refer to. */
  readonly ids: ReadonlySet<string>
  /** A metric that has one value a day; `parameter` is the field that names it. Throws `not_found`, `invalid_parameter`. */
  readonly series: (id: string, parameter: string) => ChartMetric
  /** A metric that has a distribution a day. Throws `not_found`, `invalid_parameter`. */
  readonly distribution: (id: string, parameter: string) => ChartMetric
  /** Columns in the order of the ids, NaN where nothing is known. Throws `insufficient_tier`. */
  readonly readValues: (ids: readonly string[]) => Promise<readonly Float64Array[]>
  /** First days of the cycles of a family, ascending. */
  readonly cycleStarts: (family: CycleFamily) => Promise<readonly number[]>
  /** A distribution on some days, ascending and evenly spaced. Throws `not_found`, `insufficient_tier`. */
  readonly readCells: (id: string, days: Int32Array) => Promise<Omit<RequestedHeatmap, 'id'>>
  /** Lets others have a turn between two pieces of work. */
  readonly pause: () => Promise<void>
}

export interface ChartMetric {
  readonly id: string
  readonly name: string
  readonly unit: string
  readonly kind: MetricKind
  /** How its days become one week or month. */
  readonly aggregate: Aggregate
  /** As its definition says: `line`, `area`, `bar`. */
  readonly style: string | null
  /** The unix day on which it begins, where that is known. */
  readonly firstDay: number | undefined
}

/** Of a metric's definition what charts need. */
export const toChartMetric = (
  { id, name, unit, kind, aggregate, style }: Omit<ChartMetric, 'firstDay'>,
  firstDay?: number,
): ChartMetric => ({ id, name, unit, kind, aggregate, style, firstDay })
