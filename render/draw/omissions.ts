import { sum } from 'd3-array'
import { tickFormat } from './number-format.ts'
import type { ChartSpecification } from './specification.ts'
import { countNonPositive } from './value-scale.ts'

/** What the picture leaves out, in sentences for its small print. */
export function describeOmissions(chart: ChartSpecification): string[] {
  const isClosesOnly = chart.series.some(({ style, candles }) => style !== 'candle' && candles !== undefined)
  return [...(isClosesOnly ? ['Too close for candles: the line joins the closes.'] : []), ...describeNonPositive(chart)]
}

const write = tickFormat('number', 1)

function describeNonPositive({ series, axes }: ChartSpecification): string[] {
  const logarithmic = new Set(axes.filter(({ scale }) => scale === 'log').map(({ id }) => id))
  const parts = series
    .filter(({ axisId }) => logarithmic.has(axisId))
    .map((one) => ({ label: one.label, count: countNonPositive(one) }))
    .filter(({ count }) => count > 0)
  if (parts.length === 0) return []
  const counted =
    parts.length > 2
      ? [`${write(sum(parts, ({ count }) => count))} of ${parts.length} series`]
      : parts.map(({ label, count }) => (series.length === 1 ? write(count) : `${write(count)} of ${label}`))
  return [`A logarithmic axis shows no values of zero or less: ${counted.join(', ')} left out.`]
}

/** Every value that there is lies at zero or below, and all axes are logarithmic. */
export function isHiddenByLogScale({ series, axes, heatmap }: ChartSpecification): boolean {
  if (heatmap !== undefined) return false
  const logarithmic = new Set(axes.filter(({ scale }) => scale === 'log').map(({ id }) => id))
  return series.every(
    ({ axisId, values }) => logarithmic.has(axisId) && values.every((value) => Number.isNaN(value) || value <= 0),
  )
}
