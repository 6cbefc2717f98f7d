import { CoinstrataError } from '#base/errors.ts'
import { ownAxes } from '#contract/chart-options.ts'
import type { ChartRequest, RequestedSeries } from './request.ts'

/** A series this many times smaller than another on a linear axis is a flat line at zero. */
const maxMagnitudeRatio = 20

/** Id of the first axis of a chart, for axis options without id and side. */
export const firstAxis = 'first'

export const isSide = (id: string): id is 'left' | 'right' => id === 'left' || id === 'right'

/**
 * Returns the axis id of each series: the requested one, otherwise one per side, unit and magnitude. Price lines over a heatmap
 * share its axis. Throws `invalid_argument` for an unknown axis.
 */
export function assignAxes(request: ChartRequest, series: readonly RequestedSeries[]): string[] {
  const places = series.map((one) => explicitAxis(request, one) ?? `${one.side ?? 'auto'}:${one.unit}`)
  const shared = new Set(places.filter((place) => /^(left|right|auto):/.test(place)))
  for (const place of shared) {
    const members = series.flatMap((_, i) => (places[i] === place ? [i] : []))
    // Stacked values are added up and must share one axis.
    if (members.some((i) => series[i]!.stacked)) continue
    for (const [rank, group] of groupByMagnitude(members, series).entries()) {
      for (const i of group) if (rank > 0) places[i] = `${place}:${rank + 1}`
    }
  }
  return places
}

function explicitAxis(request: ChartRequest, { id, unit, axisId, side }: RequestedSeries): string | undefined {
  if (axisId === undefined) {
    return request.heatmap !== undefined && unit === 'USD' && side === undefined ? ownAxes.heatmap : undefined
  }
  const known = request.axes?.map((axis) => axis.id) ?? []
  if (axisId === ownAxes.price || isSide(axisId) || known.includes(axisId)) return axisId
  throw unknownAxisError(`series "${id}"`, axisId, known)
}

export const unknownAxisError = (owner: string, id: string, known: readonly string[]): CoinstrataError =>
  new CoinstrataError('invalid_argument', `${owner} names the axis "${id}", which does not exist`, {
    cure: known.length === 0 ? 'describe it in y_axes' : `use one of: ${known.join(', ')}`,
  })

/** Splits series at gaps of `maxMagnitudeRatio` between their largest values. The group of the price, or of the first series, is first. */
function groupByMagnitude(members: readonly number[], series: readonly RequestedSeries[]): number[][] {
  const sizes = new Map(members.map((i) => [i, maxMagnitude(series[i]!.values)]))
  const ascending = [...members].sort((one, other) => sizes.get(one)! - sizes.get(other)!)
  const groups: number[][] = []
  let last = 0
  for (const i of ascending) {
    const size = sizes.get(i)!
    if (groups.length === 0 || (last > 0 && size > last * maxMagnitudeRatio)) groups.push([])
    groups.at(-1)!.push(i)
    last = size
  }
  const price = members.find((i) => series[i]!.id === 'price')
  const rank = (group: number[]) => (price !== undefined && group.includes(price) ? -1 : Math.min(...group))
  return groups.sort((one, other) => rank(one) - rank(other))
}

const maxMagnitude = (values: Float64Array): number =>
  values.map(Math.abs).reduce((max, size) => (size > max && size < 1e100 ? size : max), 0)
