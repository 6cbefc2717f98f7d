import { defaultAggregates } from '#contract/metric-kinds.ts'
import type { Candles } from '../draw/specification.ts'
import { type Column, toQuantity } from './chart-column.ts'
import { type ChartPlan, hasFormulas } from './chart-plan.ts'
import type { ChartMetric, ChartSource } from './chart-source.ts'
import type { RequestedSeries } from './request.ts'

export interface ChartColumns {
  readonly metrics: readonly { readonly metric: ChartMetric; readonly values: Float64Array }[]
  readonly formulas: readonly Column[]
  /** Formulas whose dimension does not follow from their metrics. */
  readonly remarks: readonly string[]
  readonly price: Float64Array | undefined
  readonly candles: Candles | undefined
  /** The values of a level, which is a number or a formula. */
  readonly level: (level: number | string) => number | Float64Array
}

/**
 * Reads metrics and evaluates formulas, over all days that the caller may see. Throws
 * `ChartRequestError` for an invalid formula.
 */
export async function readChartColumns(source: ChartSource, plan: ChartPlan): Promise<ChartColumns> {
  const metrics = plan.metrics.map(({ id }) => source.series(id, 'metrics'))
  const priceMetric = plan.overlay ? source.series('price', 'overlay') : undefined
  // Pages load the code of formulas when a chart has one.
  const formulas = hasFormulas(plan)
    ? (await import('./chart-formulas.ts')).readFormulas(
        source,
        plan,
        metrics.map(({ id }) => id),
      )
    : undefined

  const needed = new Map([...metrics, ...(priceMetric ? [priceMetric] : [])].map((one) => [one.id, one]))
  for (const metric of formulas?.metrics ?? []) needed.set(metric.id, metric)
  const values = await source.readValues([...needed.keys()])
  const columns = new Map<string, Column>(
    [...needed].map(([id, metric], i) => [id, { ...toQuantity(metric), values: values[i]!, kind: metric.kind }]),
  )
  const { computed = [], remarks = [], levels } = (await formulas?.evaluate(columns)) ?? {}
  return {
    metrics: metrics.map((metric) => ({ metric, values: columns.get(metric.id)!.values })),
    formulas: computed,
    remarks,
    candles: plan.candles ? await readCandles(source) : undefined,
    price: priceMetric && columns.get('price')!.values,
    level: (level) => (typeof level === 'number' ? level : levels!.get(level)!),
  }
}

/**
 * The series of a plan, metrics before formulas. Style and aggregate come from definitions unless
 * the plan has its own.
 */
export function createSeries(plan: ChartPlan, columns: ChartColumns): RequestedSeries[] {
  const metrics = columns.metrics.map(({ metric, values }, i): RequestedSeries => {
    const definedStyle = metric.style === 'bar' || metric.style === 'area' ? metric.style : 'line'
    // Only the price has candles; other series keep their own style.
    const style = plan.style === 'candle' && metric.id !== 'price' ? undefined : plan.style
    const options = plan.metrics[i]!
    return {
      ...options,
      ...toQuantity(metric),
      label: options.label ?? metric.name,
      style: options.style ?? style ?? (options.stacked && definedStyle === 'line' ? 'area' : definedStyle),
      aggregate: options.aggregate ?? metric.aggregate,
      id: metric.id,
      values,
      ...(metric.id === 'price' && columns.candles && { candles: columns.candles }),
    }
  })
  const formulas = columns.formulas.map(({ unit, dimension, values, kind }, i): RequestedSeries => {
    const { expression, ...options } = plan.formulas[i]!
    const { label = expression.slice(0, 60), aggregate = defaultAggregates[kind] } = options
    return { ...options, label, aggregate, id: `f${i + 1}`, unit, dimension, values }
  })
  return [...metrics, ...formulas]
}

async function readCandles(source: ChartSource): Promise<Candles> {
  const ids = ['open', 'high', 'low'].map((id) => source.series(id, 'style').id)
  const [open, high, low] = await source.readValues(ids)
  return { open: open!, high: high!, low: low! }
}
