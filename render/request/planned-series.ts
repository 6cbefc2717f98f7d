import { usualAggregate } from '#base/kinds.ts'
import { type ChartColumns, displayUnit } from './chart-columns.ts'
import type { ChartPlan } from './chart-plan.ts'
import type { RequestedSeries } from './request.ts'

/** The series of a plan, metrics before formulas, each drawn and put together as its definition says unless the plan does. */
export function createSeries(plan: ChartPlan, columns: ChartColumns): RequestedSeries[] {
  const metrics = columns.metrics.map(({ metric, values }, i): RequestedSeries => {
    const definedStyle = metric.style === 'bar' || metric.style === 'area' ? metric.style : 'line'
    // Only the price has candles; what stands beside it keeps its own style.
    const style = plan.style === 'candle' && metric.id !== 'price' ? undefined : plan.style
    return {
      label: metric.name,
      unit: displayUnit(metric.unit),
      style: style ?? (plan.metrics[i]?.stacked && definedStyle === 'line' ? 'area' : definedStyle),
      aggregate: metric.aggregate,
      ...plan.metrics[i],
      id: metric.id,
      values,
      ...(metric.id === 'price' && columns.candles && { candles: columns.candles }),
    }
  })
  const formulas = columns.formulas.map(({ unit, values, kind }, i): RequestedSeries => {
    const { expression, ...options } = plan.formulas[i]!
    const aggregate = usualAggregate[kind]
    return { label: expression.slice(0, 60), aggregate, ...options, id: `f${i + 1}`, unit, values }
  })
  return [...metrics, ...formulas]
}
