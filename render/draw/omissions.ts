import { sum } from 'd3-array'
import { tickFormat } from './number-format.ts'
import type { ChartSpecification } from './specification.ts'
import { countNonPositive } from './value-scale.ts'

export function describeOmissions(chart: ChartSpecification): string[] {
  const isClosesOnly = chart.series.some(({ style, candles }) => style !== 'candle' && candles !== undefined)
  return [...(isClosesOnly ? ['Too close for candles: the line joins the closes.'] : []), ...describeNonPositive(chart)]
}

const write = tickFormat('number', 1)

const findLogAxes = ({ axes }: ChartSpecification): ReadonlySet<string> =>
  new Set(axes.filter(({ scale }) => scale === 'log').map(({ id }) => id))

function describeNonPositive(chart: ChartSpecification): string[] {
  const { series } = chart
  const logAxes = findLogAxes(chart)
  const parts = series
    .filter(({ axisId }) => logAxes.has(axisId))
    .map((one) => ({ label: one.label, count: countNonPositive(one) }))
    .filter(({ count }) => count > 0)
  if (parts.length === 0) return []
  const counted =
    parts.length > 2
      ? [`${write(sum(parts, ({ count }) => count))} of ${parts.length} series`]
      : parts.map(({ label, count }) => (series.length === 1 ? write(count) : `${write(count)} of ${label}`))
  return [`A logarithmic axis shows no values of zero or less: ${counted.join(', ')} left out.`]
}

/** All values are zero or less, on logarithmic axes. */
export function isHiddenByLogScale(chart: ChartSpecification): boolean {
  if (chart.heatmap !== undefined) return false
  const logAxes = findLogAxes(chart)
  return chart.series.every(
    ({ axisId, values }) => logAxes.has(axisId) && values.every((value) => Number.isNaN(value) || value <= 0),
  )
}
