import type { ChartSeries, Crossing, XAxis } from '../draw/specification.ts'
import type { ChartPlan } from './chart-plan.ts'
import type { RequestedCrossing, RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'

/**
 * Finds lines of crossings among `series`, metrics before formulas. Throws `ChartRequestError` for
 * unknown lines.
 */
export function resolveCrossings(
  { crossings = [], metrics }: ChartPlan,
  series: readonly RequestedSeries[],
): RequestedCrossing[] {
  const names = series.map((_, i) => (i < metrics.length ? `m${i + 1}` : `f${i + 1 - metrics.length}`))
  const find = (name: string, parameter: string): number => {
    const place = names.includes(name) ? names.indexOf(name) : series.findIndex(({ id }) => id === name)
    if (place >= 0) return place
    const message = `parameter '${parameter}': there is no line '${name}' in this chart; its lines are ${names.join(', ')}`
    throw new ChartRequestError('invalid_parameter', message, { parameter, allowed: names })
  }
  return crossings.map(({ line, crosses, ...labels }, i) => {
    const own = `crossings.${i}`
    return { ...labels, line: find(line, `${own}.line`), crosses: find(crosses, `${own}.crosses`) }
  })
}

/**
 * First days on which a line is above (or below) another since it was on the other side. Equal
 * values are no crossing, and gaps start over. Throws `ChartRequestError` for lines of different
 * axes.
 */
export function findCrossings(
  { line, crosses, up, down }: RequestedCrossing,
  series: readonly Pick<ChartSeries, 'label' | 'axisId' | 'values'>[],
  { days }: XAxis,
): Crossing[] {
  const [one, other] = [series[line]!, series[crosses]!]
  if (one.axisId !== other.axisId || one === other) {
    const message = `crossings need two lines on one axis: ${one.label} and ${other.label} are not; give them one y_axis_id`
    throw new ChartRequestError('invalid_parameter', message, { parameter: 'crossings' })
  }
  const isNamed = up !== undefined || down !== undefined
  const labels = isNamed ? [up, down] : ['above', 'below'].map((side) => `${one.label} ${side} ${other.label}`)
  const found: Crossing[] = []
  let side = 0
  one.values.forEach((value, i) => {
    const next = Math.sign(value - other.values[i]!)
    const label = labels[next > 0 ? 0 : 1]
    if (next * side < 0 && label !== undefined) {
      found.push({ day: days[i]!, value, axisId: one.axisId, isUp: next > 0, label })
    }
    if (next !== 0) side = Number.isNaN(next) ? 0 : next
  })
  return found
}
