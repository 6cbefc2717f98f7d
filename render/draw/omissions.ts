import { sum } from 'd3-array'
import { formatPlace } from './description.ts'
import { type Domain, type Extents, findDomain, listExtents, sideBeyond } from './domain.ts'
import { formatTick, formatValue } from './number-format.ts'
import type { ChartSpecification } from './specification.ts'
import { describeUnfinished } from './unfinished.ts'
import { countNonPositive } from './value-scale.ts'

/** Sentences about what the marks and axes of the picture leave out. */
export function describeOmissions(
  chart: ChartSpecification,
  domains: ReadonlyMap<string, Domain> = new Map(chart.axes.map((axis) => [axis.id, findDomain(axis, chart)])),
): string[] {
  const isClosesOnly = chart.series.some(({ style, candles }) => style !== 'candle' && candles !== undefined)
  return [
    ...(chart.monthGrid?.name ? [`${chart.monthGrid.name}.`] : []),
    ...(isClosesOnly ? ['Too close for candles: the line joins the closes.'] : []),
    ...describeNonPositive(chart),
    ...describeBeyond(chart, domains),
    ...describeBinsBeyond(chart, domains),
    ...describeUnfinished(chart),
  ]
}

const write = (count: number): string => formatTick('number', count, 1)

function describeNonPositive({ axes, series }: ChartSpecification): string[] {
  const logAxes = new Set(axes.filter(({ scale }) => scale === 'log').map(({ id }) => id))
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

const maxNamed = 4

/** Extremes shown as triangles at the plot's edge. */
function describeBeyond(chart: ChartSpecification, domains: ReadonlyMap<string, Domain>): string[] {
  const parts = chart.axes.flatMap((axis) => {
    const { domain } = domains.get(axis.id)!
    const describeExtreme = ({ series, label, highs, lows }: Extents, side: 1 | -1): string[] => {
      const values = side > 0 ? highs : lows
      const end = domain[side > 0 ? 1 : 0]
      let [count, extreme] = [0, -1]
      for (let i = 0; i < values.length; i++) {
        const value = values[i]!
        if (side * value <= side * end || sideBeyond(axis, domain, value) !== side) continue
        count++
        if (extreme < 0 || side * value > side * values[extreme]!) extreme = i
      }
      if (count === 0) return []
      const value = formatValue(axis.format, values[extreme]! * axis.factor)
      const day = formatPlace(chart.x, extreme, series)
      const times = count === 1 ? '' : `, ${write(count)} values`
      return [`${label} ${side > 0 ? 'up' : 'down'} to ${value} (${day}${times})`]
    }
    return listExtents(chart.series, axis.id).flatMap((extents) =>
      ([1, -1] as const).flatMap((side) => describeExtreme(extents, side)),
    )
  })
  if (parts.length === 0) return []
  const more = parts.length > maxNamed ? `, and ${parts.length - maxNamed} more` : ''
  return [`Beyond the axis (triangles): ${parts.slice(0, maxNamed).join(', ')}${more}.`]
}

/** Shares of a heatmap's newest column. */
function describeBinsBeyond({ heatmap }: ChartSpecification, domains: ReadonlyMap<string, Domain>): string[] {
  if (heatmap === undefined) return []
  const { axisId, binLower, binUpper, values, label } = heatmap
  const [low, high] = domains.get(axisId)!.domain
  const newest = values.subarray(values.length - binLower.length)
  const share = (isBeyond: (bin: number) => boolean): number =>
    Math.round((100 * sum(newest, (value, bin) => (isBeyond(bin) ? value : 0))) / sum(newest))
  const [below, above] = [share((bin) => binUpper[bin]! <= low), share((bin) => binLower[bin]! >= high)]
  const parts = [...(below > 0 ? [`${below} % is below`] : []), ...(above > 0 ? [`${above} % is above`] : [])]
  return parts.length === 0 ? [] : [`Of “${label}” on the newest day, ${parts.join(' and ')} the axis.`]
}
