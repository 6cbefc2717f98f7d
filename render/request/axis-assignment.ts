import { CoinstrataError } from '#base/errors.ts'
import { type AxisSide, ownAxes } from '#contract/chart-options.ts'
import { priceDimension } from '#contract/metric-kinds.ts'
import type { ChartRequest, RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'

/** More would take more room than the plot. Requests may name more, one below the other. */
const maxAxes = 4

/** Id for axis options without id and side. */
export const firstAxis = 'first'

export const isSide = (id: string): id is 'left' | 'right' => id === 'left' || id === 'right'
/** Whether the request does not name the axis. */
export const isUnnamed = (id: string): boolean => /^(left|right|auto):/.test(id)

/** Rows of cells share an axis with their names. */
export const seriesDimension = ({ dimension, unit, style }: RequestedSeries): string =>
  style === 'heatmap' ? 'rows' : (dimension ?? unit)

/**
 * Returns each series' axis id: the requested one, otherwise its dimension's. Lines of a dimension
 * share the side requested by one. Price lines over a heatmap share its axis, the price overlay
 * that of other prices. Throws `ChartRequestError` for too many axes.
 */
export function assignAxes(request: ChartRequest, series: readonly RequestedSeries[]): string[] {
  const sides = new Map<string, AxisSide>()
  for (const one of series.toReversed()) {
    if (one.axis && one.y_axis_id === undefined) sides.set(seriesDimension(one), one.axis)
  }
  const places = series.map((one) => {
    const dimension = seriesDimension(one)
    return explicitAxis(request, one) ?? `${one.axis ?? sides.get(dimension) ?? 'auto'}:${dimension}`
  })
  const ofPrices = places.filter((id, i) => id !== ownAxes.price && seriesDimension(series[i]!) === priceDimension)
  const isOverlayNamed = request.axes?.some(({ id }) => id === ownAxes.price)
  const assigned = places.map((id) =>
    id === ownAxes.price && !isOverlayNamed ? (ofPrices.find(isUnnamed) ?? ofPrices[0] ?? id) : id,
  )
  requireFewAxes(assigned, series)
  return assigned
}

function explicitAxis(request: ChartRequest, one: RequestedSeries): string | undefined {
  const { id, y_axis_id: axisId, axis } = one
  if (axisId === undefined) {
    const isPrice = seriesDimension(one) === priceDimension && axis === undefined
    return request.heatmap !== undefined && isPrice ? ownAxes.heatmap : undefined
  }
  const known = request.axes?.map((described) => described.id) ?? []
  if (axisId === ownAxes.price || isSide(axisId) || known.includes(axisId)) return axisId
  throw unknownAxisError(`series "${id}"`, axisId, known)
}

export const unknownAxisError = (owner: string, id: string, known: readonly string[]): CoinstrataError =>
  new CoinstrataError('invalid_argument', `${owner} names the axis "${id}", which does not exist`, {
    cure: known.length === 0 ? 'describe it in y_axes' : `use one of: ${known.join(', ')}`,
  })

function requireFewAxes(places: readonly string[], series: readonly RequestedSeries[]): void {
  const axes = new Map(series.map((one, i) => [places[i]!, one]))
  if (axes.size <= maxAxes || ![...axes.keys()].some(isUnnamed)) return
  const dimensions = [...axes.values()].map((one) => `${seriesDimension(one)} (${one.label})`).join(', ')
  const message = `a chart has at most ${maxAxes} axes, and these are ${axes.size}: ${dimensions}; leave some out, or give several one axis by y_axis_id in metrics and formulas (GET: axes=left,right,…, one for each of metrics)`
  throw new ChartRequestError('invalid_parameter', message, { parameter: 'metrics' })
}
