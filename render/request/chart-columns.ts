import { defaultInterval } from '#contract/intervals.ts'
import { isRecomputed } from '#contract/metric-kinds.ts'
import { type Column, toQuantity } from './chart-column.ts'
import { type ChartPlan, hasFormulas, longInterval } from './chart-plan.ts'
import type { ChartMetric, ChartSource } from './chart-source.ts'
import type { RequestedSeries } from './request.ts'

export interface ChartColumns {
  readonly metrics: readonly ChartMetric[]
  /** Metrics before formulas. */
  readonly series: readonly RequestedSeries[]
  /** About formulas of unknown dimension. */
  readonly remarks: readonly string[]
  readonly price: Float64Array | undefined
  /** Values of a level: a number or formula. */
  readonly level: (level: number | string) => number | Float64Array
}

/**
 * Reads metrics and evaluates formulas, over all days visible to the caller. Style and aggregate
 * come from definitions unless the plan has its own. Throws `ChartRequestError` for an invalid
 * formula.
 */
export async function readChartColumns(source: ChartSource, plan: ChartPlan): Promise<ChartColumns> {
  const metrics = plan.metrics.map(({ id }) => source.series(id, 'metrics'))
  const overlay = plan.overlay ? [source.series('price', 'overlay')] : []
  // Pages load the code of formulas on demand.
  const formulas = hasFormulas(plan)
    ? (await import('./chart-formulas.ts')).readFormulas(
        source,
        plan,
        metrics.map(({ id }) => id),
      )
    : undefined
  const candles = plan.candles ? ['open', 'high', 'low'].map((id) => source.series(id, 'style')) : []
  const needed = new Map(
    [...metrics, ...overlay, ...candles, ...(formulas?.metrics ?? [])].map((metric) => [metric.id, metric]),
  )
  const interval = longInterval(plan)
  const ids = [...needed.keys()]
  const values = await source.readValues(ids)
  const toDate = interval === defaultInterval ? values : await source.readValues(ids, interval)
  const columns = new Map<string, Column>(
    [...needed].map(([id, { kind, aggregate, ...metric }], i) => [
      id,
      { ...toQuantity(metric), kind, aggregate, values: values[i]!, toDate: toDate[i]! },
    ]),
  )
  const { computed = [], remarks = [], levels } = (await formulas?.evaluate(columns)) ?? {}
  const valuesOf = ({ id }: ChartMetric): Float64Array => columns.get(id)!.values
  const [open, high, low] = candles.map(valuesOf)
  return {
    metrics,
    series: [
      ...metrics.map(
        (metric, i): RequestedSeries => ({
          ...withValues(styleMetric(metric, plan, i), columns.get(metric.id)!),
          ...(metric.id === 'price' && open && high && low && { candles: { open, high, low } }),
        }),
      ),
      ...computed.map((column, i): RequestedSeries => {
        const { expression, ...options } = plan.formulas[i]!
        const { unit, dimension } = column
        const label = options.label ?? expression.slice(0, 60)
        return withValues({ ...options, label, id: `f${i + 1}`, unit, dimension }, column)
      }),
    ],
    remarks,
    price: overlay.map(valuesOf)[0],
    level: (level) => (typeof level === 'number' ? level : levels!.get(level)!),
  }
}

function styleMetric(metric: ChartMetric, plan: ChartPlan, i: number): Omit<RequestedSeries, 'values'> {
  const definedStyle = metric.style === 'bar' || metric.style === 'area' ? metric.style : 'line'
  // Only the price has candles; others keep their style.
  const style = plan.style === 'candle' && metric.id !== 'price' ? undefined : plan.style
  const options = plan.metrics[i]!
  return {
    ...options,
    ...toQuantity(metric),
    label: options.label ?? metric.name,
    style: options.style ?? style ?? (options.stacked && definedStyle === 'line' ? 'area' : definedStyle),
    id: metric.id,
  }
}

/** By the definition's aggregate unless the request has its own. */
function withValues(options: Omit<RequestedSeries, 'values'>, column: Column): RequestedSeries {
  const { aggregate = column.aggregate } = options
  return { ...options, aggregate, values: isRecomputed(aggregate) ? column.toDate : column.values }
}
