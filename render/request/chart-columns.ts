import { defaultAggregates } from '#contract/metric-kinds.ts'
import { type Column, toQuantity } from './chart-column.ts'
import { type ChartPlan, hasFormulas } from './chart-plan.ts'
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
  const values = await source.readValues([...needed.keys()])
  const columns = new Map<string, Column>(
    [...needed].map(([id, metric], i) => [id, { ...toQuantity(metric), values: values[i]!, kind: metric.kind }]),
  )
  const { computed = [], remarks = [], levels } = (await formulas?.evaluate(columns)) ?? {}
  const valuesOf = ({ id }: ChartMetric): Float64Array => columns.get(id)!.values
  const [open, high, low] = candles.map(valuesOf)
  return {
    metrics,
    series: [
      ...metrics.map(
        (metric, i): RequestedSeries => ({
          ...styleMetric(metric, plan, i),
          values: valuesOf(metric),
          ...(metric.id === 'price' && open && high && low && { candles: { open, high, low } }),
        }),
      ),
      ...computed.map(({ unit, dimension, values, kind }, i): RequestedSeries => {
        const { expression, ...options } = plan.formulas[i]!
        const { label = expression.slice(0, 60), aggregate = defaultAggregates[kind] } = options
        return { ...options, label, aggregate, id: `f${i + 1}`, unit, dimension, values }
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
    aggregate: options.aggregate ?? metric.aggregate,
    id: metric.id,
  }
}
